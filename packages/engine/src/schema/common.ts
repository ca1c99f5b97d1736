import { type Static, type TProperties, type TSchema, Type } from 'typebox'

/** An instant in responses: ISO 8601, UTC, milliseconds. */
export const Instant = Type.Unsafe<string>({ type: 'string', format: 'date-time' })
export type Instant = string

/** An instant in requests: any date form that the contract accepts; the service converts it to an `Instant`. */
export const InstantInput = Type.Unsafe<string>({ type: 'string', format: 'date-input' })

export const Name = Type.String({ minLength: 1, maxLength: 255 })
export const FreeText = Type.String({ maxLength: 5_000 })

/** Integers that JSON and JavaScript represent exactly. */
export const Int = (options: { minimum?: number; maximum?: number } = {}) =>
  Type.Integer({ minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER, ...options })

/** One of several strings. */
export function OneOf<const T extends readonly string[]>(values: T) {
  return Type.Unsafe<T[number]>({ type: 'string', enum: [...values] })
}

/** The schema, or null. A single type becomes `['string', 'null']`, which reads and serialises better than a union. */
export function Nullable<T extends TSchema>(schema: T) {
  const { type, ...rest } = schema as TSchema & { type?: unknown; enum?: unknown[] }
  const nullable =
    typeof type === 'string' && !('const' in schema)
      ? { ...rest, type: [type, 'null'], ...(rest.enum === undefined ? {} : { enum: [...rest.enum, null] }) }
      : { anyOf: [schema, { type: 'null' }] }
  return Type.Unsafe<Static<T> | null>(nullable)
}

/** An object with any keys and values of one schema. */
export function MapOf<T extends TSchema>(schema: T) {
  return Type.Unsafe<Record<string, Static<T>>>({ type: 'object', additionalProperties: schema })
}

/**
 * A union discriminated by one property: a wrong value names the field instead of "matches no schema". Each variant is an
 * object whose `tag` property is a `Type.Literal`.
 */
export function variants<const T extends TSchema[]>(tag: string, schemas: T) {
  return Type.Unsafe<Static<T[number]>>({ anyOf: schemas, discriminator: { propertyName: tag } })
}

/** All properties optional: the body of an update. */
export function partial<T extends TProperties>(properties: T) {
  return Type.Partial(Type.Object(properties))
}

/** Custom key/value pairs on almost every resource. */
export const Metadata = Type.Unsafe<Record<string, unknown>>({ type: 'object', additionalProperties: true })

/**
 * On the schema of an object that is checked elsewhere and therefore accepts anything: a schema of the fields that have a meaning,
 * so that the others can be reported (docs/reference/http.md#unknown-fields). A function, because rules contain rules.
 */
export const declaredFields = Symbol('declared fields')

/**
 * On a schema whose values are checked elsewhere: the schema that the OpenAPI document shows in its place, so that readers and
 * generated types see what is accepted. Nothing is validated by it. A function, because rules contain rules.
 */
export const shownAs = Symbol('shown as')

/** An object of any content, of which only these fields have a meaning. The OpenAPI document shows them, unless another form is given. */
export const OpenObject = <T>(
  fields: () => object,
  { shown = fields, ...options }: { shown?: () => object; description?: string } = {},
) =>
  Type.Unsafe<T>({ type: 'object', additionalProperties: true, ...options, [declaredFields]: fields, [shownAs]: shown })

/** Optional, and null means absent: the contract does not distinguish the two. */
export const Maybe = <T extends TSchema>(schema: T) => Type.Optional(Nullable(schema))

/** An amount of money in minor units. */
export const Amount = Int({ minimum: 0 })
