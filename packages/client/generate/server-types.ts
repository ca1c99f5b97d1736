import { catalogue, webhookTypes } from '../../server/src/core/events/catalogue.ts'
import * as shapes from '../../server/src/core/events/shapes.ts'
import { errorKeys } from '../../server/src/core/http/errors.ts'
import { type Schema, typeOf } from './schema-types.ts'

/** src/generated/webhook-data.ts: what each event carries (docs/reference/events.md#what-webhook-types-carry). */
export function webhookDataTypes(): string {
  // Sorted, since runtimes differ in the order of a module's exports.
  const named = Object.entries(shapes as unknown as Record<string, Schema>)
    .filter(([, { properties, anyOf }]) => properties ?? anyOf)
    .sort(([one], [other]) => (one < other ? -1 : 1))
  const names = new Map(named.map(([name, schema]) => [membersOf(schema), name]))
  const definitions = named.map(([name, schema]) => `  ${name}: ${typeOf(withNames(schema, names, true), '  ')}\n`)
  const entries = webhookTypes.map(
    (type) => `  '${type}': ${typeOf(withNames(catalogue[type].data as Schema, names), '  ')}\n`,
  )
  return `/** The short forms of objects in events. */
export interface EventShapes {
${definitions.join('')}}

/** The data of an event that a webhook sends, by its type. */
export interface WebhookData {
${entries.join('')}}
`
}

/** The schema with references where it repeats a named one, so that each shape is written once. */
function withNames(schema: Schema, names: ReadonlyMap<string, string>, isDefinition = false): Schema {
  const name = isDefinition ? undefined : names.get(membersOf(schema))
  if (name !== undefined) {
    const reference = { $ref: `#/EventShapes/${name}` }
    return Array.isArray(schema.type) ? { anyOf: [reference, { type: 'null' }] } : reference
  }
  const inside = (inner: Schema) => withNames(inner, names)
  return {
    ...schema,
    ...(schema.anyOf && { anyOf: schema.anyOf.map(inside) }),
    ...(schema.items && { items: inside(schema.items) }),
    ...(schema.properties && {
      properties: Object.fromEntries(Object.entries(schema.properties).map(([key, value]) => [key, inside(value)])),
    }),
  }
}

/** What makes two objects the same shape, whether one of them may be null or not. */
const membersOf = ({ properties, required, anyOf }: Schema): string => JSON.stringify([properties, required, anyOf])

/** src/generated/error-keys.ts: docs/reference/errors.md#keys. */
export function errorKeyType(): string {
  return `/** Every key that the service refuses with. */
export type ErrorKey =
${errorKeys.map((key) => `  | '${key}'\n`).join('')}`
}
