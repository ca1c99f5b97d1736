import type { TSchema } from 'typebox'

interface Schema {
  const?: unknown
  enum?: unknown[]
  properties?: Record<string, Schema>
  items?: Schema
  anyOf?: Schema[]
  discriminator?: { propertyName: string }
}

/**
 * Removes, at every depth, the properties of a valid value that the schema does not declare and those that are null: a request
 * body in the form in which it is stored. For `variants`, the tag of the value selects the schema.
 */
export const knownOnly = <T>(schema: TSchema, value: T): T => withoutUnknown(schema as Schema, value) as T

function withoutUnknown(schema: Schema, value: unknown): unknown {
  const { properties, items, anyOf } = schema
  if (Array.isArray(value)) return items === undefined ? value : value.map((item) => withoutUnknown(items, item))
  if (typeof value !== 'object' || value === null) return value
  if (anyOf !== undefined) {
    const variant = variantOf(schema, value)
    return variant === undefined ? value : withoutUnknown(variant, value)
  }
  if (properties === undefined) return value
  return Object.fromEntries(
    Object.entries(properties).flatMap(([name, each]) => {
      const member = (value as Record<string, unknown>)[name]
      return member == null ? [] : [[name, withoutUnknown(each, member)]]
    }),
  )
}

/** The variant that the tag of an object selects; without a discriminator, the first. */
export function variantOf<S extends Schema>({ anyOf = [], discriminator }: S, value: object): Schema | undefined {
  return discriminator === undefined ? anyOf[0] : anyOf.find((variant) => matchesTag(variant, discriminator, value))
}

function matchesTag({ properties }: Schema, { propertyName }: { propertyName: string }, value: object): boolean {
  const tag = properties?.[propertyName]
  const tagValue = (value as Record<string, unknown>)[propertyName]
  return tag?.const === tagValue || (tag?.enum?.includes(tagValue) ?? false)
}
