import { beforeAll, expect, test } from 'vitest'
import { scrub } from '../../testing/examples/scrub.ts'
import { tellStory } from '../../testing/examples/story/story.ts'
import { newTeller, type ToldExample } from '../../testing/examples/story/teller.ts'
import { newInstallation } from '../../testing/installation.ts'
import { readExamples, successOf } from './examples.ts'

let told: ToldExample[] = []

// The story ends at the first call that is refused.
beforeAll(async () => {
  const teller = newTeller(await newInstallation())
  await tellStory(teller)
  told = teller.examples
})

test('pasted into a new project in the order of the story, the samples of the most used operations succeed', () => {
  expect(told.length).toBeGreaterThan(100)
  const failed = told.filter(({ answer }) => /"valid":false|"result":"FAILURE"/.test(JSON.stringify(answer)))
  expect(failed).toEqual([])
})

test('no list of the story is empty', () => {
  const rowsIn = ({ answer }: ToldExample) => {
    const { object, data_ref: ref = '', ...rows } = (answer ?? {}) as Record<string, unknown>
    return object === 'list' ? (rows[String(ref)] as unknown[]) : null
  }
  expect(told.filter((example) => rowsIn(example)?.length === 0)).toEqual([])
})

// While examples are recorded, those of before still lie there.
test.skipIf(process.env.GUERDON_RECORD_EXAMPLES !== undefined)(
  'what the story sends is what /docs shows (npm run examples -- platform/docs/story records it)',
  () => {
    const examples = readExamples()
    const shown = told.map(({ operation_id }) => [operation_id, successOf(examples[operation_id] ?? {})?.request])
    const sent = told.map(({ operation_id, request }) => [operation_id, scrub(request)])
    expect(Object.fromEntries(shown)).toEqual(Object.fromEntries(sent))
  },
)

test('no sample of the story contains a date that passes in the life of a release', () => {
  const datesIn = ({ request }: ToldExample) => JSON.stringify(request).match(/\b\d{4}-\d\d-\d\d/g) ?? []
  expect(told.filter((example) => datesIn(example).some((date) => date < '2090'))).toEqual([])
})
