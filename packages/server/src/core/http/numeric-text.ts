import { type Static, type TSchema, Type } from 'typebox'
import { variantOf } from '../lib/known-only.ts'
import { forEachInSlices } from '../lib/time-slice.ts'
import { invalidPayload } from './errors.ts'
import { writtenForm } from './json-schema.ts'
import { compileValidator, faultsIn } from './validation.ts'

interface Schema {
  type?: string | string[]
  const?: unknown
  enum?: unknown[]
  properties?: Record<string, Schema>
  additionalProperties?: Schema | boolean
  items?: Schema
  anyOf?: Schema[]
  discriminator?: { propertyName: string }
}

/**
 * The schema of a body whose numbers may also be sent as strings (docs/reference/loyalty-programs.md#conventions): every number of
 * the schema at any depth, except inside metadata. `numbersRead` converts them to numbers and only then checks their bounds.
 */
export const NumericText = <T extends TSchema>(schema: T) =>
  Type.Unsafe<Static<T>>(acceptNumericText(schema as Schema) as T)

/** Converts the numeric strings of a body that matches `NumericText(schema)`; throws 400 for a number out of bounds. */
export function numbersRead<T extends TSchema>(schema: T): (body: Static<T>) => Static<T> {
  const validator = compileValidator(schema)
  return (body) => {
    const converted = withNumbers(schema as Schema, body)
    const faults = validator.faults(converted, { root: 'Payload', required: 'should' })
    if (faults.length > 0) throw invalidPayload(faults)
    return converted as Static<T>
  }
}

/** The same for a long list: it is read in slices, so that other requests have their turn. */
export function listNumbersRead<T extends TSchema>(schema: T): (list: Static<T>[]) => Promise<Static<T>[]> {
  const validator = compileValidator(schema)
  return async (list) => {
    const read: Static<T>[] = []
    await forEachInSlices(list, (item, index) => {
      const converted = withNumbers(schema as Schema, item)
      if (validator.firstError(converted, { root: 'Payload', required: 'should' }) !== null) {
        const [fault] = faultsIn(schema as Schema, converted, `[${index}]`, { root: 'Payload', required: 'should' })
        throw invalidPayload(fault === undefined ? `Property [${index}] is out of bounds` : [fault])
      }
      read.push(converted as Static<T>)
    })
    return read
  }
}

/** JSON Schema applies `pattern` to strings only and bounds to numbers only, so one schema can have both. */
const patterns = { integer: '^[+-]?\\d+(\\.0+)?$', number: '^[+-]?\\d+(\\.\\d+)?$' } as const

const expressions = { integer: new RegExp(patterns.integer), number: new RegExp(patterns.number) } as const

/** For schemas whose text is read by `wholeNumberOf`. */
export const wholeNumberForm = 'A whole number; its text, also with zero decimals (`"25.00"`), is read as one.'

/** The whole number that a text writes, also as a decimal (`"2699.00"`); undefined for any other text. */
export const wholeNumberOf = (text: string): number | undefined =>
  expressions.integer.test(text) ? Number(text) : undefined

const numberType = ({ type }: Schema): keyof typeof patterns | undefined => {
  const types = [type].flat()
  return types.includes('integer') ? 'integer' : types.includes('number') ? 'number' : undefined
}

function acceptNumericText(schema: Schema): Schema {
  const number = numberType(schema)
  if (number !== undefined) {
    if ([schema.type].flat().includes('string')) return schema
    return {
      ...schema,
      type: [...[schema.type as string].flat(), 'string'],
      pattern: patterns[number],
      [writtenForm]: 'A text of digits is read as a number.',
    } as Schema
  }
  const { properties, additionalProperties, items, anyOf } = schema
  return {
    ...schema,
    ...(properties === undefined
      ? {}
      : { properties: copyOf(properties, () => mapValues(properties, acceptNumericText)) }),
    ...(typeof additionalProperties === 'object'
      ? { additionalProperties: acceptNumericText(additionalProperties) }
      : {}),
    ...(items === undefined ? {} : { items: acceptNumericText(items) }),
    ...(anyOf === undefined ? {} : { anyOf: copyOf(anyOf, () => anyOf.map(acceptNumericText)) }),
  }
}

/** Makes one copy per original: the OpenAPI document identifies a schema by the object that holds its properties or variants. */
function copyOf<T extends object>(original: T, make: () => T): T {
  const copy = (copies.get(original) as T | undefined) ?? make()
  copies.set(original, copy).set(copy, copy)
  return copy
}

const copies = new WeakMap<object, object>()

function withNumbers(schema: Schema, value: unknown): unknown {
  if (typeof value === 'string') {
    const number = numberType(schema)
    return number !== undefined && expressions[number].test(value) ? Number(value) : value
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

/** Uses `fromEntries`, because assigning a property named `__proto__` would set the prototype. */
export const mapValues = <T, U>(members: Record<string, T>, each: (member: T, name: string) => U): Record<string, U> =>
  Object.fromEntries(Object.entries(members).map(([name, member]) => [name, each(member, name)]))
