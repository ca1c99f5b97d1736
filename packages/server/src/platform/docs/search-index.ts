import type { OpenapiDocument } from '../../core/http/openapi.ts'
import type { JsonSchema } from '../../core/http/openapi-schema.ts'
import type { RefusalKey } from './errors-page.ts'
import { type Resource, schemaPage } from './outline.ts'
import { answerHeadersOf, headerOf } from './overview-page.ts'
import { type Schemas, shapeOf } from './shape.ts'

/** What search finds: an operation, a parameter or property, a schema, a header or an error key. Short names, as there are thousands. */
interface Entry {
  /** Kind, by the first letter. */
  k: 'o' | 'p' | 's' | 'h' | 'e'
  /** Title. */
  t: string
  /** Where it is. */
  w: string
  /** Address below `/docs/`. */
  u: string
  /** Description. */
  d: string
}

/** Everything that has an address of its own, with the words that describe it. browser/search.js looks through it. */
export function searchIndex(
  document: OpenapiDocument,
  resources: readonly Resource[],
  refusals: readonly RefusalKey[],
): Entry[] {
  const { schemas } = document.components
  const entries: Entry[] = [...headersIn(document)]
  for (const { key, status, words } of refusals)
    entries.push({ k: 'e', t: key, w: `answer ${status}`, u: `errors#${key}`, d: words })
  for (const { page, operations } of resources)
    for (const { operationId, summary, method, path, description = '', parameters, requestBody } of operations) {
      const at = `${page}#${operationId}`
      entries.push({ k: 'o', t: summary, w: `${method} ${path} ${operationId}`, u: at, d: description })
      for (const parameter of parameters)
        if ('name' in parameter)
          entries.push({
            k: 'p',
            t: parameter.name,
            w: `${summary}, ${parameter.in}`,
            u: `${at}.${parameter.in}.${parameter.name}`,
            d: parameter.description ?? '',
          })
      // Named bodies are found as schemas.
      for (const { schema } of Object.values(requestBody?.content ?? {}))
        if (schema.$ref === undefined)
          entries.push(...propertiesOf(schema, `${operationId}.body`, { page, where: summary, schemas }))
    }
  for (const [name, schema] of Object.entries(schemas)) {
    const page = schemaPage(name)
    entries.push({ k: 's', t: name, w: 'Schema', u: page, d: schema.description ?? '' })
    entries.push(...propertiesOf(schema, '', { page, where: name, schemas }))
  }
  return entries
}

/** Headers, which the first page explains. */
function* headersIn(document: OpenapiDocument): Generator<Entry> {
  const { parameters, securitySchemes } = document.components
  for (const [id, { name, description = '' }] of Object.entries(parameters))
    yield { k: 'h', t: name, w: 'of a call', u: `./#header-${id}`, d: description }
  for (const [id, scheme] of Object.entries(securitySchemes))
    yield { k: 'h', t: headerOf(scheme), w: 'credential', u: `./#credential-${id}`, d: scheme.description }
  for (const { id, name, description } of answerHeadersOf(document))
    yield { k: 'h', t: name, w: 'of an answer', u: `./#${id}`, d: description }
}

function* propertiesOf(
  schema: JsonSchema,
  root: string,
  at: { page: string; where: string; schemas: Schemas },
): Generator<Entry> {
  const { properties, choice } = shapeOf(schema, root, at.schemas)
  for (const { name, path, schema: property } of properties) {
    yield { k: 'p', t: name, w: at.where, u: `${at.page}#${path}`, d: property.description ?? '' }
    yield* propertiesOf(property, path, { ...at, where: `${at.where}.${name}` })
  }
  for (const form of choice?.forms ?? [])
    yield* propertiesOf(form.schema, form.path, { ...at, where: `${at.where} ${form.label}` })
}
