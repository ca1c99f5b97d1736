import type { OpenapiDocument } from '../../../core/http/openapi.ts'
import { referred, sampleOf } from '../../../core/http/openapi-sample.ts'
import type { JsonSchema } from '../../../core/http/openapi-schema.ts'
import { familyOf } from '../../../core/http/operation.ts'
import type { ExampleRequest } from '../examples.ts'
import type { PlacedOperation } from '../outline.ts'

/** A call, ready to be written in any language. */
export interface SampleCall {
  operation: PlacedOperation
  family: ReturnType<typeof familyOf>
  /** With the values of its parameters, percent-encoded. */
  path: string
  parameters: Record<string, string>
  query: Array<[name: string, value: string]>
  /** What a reader fills in is the name of an environment variable. */
  headers: Array<{ name: string; text?: string; before?: string; variable?: string }>
  body?: SampleBody
}

export type SampleBody =
  | { kind: 'json'; value: unknown }
  | { kind: 'form'; fields: Array<[name: string, value: string]> }
  | { kind: 'multipart'; fields: Array<[name: string, value: string]>; files: string[] }

/** The call of an example; without one, a call made up from the schemas. */
export function sampleCall(
  operation: PlacedOperation,
  document: OpenapiDocument,
  request: ExampleRequest | undefined,
): SampleCall {
  const names = [...operation.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name as string)
  const parameters = Object.fromEntries(names.map((name) => [name, request?.path?.[name] ?? name]))
  const body = bodyOf(operation, document, request)
  return {
    operation,
    family: familyOf(operation.path),
    path: operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(parameters[name] as string)),
    parameters,
    query: [...new URLSearchParams(request?.query ?? '')],
    headers: [
      ...credentials(operation, document),
      ...(request?.prefer === undefined ? [] : [{ name: 'Prefer', text: request.prefer }]),
    ],
    ...(body === undefined ? {} : { body }),
  }
}

function credentials({ security }: PlacedOperation, { components }: OpenapiDocument): SampleCall['headers'] {
  return Object.keys(security[0] ?? {}).map((name) => {
    const scheme = components.securitySchemes[name]
    if (scheme?.type !== 'apiKey') return { name: 'Authorization', before: 'Bearer ', variable: 'ACCESS_TOKEN' }
    if (scheme.in === 'cookie') return { name: 'Cookie', before: `${scheme.name}=`, variable: 'SESSION' }
    return { name: scheme.name, variable: variableOf(scheme.name) }
  })
}

/** `X-App-Id` → `APP_ID`. */
const variableOf = (header: string) => header.replace(/^X-/i, '').replaceAll('-', '_').toUpperCase()

function bodyOf(
  { requestBody }: PlacedOperation,
  { components: { schemas } }: OpenapiDocument,
  request: ExampleRequest | undefined,
): SampleBody | undefined {
  const [content] = Object.entries(requestBody?.content ?? {})
  if (content === undefined || (request !== undefined && request.body === undefined)) return undefined
  const [mediaType, { schema }] = content
  const value = request === undefined ? sampleOf(schema, schemas) : request.body
  if (mediaType === 'application/json') return { kind: 'json', value }
  const fields = Object.entries(value as Record<string, unknown>).map(([name, each]): [string, string] => [
    name,
    String(each),
  ])
  if (mediaType !== 'multipart/form-data') return { kind: 'form', fields }
  const isFile = ([name]: [string, string]) =>
    isBinary(schema.$ref === undefined ? schema : referred(schema.$ref, schemas), name)
  return {
    kind: 'multipart',
    fields: fields.filter((field) => !isFile(field)),
    files: fields.filter(isFile).map(([name]) => name),
  }
}

const isBinary = ({ properties = {} }: JsonSchema, name: string) => properties[name]?.format === 'binary'
