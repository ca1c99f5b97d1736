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
 * What a schema knows of a value that fits it, at every depth, and of that only what is not null: what somebody sent, as it
 * is stored. Of `variants` it is the one that the value says it is.
 */
export const knownOnly = <T>(schema: TSchema, value: T): T => known(schema as Schema, value) as T

function known(schema: Schema, value: unknown): unknown {
  const { properties, items, anyOf } = schema
  if (Array.isArray(value)) return items === undefined ? value : value.map((item) => known(items, item))
  if (typeof value !== 'object' || value === null) return value
  if (anyOf !== undefined) {
    const variant = variantOf(schema, value)
    return variant === undefined ? value : known(variant, value)
  }
  if (properties === undefined) return value
  return Object.fromEntries(
    Object.entries(properties).flatMap(([name, each]) => {
      const member = (value as Record<string, unknown>)[name]
      return member == null ? [] : [[name, known(each, member)]]
    }),
  )
}

/** Which of its variants an object says it is; where nothing tells them apart, the first. */
export function variantOf<S extends Schema>({ anyOf = [], discriminator }: S, value: object): Schema | undefined {
  return discriminator === undefined ? anyOf[0] : anyOf.find((one) => isMeant(one, discriminator, value))
}

function isMeant({ properties }: Schema, { propertyName }: { propertyName: string }, value: object): boolean {
  const tag = properties?.[propertyName]
  const said = (value as Record<string, unknown>)[propertyName]
  return tag?.const === said || (tag?.enum?.includes(said) ?? false)
}
