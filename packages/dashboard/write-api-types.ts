// Writes src/api/generated.ts from the server's openapi.json: `npm run generate`. The document is our own, so this covers the
// keywords that it uses and refuses any other, rather than all of JSON Schema.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

interface Schema {
  $ref?: string
  type?: string | string[]
  const?: unknown
  enum?: unknown[]
  anyOf?: Schema[]
  items?: Schema
  properties?: Record<string, Schema>
  required?: string[]
  additionalProperties?: boolean | Schema
  patternProperties?: Record<string, Schema>
}

interface Content {
  content?: Record<string, { schema?: Schema }>
}

interface Operation {
  summary: string
  parameters?: { $ref?: string; name: string; in: string; required?: boolean; schema?: Schema }[]
  requestBody?: Content & { required?: boolean }
  responses: Record<string, Content>
}

interface Document {
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, Schema> }
}

const document: Document = JSON.parse(readFileSync(join(import.meta.dirname, '../server/openapi.json'), 'utf8'))
writeFileSync(join(import.meta.dirname, 'src/api/generated.ts'), typesOf(document))

function typesOf({ paths, components }: Document): string {
  const schemas = Object.entries(components.schemas).map(([name, schema]) => `  ${keyOf(name)}: ${typeOf(schema)}`)
  const operations = Object.entries(paths)
    .filter(([path]) => !path.startsWith('/client/'))
    .flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => operationOf(`${method.toUpperCase()} ${path}`, operation)),
    )
  return `// Generated from openapi.json by \`npm run generate\`. Do not edit.

/** The schemas of the API by name. */
export interface Schemas {
${schemas.join('\n')}
}

/** What each operation takes and answers. */
export interface Operations {
${operations.join('\n')}
}
`
}

function operationOf(name: string, { summary, parameters = [], requestBody, responses }: Operation): string {
  const members = [
    ['path', parametersIn('path')],
    ['query', parametersIn('query')],
    ['body', bodyOf(requestBody)],
    ['reply', replyOf(responses)],
  ]
  return `  /** ${summary} */\n  '${name}': { ${members.map(([key, type]) => `${key}: ${type}`).join('; ')} }`

  function parametersIn(place: string): string {
    const found = parameters.filter((parameter) => parameter.in === place)
    if (found.length === 0) return 'undefined'
    return `{ ${found.map(({ name: key, required, schema }) => `${keyOf(key)}${required ? '' : '?'}: ${schema ? typeOf(schema) : 'string'}`).join('; ')} }`
  }
}

function bodyOf(body: Operation['requestBody']): string {
  if (body?.content === undefined) return 'undefined'
  if (body.content['multipart/form-data']) return 'FormData'
  const schema = body.content['application/json']?.schema
  if (schema === undefined) return 'undefined'
  return body.required ? typeOf(schema) : `${typeOf(schema)} | undefined`
}

function replyOf(responses: Operation['responses']): string {
  const types = Object.entries(responses)
    .filter(([status]) => status.startsWith('2'))
    .map(([, { content }]) => {
      const schema = content?.['application/json']?.schema
      return schema ? typeOf(schema) : content ? 'Blob' : 'undefined'
    })
  return [...new Set(types)].join(' | ') || 'undefined'
}

function typeOf(schema: Schema): string {
  if (schema.$ref !== undefined) return `Schemas['${schema.$ref.split('/').at(-1)}']`
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  if (schema.enum !== undefined) return schema.enum.map((value) => JSON.stringify(value)).join(' | ')
  if (schema.anyOf !== undefined) return `(${[...new Set(schema.anyOf.map(typeOf))].join(' | ')})`
  const types = [schema.type ?? []].flat()
  if (types.length === 0) return schema.properties ? objectOf(schema) : 'unknown'
  return types.length === 1
    ? plainType(types[0] as string, schema)
    : `(${types.map((type) => plainType(type, schema)).join(' | ')})`
}

function plainType(type: string, schema: Schema): string {
  switch (type) {
    case 'null':
    case 'boolean':
    case 'string':
    case 'number':
      return type
    case 'integer':
      return 'number'
    case 'array':
      return `Array<${schema.items ? typeOf(schema.items) : 'unknown'}>`
    case 'object':
      return objectOf(schema)
    default:
      throw new Error(`A type without a counterpart: ${type}`)
  }
}

function objectOf({ properties = {}, required = [], additionalProperties, patternProperties }: Schema): string {
  const others = patternProperties ? Object.values(patternProperties)[0] : additionalProperties
  const members = Object.entries(properties).map(
    ([key, schema]) => `${keyOf(key)}${required.includes(key) ? '' : '?'}: ${typeOf(schema)}`,
  )
  if (members.length === 0) return `Record<string, ${typeof others === 'object' ? typeOf(others) : 'unknown'}>`
  // Where known members stand beside others, an index signature would have to allow both.
  if (others) members.push('[other: string]: unknown')
  return `{ ${members.join('; ')} }`
}

function keyOf(name: string): string {
  return /^[a-z_]\w*$/i.test(name) ? name : `'${name}'`
}
