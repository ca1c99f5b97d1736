import type { Operation } from './document.ts'
import { byFamily } from './families.ts'
import { listOf } from './lists.ts'
import { docOf, keyOf, type Schema, typeOf } from './schema-types.ts'

/** src/generated/operations.ts: the schemas, and what each operation takes and answers. */
export function operationTypes(operations: Operation[], schemas: Record<string, Schema>): string {
  const named = Object.entries(schemas).map(
    ([name, schema]) => `${docOf(schema, '  ')}  ${keyOf(name)}: ${typeOf(schema, '  ')}\n`,
  )
  const families = byFamily(operations).map(
    ({ family, members }) =>
      `/** ${family.about} */\nexport interface ${family.type} {\n${members.map((member) => operationOf(member, schemas)).join('')}}\n`,
  )
  const routes = operations.map(({ id, method, path }) => `  '${method} ${path}': Operations['${id}']\n`)
  return `/** The schemas of the API by name. */
export interface Schemas {
${named.join('')}}

${families.join('\n')}
/** Every operation by its id. */
export interface Operations extends ServerOperations, ClientOperations, SessionOperations {}

/** Every operation by its method and path. */
export interface Routes {
${routes.join('')}}
`
}

function operationOf(operation: Operation, schemas: Record<string, Schema>): string {
  const { id, summary, deprecated, method, path, pathParameters, queryParameters } = operation
  const list = listOf(operation, schemas)
  const members = [
    `path: ${parametersOf(pathParameters)}`,
    `query: ${parametersOf(queryParameters)}`,
    `body: ${bodyOf(operation)}`,
    `reply: ${replyOf(operation)}`,
    ...(list ? [`row: ${typeOf(list.row, '    ')}`] : []),
  ]
  const doc = docOf({ description: `${summary}: \`${method} ${path}\``, deprecated }, '  ')
  return `${doc}  ${id}: {\n${members.map((member) => `    ${member}\n`).join('')}  }\n`
}

function parametersOf(parameters: Operation['queryParameters']): string {
  if (parameters.length === 0) return 'undefined'
  const members = parameters.map(({ name, required, description, schema = { type: 'string' } }) => {
    const doc = docOf({ description: description ?? schema.description ?? '' }, '      ')
    return `${doc}      ${keyOf(name)}${required ? '' : '?'}: ${typeOf(schema, '      ')}\n`
  })
  return `{\n${members.join('')}    }`
}

function bodyOf({ body }: Operation): string {
  if (body === undefined) return 'undefined'
  if (body.type === 'multipart') return 'FormData'
  return body.isRequired ? typeOf(body.schema, '    ') : `${typeOf(body.schema, '    ')} | undefined`
}

function replyOf({ replies }: Operation): string {
  const types = replies.map(({ content }) => {
    const schema = content?.['application/json']?.schema
    return schema ? typeOf(schema, '    ') : content ? 'Blob' : 'undefined'
  })
  return [...new Set(types)].join(' | ') || 'undefined'
}
