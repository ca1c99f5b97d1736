import type { JsonSchema } from './openapi-schema.ts'

/**
 * A small value that matches a published schema: its first example, otherwise only the required properties.
 * `{ type: 'object', required: ['name'], properties: { name: { type: 'string' } } }` → `{ name: 'string' }`.
 */
export function sampleOf(schema: JsonSchema, components: Readonly<Record<string, JsonSchema>>): unknown {
  if (schema.examples !== undefined) return schema.examples[0]
  if (schema.default !== undefined) return schema.default
  if (schema.const !== undefined) return schema.const
  if (schema.enum !== undefined) return schema.enum[0]
  if (schema.$ref !== undefined) return sampleOf(referred(schema.$ref, components), components)
  if (schema.anyOf !== undefined) return sampleOf(schema.anyOf[0] ?? {}, components)
  switch (Array.isArray(schema.type) ? schema.type[0] : schema.type) {
    case 'object':
      return sampleObject(schema, components)
    case 'array':
      return Array.from({ length: schema.minItems ?? 0 }, () => sampleOf(schema.items ?? {}, components))
    case 'string':
      return sampleTimes[schema.format ?? ''] ?? sampleText(schema)
    case 'integer':
    case 'number':
      return sampleNumber(schema)
    case 'boolean':
      return true
    default:
      return null
  }
}

const sampleTimes: Readonly<Record<string, string>> = { 'date-time': '2026-01-01T00:00:00.000Z', date: '2026-01-01' }

/** The schema that a `$ref` points to. */
export function referred(ref: string, components: Readonly<Record<string, JsonSchema>>): JsonSchema {
  const schema = components[nameIn(ref)]
  if (schema === undefined) throw new Error(`There is no schema ${ref}`)
  return schema
}

/** `#/components/schemas/Category` → `Category`. */
export const nameIn = (ref: string): string => ref.slice(ref.lastIndexOf('/') + 1)

function sampleObject(
  { properties = {}, required = [] }: JsonSchema,
  components: Readonly<Record<string, JsonSchema>>,
): unknown {
  return Object.fromEntries(required.map((name) => [name, sampleOf(properties[name] ?? {}, components)]))
}

function sampleText({ minLength = 0, maxLength = Number.POSITIVE_INFINITY }: JsonSchema): string {
  return 'string'.padEnd(minLength, '…').slice(0, Math.max(minLength, Math.min(maxLength, 1_000)))
}

/** Zero if it is within bounds, otherwise the bound nearest to zero. */
function sampleNumber({ minimum, maximum, exclusiveMinimum, exclusiveMaximum }: JsonSchema): number {
  const least = minimum ?? (exclusiveMinimum === undefined ? Number.NEGATIVE_INFINITY : exclusiveMinimum + 1)
  const most = maximum ?? (exclusiveMaximum === undefined ? Number.POSITIVE_INFINITY : exclusiveMaximum - 1)
  return Math.min(Math.max(0, least), most)
}
