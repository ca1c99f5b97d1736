import { isIP } from 'node:net'
import { readDuration } from '@guerdon/engine'
import type { TSchema } from 'typebox'
import { Compile } from 'typebox/compile'
import Format from 'typebox/format'
import { Hashing } from 'typebox/system'
import { parseInstant } from '../lib/instant.ts'
import { isTimezone } from '../lib/timezone.ts'

/** The subset of JSON Schema that our schemas use. */
interface Schema {
  type?: string | string[]
  const?: unknown
  enum?: unknown[]
  anyOf?: Schema[]
  discriminator?: { propertyName: string }
  properties?: Record<string, Schema>
  required?: string[]
  additionalProperties?: Schema | boolean
  items?: Schema
  minItems?: number
  maxItems?: number
  uniqueItems?: boolean
  minLength?: number
  maxLength?: number
  pattern?: string
  format?: string
  minimum?: number
  maximum?: number
  exclusiveMinimum?: number
  exclusiveMaximum?: number
  default?: unknown
}

/**
 * The wording of an error: the name of the root, and the verb for a missing property
 * (docs/reference/errors.md#messages-about-input).
 */
export interface Wording {
  root: 'Payload' | 'Query' | 'Facts'
  required: 'should' | 'must'
}

export interface Validator {
  /** The message of the first error, or null when the value is valid. */
  firstError(value: unknown, wording: Wording): string | null
  /** Converts the dates inside a valid value to instants, in place, and returns the value. */
  normalise(value: unknown): unknown
  /** Converts the strings of a parsed query to numbers, booleans, dates and lists as the schema declares. */
  coerce(value: unknown): unknown
}

const currencies = new Set(Intl.supportedValuesOf('currency'))

/** Our formats (`InstantInput` and others), for the compiled check. */
const formats: Record<string, { test(text: string): boolean; message: string }> = {
  'date-input': {
    test: (text) => parseInstant(text) !== null,
    message: 'cannot be recognized as a ISO-8601 compliant date',
  },
  'day-input': {
    test: (text) => /^(?!0000)\d{4}-/.test(text) && parseInstant(text) !== null,
    message: 'cannot be recognized as a ISO-8601 compliant date',
  },
  duration: { test: (text) => readDuration(text) !== null, message: 'must be an ISO 8601 duration' },
  email: { test: (text) => /^[^\s@]+@[^\s@]+$/.test(text), message: 'must be a valid email' },
  url: { test: isWebAddress, message: 'must be a valid URL' },
  timezone: { test: isTimezone, message: 'must be an IANA time zone name or GMT±HH:MM' },
  currency: { test: (text) => currencies.has(text), message: 'must be an ISO 4217 currency code' },
  address: { test: isAddressRange, message: 'must be an IP address or a CIDR range' },
}
for (const [name, { test }] of Object.entries(formats)) Format.Set(name, test)

/**
 * Compiles the schema on first use: most operations of an installation are never called. A valid value costs one generated
 * check; only an invalid one is traversed to find the error to report: required properties first, then properties in schema
 * order, depth first.
 */
export function compileValidator(schema: TSchema): Validator {
  const plain = schema as Schema
  let check: ReturnType<typeof Compile> | undefined
  const normalise = dateNormaliser(plain)
  return {
    firstError(value, wording) {
      check ??= Compile(schema)
      if (check.Check(value)) return null
      return firstError(plain, value, '', wording) ?? `${wording.root} does not have the required shape`
    },
    normalise: normalise === null ? (value) => value : normalise,
    coerce: (value) => coerce(plain, value),
  }
}

/** The first error of a value against a schema, or null. Exported for the property test that it agrees with the compiled check. */
export function firstError(schema: Schema, value: unknown, path: string, wording: Wording): string | null {
  const where = path === '' ? wording.root : `Property ${path}`
  if (schema.anyOf !== undefined) return errorInUnion(schema, value, path, wording)
  if (schema.type !== undefined) {
    const types = [schema.type].flat()
    if (!types.some((type) => hasType(value, type))) return `${where} must be ${types.join(',')}`
    if (value === null) return null
  }
  if ('const' in schema && value !== schema.const)
    return `${where} must be equal to one of the allowed values [ ${schema.const} ]`
  if (schema.enum !== undefined && !schema.enum.includes(value))
    return `${where} must be equal to one of the allowed values [ ${schema.enum.filter((word) => word !== null).join(', ')} ]`
  if (typeof value === 'string') return errorInText(schema, value, where)
  if (typeof value === 'number') return errorInNumber(schema, value, where)
  if (Array.isArray(value)) return errorInList(schema, value, path, where, wording)
  if (typeof value === 'object' && value !== null)
    return errorInObject(schema, value as Record<string, unknown>, path, where, wording)
  return null
}

function errorInObject(
  schema: Schema,
  value: Record<string, unknown>,
  path: string,
  where: string,
  wording: Wording,
): string | null {
  for (const name of schema.required ?? []) {
    if (value[name] === undefined || !Object.hasOwn(value, name))
      return `${where} ${wording.required} have required property '${name}'`
  }
  const properties = schema.properties ?? {}
  for (const [name, property] of Object.entries(properties)) {
    if (!Object.hasOwn(value, name) || value[name] === undefined) continue
    const error = firstError(property, value[name], `${path}.${name}`, wording)
    if (error !== null) return error
  }
  if (typeof schema.additionalProperties !== 'object') return null
  for (const name of Object.keys(value)) {
    if (Object.hasOwn(properties, name)) continue
    const error = firstError(schema.additionalProperties, value[name], `${path}.${name}`, wording)
    if (error !== null) return error
  }
  return null
}

function errorInList(schema: Schema, value: unknown[], path: string, where: string, wording: Wording): string | null {
  if (schema.minItems !== undefined && value.length < schema.minItems)
    return `${where} must NOT have fewer than ${schema.minItems} items`
  if (schema.maxItems !== undefined && value.length > schema.maxItems)
    return `${where} must NOT have more than ${schema.maxItems} items`
  if (schema.uniqueItems && new Set(value.map((item) => Hashing.Hash(item))).size < value.length)
    return `${where} must NOT have duplicate items`
  if (schema.items === undefined) return null
  for (const [index, item] of value.entries()) {
    const error = firstError(schema.items, item, `${path}[${index}]`, wording)
    if (error !== null) return error
  }
  return null
}

function errorInText(schema: Schema, value: string, where: string): string | null {
  const length = [...value].length
  if (schema.minLength !== undefined && length < schema.minLength)
    return `${where} must NOT have fewer than ${schema.minLength} characters`
  if (schema.maxLength !== undefined && length > schema.maxLength)
    return `${where} must NOT have more than ${schema.maxLength} characters`
  if (schema.format !== undefined && formats[schema.format]?.test(value) === false)
    return `${where} ${formats[schema.format]?.message}`
  if (schema.pattern !== undefined && !new RegExp(schema.pattern, 'u').test(value))
    return `${where} must match pattern ${schema.pattern}`
  return null
}

function errorInNumber(schema: Schema, value: number, where: string): string | null {
  if (schema.minimum !== undefined && value < schema.minimum) return `${where} must be >= ${schema.minimum}`
  if (schema.maximum !== undefined && value > schema.maximum) return `${where} must be <= ${schema.maximum}`
  if (schema.exclusiveMinimum !== undefined && value <= schema.exclusiveMinimum)
    return `${where} must be > ${schema.exclusiveMinimum}`
  if (schema.exclusiveMaximum !== undefined && value >= schema.exclusiveMaximum)
    return `${where} must be < ${schema.exclusiveMaximum}`
  return null
}

function errorInUnion(schema: Schema, value: unknown, path: string, wording: Wording): string | null {
  const where = path === '' ? wording.root : `Property ${path}`
  const choices = schema.anyOf ?? []
  const tag = schema.discriminator?.propertyName
  if (tag !== undefined) return errorInVariant(choices, tag, value, path, where, wording)
  const matchingChoices = choices.filter((choice) => typesOf(choice).some((type) => hasType(value, type)))
  if (matchingChoices.length === 0) return `${where} must be ${[...new Set(choices.flatMap(typesOf))].join(',')}`
  let first: string | null = null
  for (const choice of matchingChoices) {
    const error = firstError(choice, value, path, wording)
    if (error === null) return null
    first ??= error
  }
  return first
}

function errorInVariant(
  choices: Schema[],
  tag: string,
  value: unknown,
  path: string,
  where: string,
  wording: Wording,
): string | null {
  if (!hasType(value, 'object')) return `${where} must be object`
  const tagValue = (value as Record<string, unknown>)[tag]
  if (tagValue === undefined) return `${where} ${wording.required} have required property '${tag}'`
  const words = (choice: Schema): unknown[] => {
    const property = choice.properties?.[tag]
    return property?.enum ?? [property?.const]
  }
  const choice = choices.find((candidate) => words(candidate).includes(tagValue))
  if (choice === undefined)
    return `Property ${path}.${tag} must be equal to one of the allowed values [ ${choices.flatMap(words).join(', ')} ]`
  return firstError(choice, value, path, wording)
}

function typesOf(schema: Schema): string[] {
  if (schema.anyOf !== undefined) return schema.anyOf.flatMap(typesOf)
  if (schema.type !== undefined) return [schema.type].flat()
  if ('const' in schema) return [schema.const === null ? 'null' : typeof schema.const]
  return ['string', 'number', 'boolean', 'object', 'array', 'null']
}

function hasType(value: unknown, type: string): boolean {
  switch (type) {
    case 'null':
      return value === null
    case 'array':
      return Array.isArray(value)
    case 'object':
      return typeof value === 'object' && value !== null && !Array.isArray(value)
    case 'integer':
      return Number.isInteger(value)
    case 'number':
      return Number.isFinite(value)
    default:
      return typeof value === type
  }
}

type Normaliser = (value: unknown) => unknown

/** A function that converts the dates a schema declares, or null when it declares none, so that values need no traversal. */
function dateNormaliser(schema: Schema): Normaliser | null {
  if (schema.format === 'date-input')
    return (value) => (typeof value === 'string' ? (parseInstant(value) ?? value) : value)
  if (schema.format === 'day-input') return (value) => (typeof value === 'string' ? value.slice(0, 10) : value)
  if (schema.anyOf !== undefined) return unionNormaliser(schema.anyOf)
  if (schema.items !== undefined) {
    const item = dateNormaliser(schema.items)
    return item === null ? null : (value) => (Array.isArray(value) ? value.map((element) => item(element)) : value)
  }
  const properties = new Map<string, Normaliser>()
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    const normaliser = dateNormaliser(property)
    if (normaliser !== null) properties.set(name, normaliser)
  }
  const others = typeof schema.additionalProperties === 'object' ? dateNormaliser(schema.additionalProperties) : null
  if (properties.size === 0 && others === null) return null
  return (value) => {
    if (!hasType(value, 'object')) return value
    const object = value as Record<string, unknown>
    for (const name of others === null ? properties.keys() : Object.keys(object)) {
      if (!Object.hasOwn(object, name)) continue
      const normaliser = properties.get(name) ?? (Object.hasOwn(schema.properties ?? {}, name) ? null : others)
      if (normaliser !== null) object[name] = normaliser(object[name])
    }
    return object
  }
}

/**
 * Applies only the variant that the value matches: a date in one variant may be plain text in another. Usually the type of the
 * value identifies the variant.
 */
function unionNormaliser(choices: Schema[]): Normaliser | null {
  const normalisers = choices.map(dateNormaliser)
  if (normalisers.every((normaliser) => normaliser === null)) return null
  const types = choices.map(typesOf)
  const wording: Wording = { root: 'Payload', required: 'should' }
  return (value) => {
    const possible = [...choices.keys()].filter((at) => types[at]?.some((type) => hasType(value, type)))
    const chosen =
      possible.length === 1
        ? possible[0]
        : possible.find((at) => firstError(choices[at] as Schema, value, '', wording) === null)
    return (chosen === undefined ? null : normalisers[chosen])?.(value) ?? value
  }
}

function coerce(schema: Schema, value: unknown): unknown {
  if (value === undefined) return schema.default
  if (schema.format === 'binary') return value // the bytes of a part (core/http/multipart.ts)
  const types = typesOf(schema)
  if (types.includes('object') && schema.properties !== undefined) {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
    const result: Record<string, unknown> = {}
    for (const [name, property] of Object.entries(schema.properties)) {
      const coerced = coerce(property, (value as Record<string, unknown>)[name])
      if (coerced !== undefined) result[name] = coerced
    }
    return result
  }
  if (types.includes('array'))
    return listOfText(value).map((item) => (schema.items === undefined ? item : coerce(schema.items, item)))
  if (typeof value !== 'string') return value
  if ((types.includes('integer') || types.includes('number')) && /^[+-]?\d+(\.\d+)?$/.test(value)) return Number(value)
  if (types.includes('boolean') && /^(true|false)$/i.test(value)) return value.toLowerCase() === 'true'
  if (schema.format === 'date-input') return parseInstant(value) ?? value
  return value
}

/** `x=a`, `x=a&x=b`, and `x[0]=a&x[1]=b` are all lists where a list is expected. */
function listOfText(value: unknown): unknown[] {
  if (Array.isArray(value)) return value
  if (typeof value !== 'object' || value === null) return [value]
  return Object.entries(value)
    .sort(([a], [b]) => Number(a) - Number(b))
    .map(([, item]) => item)
}

function isWebAddress(text: string): boolean {
  return /^https?:\/\/\S+$/i.test(text) && URL.canParse(text)
}

function isAddressRange(text: string): boolean {
  const [address = '', bits, ...more] = text.split('/')
  const version = isIP(address)
  // A zone, as in `fe80::1%eth0`, refers to a network interface of the caller's machine, not of ours.
  if (version === 0 || address.includes('%') || more.length > 0) return false
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128))
}
