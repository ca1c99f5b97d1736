import { spawnSync } from 'node:child_process'
import { describe, expect, test } from 'vitest'
import { documentOf } from '../../../document.ts'
import { operations } from '../../../operations.ts'
import { complaintsOfCompiler } from '../../../testing/pages/programs-of-pages.ts'
import { type ExampleRequest, readExamples, successOf } from '../examples.ts'
import { resourcesOf } from '../outline.ts'
import { sampleCall } from './call.ts'
import { languages } from './index.ts'

const document = documentOf(operations)
const placed = resourcesOf(document).flatMap((resource) => resource.operations)

function samplesOf(operationId: string, request: ExampleRequest): Record<string, string> {
  const operation = placed.find((each) => each.operationId === operationId)
  if (operation === undefined) throw new Error(`There is no ${operationId}`)
  const call = sampleCall(operation, document, request)
  return Object.fromEntries(languages.map(({ id, write }) => [id, write(call)]))
}

test('a call with a body is written in every language, with its quotes escaped', () => {
  const samples = samplesOf('createVoucherWithCode', {
    path: { code: 'O/NE' },
    body: { type: 'GIFT_VOUCHER', gift: { amount: 5_000 }, active: true, additional_info: "Ann's", metadata: {} },
  })
  expect(samples.curl).toContain('curl -X POST "$GUERDON_URL/v1/vouchers/O%2FNE" \\\n  -H "X-App-Id: $APP_ID"')
  expect(samples.curl).toContain(`"additional_info": "Ann'\\''s"`)
  expect(samples.typescript).toContain("guerdon.createVoucherWithCode({ code: 'O/NE' }, {\n  type: 'GIFT_VOUCHER',\n")
  expect(samples.typescript).toContain("additional_info: 'Ann\\'s'")
  expect(samples.python).toContain('requests.post(\n    os.environ["GUERDON_URL"] + "/v1/vouchers/O%2FNE"')
  expect(samples.python).toContain('"active": True')
  expect(samples.php).toContain("'additional_info' => 'Ann\\'s'")
  expect(samples.php).toContain("'metadata' => new stdClass()")
})

test('a query is written as parameters, with their types in TypeScript', () => {
  const { curl, typescript, python } = samplesOf('listVouchers', {
    query: 'limit=5&created_at[after]=2026-01-01&ids=a&ids=b',
  })
  expect(curl).toContain('/v1/vouchers?limit=5&created_at%5Bafter%5D=2026-01-01&ids=a&ids=b"')
  expect(typescript).toContain(
    "guerdon.listVouchers({ limit: 5, created_at: { after: '2026-01-01' }, ids: ['a', 'b'] })",
  )
  expect(python).toContain('("created_at[after]", "2026-01-01"),')
})

test('management, client side and sessions use their own credentials', () => {
  expect(samplesOf('listProjects', {}).typescript).toContain('managementSecret')
  expect(samplesOf('listProjects', {}).curl).toContain('-H "X-Management-Token: $MANAGEMENT_TOKEN"')
  expect(samplesOf('redeemOnClient', { body: {} }).typescript).toContain('createGuerdonClientSide')
  expect(samplesOf('getSession', {}).typescript).toContain('createGuerdonSession()')
})

describe('every sample that is shown', () => {
  const examples = readExamples()
  const samples = placed.map(({ operationId }) => ({
    name: operationId,
    texts: samplesOf(operationId, successOf(examples[operationId] ?? {})?.request ?? {}),
  }))
  const textsIn = (language: string) => samples.map(({ texts }) => texts[language] as string)

  test('in TypeScript compiles', async () => {
    const programs = samples.map(({ name, texts }) => ({ name, blocks: [{ code: texts.typescript as string }] }))
    expect(programs).toHaveLength(operations.length)
    expect(await complaintsOfCompiler(programs)).toBe('')
  })

  test('for curl is a command that a shell can read', () => {
    expect(spawnSync('sh', ['-n'], { input: textsIn('curl').join('\n'), encoding: 'utf8' })).toMatchObject({
      status: 0,
      stderr: '',
    })
  })

  /** Programs that parse a list of texts, given as JSON, and fail at the first that is wrong. Not every machine has the languages. */
  const parsers: Array<[language: string, command: string, args: string[]]> = [
    ['python', 'python3', ['-c', 'import ast, json, sys\nfor text in json.load(sys.stdin): ast.parse(text)']],
    [
      'php',
      'php',
      ['-r', 'foreach (json_decode(stream_get_contents(STDIN)) as $text) token_get_all($text, TOKEN_PARSE);'],
    ],
  ]

  for (const [language, command, args] of parsers) {
    const isPresent = spawnSync(command, ['--version']).status === 0
    test.skipIf(!isPresent)(`in ${language} can be parsed, where there is ${command}`, () => {
      const parse = (texts: string[]) => spawnSync(command, args, { input: JSON.stringify(texts), encoding: 'utf8' })
      expect(parse(textsIn(language))).toMatchObject({ status: 0, stderr: '' })
      expect(parse(textsIn(language).map((text) => `${text} (`)).status).not.toBe(0)
    })
  }
})
