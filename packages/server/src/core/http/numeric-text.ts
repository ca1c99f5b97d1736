import { type Static, type TSchema, Type } from 'typebox'
import { variantOf } from '../lib/known-only.ts'
import { invalidPayload } from './errors.ts'
import { compileValidator } from './validation.ts'

interface Schema {
  type?: string | string[]
  const?: unknown
  enum?: unknown[]
  properties?: Record<string, Schema>
  additionalProperties?: Schema | boolean
  items?: Schema
  anyOf?: Schema[]
  discriminator?: { propertyName: string }
  description?: string
}

/**
 * The schema of a body whose numbers may also come as text (docs/reference/loyalty-programs.md#conventions): every number of the
 * schema at any depth, but not those inside of metadata. `numbersRead` makes numbers of them, and only then knows whether they
 * are within bounds.
 */
export const NumericText = <T extends TSchema>(schema: T) => Type.Unsafe<Static<T>>(takingText(schema as Schema) as T)

/** Reads a body that fits `NumericText(schema)`: with numbers where there was text. Refuses what is out of bounds. */
export function numbersRead<T extends TSchema>(schema: T): (sent: Static<T>) => Static<T> {
  const shape = compileValidator(schema)
  return (sent) => {
    const read = withNumbers(schema as Schema, sent)
    const fault = shape.fault(read, { root: 'Payload', required: 'should' })
    if (fault !== null) throw invalidPayload(fault)
    return read as Static<T>
  }
}

/** Patterns of JSON Schema are about text only, as bounds are about numbers only: both can stand in one schema. */
const patterns = { integer: '^[+-]?\\d+$', number: '^[+-]?\\d+(\\.\\d+)?$' } as const

const numberType = ({ type }: Schema): keyof typeof patterns | undefined => {
  const types = [type].flat()
  return types.includes('integer') ? 'integer' : types.includes('number') ? 'number' : undefined
}

function takingText(schema: Schema): Schema {
  const number = numberType(schema)
  if (number !== undefined) {
    if ([schema.type].flat().includes('string')) return schema
    const { description = 'A text of digits is read as a number.' } = schema
    return {
      ...schema,
      type: [...[schema.type as string].flat(), 'string'],
      pattern: patterns[number],
      description,
    } as Schema
  }
  const { properties, additionalProperties, items, anyOf } = schema
  return {
    ...schema,
    ...(properties === undefined ? {} : { properties: copyOf(properties, () => mapValues(properties, takingText)) }),
    ...(typeof additionalProperties === 'object' ? { additionalProperties: takingText(additionalProperties) } : {}),
    ...(items === undefined ? {} : { items: takingText(items) }),
    ...(anyOf === undefined ? {} : { anyOf: copyOf(anyOf, () => anyOf.map(takingText)) }),
  }
}

/** One copy of each: the documentation knows a schema by the object that holds its properties or variants. */
function copyOf<T extends object>(original: T, make: () => T): T {
  const copy = (copies.get(original) as T | undefined) ?? make()
  copies.set(original, copy).set(copy, copy)
  return copy
}

const copies = new WeakMap<object, object>()

function withNumbers(schema: Schema, value: unknown): unknown {
  if (typeof value === 'string') {
    const number = numberType(schema)
    return number !== undefined && new RegExp(patterns[number]).test(value) ? Number(value) : value
  }
  if (typeof value !== 'object' || value === null) return value
  const { properties, additionalProperties, items, anyOf } = schema
  if (anyOf !== undefined) {
    const variant = variantOf(schema, value)
    return variant === undefined ? value : withNumbers(variant, value)
  }
  if (Array.isArray(value)) return items === undefined ? value : value.map((item) => withNumbers(items, item))
  const others = typeof additionalProperties === 'object' ? additionalProperties : undefined
  return mapValues(value as Record<string, unknown>, (member, name) => {
    const each = properties !== undefined && Object.hasOwn(properties, name) ? properties[name] : others
    return each === undefined ? member : withNumbers(each, member)
  })
}

/** `fromEntries` and not an assignment: `__proto__` is a name like any other. */
export const mapValues = <T, U>(members: Record<string, T>, each: (member: T, name: string) => U): Record<string, U> =>
  Object.fromEntries(Object.entries(members).map(([name, member]) => [name, each(member, name)]))
