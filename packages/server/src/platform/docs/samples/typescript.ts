import type { DocumentedParameter } from '../../../core/http/openapi.ts'
import type { JsonSchema } from '../../../core/http/openapi-schema.ts'
import type { SampleCall } from './call.ts'
import { literal, type Notation } from './literal.ts'

const notation: Notation = {
  object: ['{ ', ' }'],
  list: ['[', ']'],
  emptyObject: '{}',
  pair: (key, value) => `${/^[a-z_$][\w$]*$/i.test(key) ? key : text(key)}: ${value}`,
  text,
  words: { true: 'true', false: 'false', null: 'null' },
}

function text(value: string): string {
  return `'${JSON.stringify(value).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`
}

/** A call with `@guerdon/client`: `(path, body or query, options)`, without those that the operation does not have. */
export function typescriptSample(call: SampleCall): string {
  const { operation, parameters } = call
  const { client, lines } = clientOf(call)
  const path = Object.keys(parameters).length === 0 ? [] : [literal(parameters, notation)]
  const args = [...path, ...inputOf(call)]
  return `${[...(call.body?.kind === 'multipart' ? ["import { openAsBlob } from 'node:fs'"] : []), ...lines, ...formLines(call)].join('\n')}

const result = await ${client}.${operation.operationId}(${args.join(', ')})
if (result.ok) console.log(result.data)
else console.error(result.error.message)`
}

function clientOf({ family }: SampleCall): { client: string; lines: string[] } {
  const baseUrl = "  baseUrl: process.env.GUERDON_URL ?? '',"
  const option = (name: string, variable: string) => `  ${name}: process.env.${variable} ?? '',`
  switch (family) {
    case 'auth':
      return {
        client: 'session',
        lines: [
          "import { createGuerdonSession } from '@guerdon/client/session'",
          '',
          "// On a page of the service's own origin, whose cookie it uses.",
          'const session = createGuerdonSession()',
        ],
      }
    case 'client':
      return {
        client: 'guerdon',
        lines: [
          "import { createGuerdonClientSide } from '@guerdon/client'",
          '',
          'const guerdon = createGuerdonClientSide({',
          "  baseUrl: 'https://guerdon.example',",
          "  clientApplicationId: 'X-Client-Application-Id of a client key',",
          "  clientSecretKey: 'X-Client-Token of it',",
          '})',
        ],
      }
    default: {
      const isManagement = family === 'management'
      return {
        client: 'guerdon',
        lines: [
          "import { createGuerdon } from '@guerdon/client'",
          '',
          'const guerdon = createGuerdon({',
          baseUrl,
          ...(isManagement
            ? [option('managementId', 'MANAGEMENT_ID'), option('managementSecret', 'MANAGEMENT_TOKEN')]
            : [option('applicationId', 'APP_ID'), option('secretKey', 'APP_TOKEN')]),
          '})',
        ],
      }
    }
  }
}

/** The body, or the query of an operation without one; the query beside a body is an option. */
function inputOf(call: SampleCall): string[] {
  const { operation, body } = call
  const query = queryObject(call)
  const hasQuery = Object.keys(query).length > 0
  const prefer = call.headers.find(({ name }) => name === 'Prefer')?.text
  const options = {
    ...(hasQuery && operation.requestBody !== undefined ? { query } : {}),
    ...(prefer === undefined ? {} : { headers: { Prefer: prefer } }),
  }
  const hasOptions = Object.keys(options).length > 0
  const input = operation.requestBody === undefined ? (hasQuery ? literal(query, notation) : undefined) : bodyText(body)
  const takesInput = operation.requestBody !== undefined || operation.parameters.some(isQuery)
  if (!hasOptions) return input === undefined ? [] : [input]
  return [...(takesInput ? [input ?? '{}'] : []), literal(options, notation)]
}

function bodyText(body: SampleCall['body']): string | undefined {
  if (body === undefined) return undefined
  if (body.kind === 'json') return literal(body.value, notation)
  if (body.kind === 'form') return literal(Object.fromEntries(body.fields), notation)
  return 'form'
}

function formLines({ body }: SampleCall): string[] {
  if (body?.kind !== 'multipart') return []
  return [
    '',
    'const form = new FormData()',
    ...body.files.map((name) => `form.append('${name}', await openAsBlob('${name}.csv'), '${name}.csv')`),
    ...body.fields.map(([name, value]) => `form.append(${text(name)}, ${text(value)})`),
  ]
}

const isQuery = (parameter: object): parameter is DocumentedParameter => 'in' in parameter && parameter.in === 'query'

/** `created_at[after]=…&limit=5` → `{ created_at: { after: '…' }, limit: 5 }`, with the types that the parameters have. */
function queryObject({ operation, query }: SampleCall): Record<string, unknown> {
  const result: Record<string, unknown> = {}
  for (const [name, value] of query) {
    const [, root = name, rest = ''] = /^(\w+)((?:\[[\w$]*\])*)$/.exec(name) ?? []
    const parameter = operation.parameters.filter(isQuery).find((each) => each.name === root)
    const keys = [...rest.matchAll(/\[([\w$]+)\]/g)].map(([, key]) => key as string)
    const schema = keys.reduce<JsonSchema | undefined>((inner, key) => inner?.properties?.[key], parameter?.schema)
    place(result, [root, ...keys], typed(value, schema), schema?.items !== undefined)
  }
  return result
}

function place(target: Record<string, unknown>, [key = '', ...rest]: string[], value: unknown, isList: boolean): void {
  if (rest.length > 0) {
    target[key] ??= {}
    place(target[key] as Record<string, unknown>, rest, value, isList)
  } else if (isList) target[key] = [...((target[key] as unknown[] | undefined) ?? []), value]
  else target[key] = value
}

function typed(value: string, schema: JsonSchema | undefined): unknown {
  const types = [schema?.items?.type ?? schema?.type ?? []].flat()
  if (types.some((type) => type === 'integer' || type === 'number') && value !== '' && Number.isFinite(Number(value)))
    return Number(value)
  return types.includes('boolean') && /^(?:true|false)$/.test(value) ? value === 'true' : value
}
