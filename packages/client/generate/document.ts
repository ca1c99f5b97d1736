import { readFileSync } from 'node:fs'
import { nameOf, type Schema } from './schema-types.ts'

interface Content {
  content?: Record<string, { schema?: Schema }>
}

interface Parameter {
  $ref?: string
  name: string
  in: string
  required?: boolean
  description?: string
  schema?: Schema
}

interface DocumentOperation {
  operationId: string
  summary: string
  deprecated?: boolean
  parameters?: Parameter[]
  requestBody?: Content & { required?: boolean }
  responses: Record<string, Content>
}

interface Document {
  paths: Record<string, Record<string, DocumentOperation>>
  components: { schemas: Record<string, Schema> }
}

/** An operation of openapi.json, with what the generated files want to know of it. */
export interface Operation {
  id: string
  method: string
  path: string
  summary: string
  deprecated: boolean
  pathParameters: Parameter[]
  queryParameters: Parameter[]
  /** The media type of its body, and the schema of it. */
  body: { type: 'json' | 'form' | 'multipart'; schema: Schema; isRequired: boolean } | undefined
  replies: Content[]
  takesKey: boolean
}

/** The service's own description: the only source of operations and schemas. */
export function readDocument(): { operations: Operation[]; schemas: Record<string, Schema> } {
  const file = new URL('../../server/openapi.json', import.meta.url)
  const { paths, components }: Document = JSON.parse(readFileSync(file, 'utf8'))
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => operationOf(method.toUpperCase(), path, operation)),
  )
  return { operations, schemas: components.schemas }
}

/** The schema that a reference points to, or the schema itself. */
export function resolved(schema: Schema, schemas: Record<string, Schema>): Schema {
  if (schema.$ref === undefined) return schema
  const target = schemas[nameOf(schema.$ref)]
  if (target === undefined) throw new Error(`A reference to nothing: ${schema.$ref}`)
  return resolved(target, schemas)
}

function operationOf(method: string, path: string, operation: DocumentOperation): Operation {
  const { operationId, summary, deprecated = false, parameters = [], requestBody, responses } = operation
  return {
    id: operationId,
    method,
    path,
    summary,
    deprecated,
    pathParameters: parameters.filter((parameter) => parameter.in === 'path'),
    queryParameters: parameters.filter((parameter) => parameter.in === 'query'),
    body: bodyOf(requestBody),
    replies: Object.entries(responses).flatMap(([status, reply]) => (status.startsWith('2') ? [reply] : [])),
    takesKey: parameters.some(({ $ref }) => $ref?.endsWith('/IdempotencyKey')),
  }
}

const bodyTypes = {
  'application/json': 'json',
  'application/x-www-form-urlencoded': 'form',
  'multipart/form-data': 'multipart',
} as const

function bodyOf(requestBody: DocumentOperation['requestBody']): Operation['body'] {
  for (const [mediaType, type] of Object.entries(bodyTypes)) {
    const schema = requestBody?.content?.[mediaType]?.schema
    if (schema !== undefined) return { type, schema, isRequired: requestBody?.required === true }
  }
  return undefined
}
