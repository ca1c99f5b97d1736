import { isIP } from 'node:net'
import { readDuration } from '@guerdon/engine'
import type { TSchema } from 'typebox'
import { Compile } from 'typebox/compile'
import Format from 'typebox/format'
import { Hashing } from 'typebox/system'
import { isHostName } from '../lib/host-name.ts'
import { parseInstant } from '../lib/instant.ts'
import { limits } from '../lib/limits.ts'
import { isTimezone } from '../lib/timezone.ts'
import { isMailAddress } from '../mail/address.ts'
import type { Fault } from './errors.ts'
import { hasType, type Schema, typesOf } from './json-schema.ts'
import { shortName, type UnknownField, unknownFieldFinder } from './unknown-fields.ts'

/**
 * The wording of an error: the name of the root, and the verb for a missing property
 * (docs/reference/errors.md#messages-about-input).
 */
export interface Wording {
  root: 'Payload' | 'Query' | 'Facts'
  required: 'should' | 'must'
}

export interface Validator {
  /** All faults of the value, up to `listed_faults_max`; empty when it is valid. */
  faults(value: unknown, wording: Wording): Fault[]
  /** The message of the first fault, or null when the value is valid. */
  firstError(value: unknown, wording: Wording): string | null
  /** The fields of the value, valid or not, that the schema does not declare, up to `listed_faults_max`. */
  unknownFields(value: unknown): UnknownField[]
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
  email: { test: isMailAddress, message: 'must be a valid email' },
  url: { test: isWebAddress, message: 'must be a valid URL' },
  'url-or-host': {
    test: (text) => isHostName(text) || (isWebAddress(text) && isPlain(text)),
    message: 'must be a valid URL or a host name',
  },
  timezone: { test: isTimezone, message: 'must be an IANA time zone name or GMT±HH:MM' },
  currency: { test: (text) => currencies.has(text), message: 'must be an ISO 4217 currency code' },
  address: { test: isAddressRange, message: 'must be an IP address or a CIDR range' },
}
for (const [name, { test }] of Object.entries(formats)) Format.Set(name, test)

/**
 * Compiles the schema on first use: most operations of an installation are never called. A valid value costs one generated
 * check; only an invalid one is traversed to find its faults: required properties first, then properties in schema order, depth
 * first.
 */
export function compileValidator(schema: TSchema): Validator {
  const plain = schema as Schema
  let check: ReturnType<typeof Compile> | undefined
  const normalise = dateNormaliser(plain)
  const find = (value: unknown, wording: Wording, countMax: number): Fault[] => {
    check ??= Compile(schema)
    if (check.Check(value)) return []
    const faults: Fault[] = []
    for (const fault of faultsIn(plain, value, '', wording)) {
      faults.push(fault)
      if (faults.length === countMax) break
    }
    return faults.length > 0 ? faults : [{ path: '', details: `${wording.root} does not have the required shape` }]
  }
  return {
    faults: (value, wording) => find(value, wording, limits.listed_faults_max),
    firstError: (value, wording) => find(value, wording, 1)[0]?.details ?? null,
    unknownFields: unknownFieldFinder(plain),
    normalise: normalise === null ? (value) => value : normalise,
    coerce: (value) => coerce(plain, value),
  }
}

/**
 * The faults of a value against a schema, found one by one as they are asked for. Exported for the property test that it agrees
 * with the compiled check.
 */
export function* faultsIn(schema: Schema, value: unknown, path: string, wording: Wording): Generator<Fault, void> {
  if (schema.anyOf !== undefined) {
    yield* faultsInUnion(schema, value, path, wording)
    return
  }
  const message = errorInValue(schema, value)
  if (message !== null) yield { path, details: `${placeOf(path, wording)} ${message}${minorUnitsHint(path, value)}` }
  else if (Array.isArray(value)) yield* faultsInList(schema, value, path, wording)
  else if (typeof value === 'object' && value !== null)
    yield* faultsInObject(schema, value as Record<string, unknown>, path, wording)
}

/** For an amount that was sent as `19.99` where 1999 is meant. */
export function minorUnitsHint(path: string, sent: unknown): string {
  const number = typeof sent === 'string' && /^\d{1,12}\.\d{1,2}$/.test(sent) ? Number(sent) : sent
  if (!amountPath.test(path) || typeof number !== 'number' || !Number.isFinite(number) || Number.isInteger(number))
    return ''
  const cents = Math.round(number * 100)
  const isMeant = Number.isSafeInteger(cents) && Math.abs(cents - number * 100) < 1e-6
  return `: amounts are in minor units${isMeant ? `, so ${number} is sent as ${cents}` : ''}`
}

/** `.order.amount`, `.order.items[0].price`, `.discount.amount_off` */
const amountPath = /(?:^|[._])(?:amount|price)(?:_off|_limit)?$/

const placeOf = (path: string, { root }: Wording): string => (path === '' ? root : `Property ${path}`)

const missingProperty = (path: string, name: string, wording: Wording): Fault => ({
  path: `${path}.${name}`,
  details: `${placeOf(path, wording)} ${wording.required} have required property '${name}'`,
})

/** What is wrong with the value itself, not with what it contains. */
function errorInValue(schema: Schema, value: unknown): string | null {
  if (schema.type !== undefined) {
    const types = [schema.type].flat()
    if (!types.some((type) => hasType(value, type))) return `must be ${types.join(',')}`
    if (value === null) return null
  }
  if ('const' in schema && value !== schema.const)
    return `must be equal to one of the allowed values [ ${schema.const} ]`
  if (schema.enum !== undefined && !schema.enum.includes(value))
    return `must be equal to one of the allowed values [ ${schema.enum.filter((word) => word !== null).join(', ')} ]`
  if (typeof value === 'string') return errorInText(schema, value)
  return typeof value === 'number' ? errorInNumber(schema, value) : null
}

function* faultsInObject(
  schema: Schema,
  value: Record<string, unknown>,
  path: string,
  wording: Wording,
): Generator<Fault, void> {
  for (const name of schema.required ?? [])
    if (value[name] === undefined || !Object.hasOwn(value, name)) yield missingProperty(path, name, wording)
  const properties = schema.properties ?? {}
  for (const [name, property] of Object.entries(properties))
    if (Object.hasOwn(value, name) && value[name] !== undefined)
      yield* faultsIn(property, value[name], `${path}.${name}`, wording)
  if (typeof schema.additionalProperties !== 'object') return
  for (const name of Object.keys(value))
    if (!Object.hasOwn(properties, name))
      yield* faultsIn(schema.additionalProperties, value[name], `${path}.${shortName(name)}`, wording)
}

function* faultsInList(schema: Schema, value: unknown[], path: string, wording: Wording): Generator<Fault, void> {
  const fault = (message: string): Fault => ({ path, details: `${placeOf(path, wording)} ${message}` })
  if (schema.minItems !== undefined && value.length < schema.minItems)
    yield fault(`must NOT have fewer than ${schema.minItems} items`)
  // A list that is too long is not searched for duplicates: hashing each item takes long.
  if (schema.maxItems !== undefined && value.length > schema.maxItems)
    yield fault(`must NOT have more than ${schema.maxItems} items`)
  else if (schema.uniqueItems && new Set(value.map((item) => Hashing.Hash(item))).size < value.length)
    yield fault('must NOT have duplicate items')
  if (schema.items === undefined) return
  for (const [index, item] of value.entries()) yield* faultsIn(schema.items, item, `${path}[${index}]`, wording)
}

function errorInText(schema: Schema, value: string): string | null {
  if (schema.minLength !== undefined && !hasCharacters(value, schema.minLength))
    return `must NOT have fewer than ${schema.minLength} characters`
  if (schema.maxLength !== undefined && hasCharacters(value, schema.maxLength + 1))
    return `must NOT have more than ${schema.maxLength} characters`
  const format = schema.format === undefined ? undefined : formats[schema.format]
  if (format?.test(value) === false) return format.message
  if (schema.pattern !== undefined && !new RegExp(schema.pattern, 'u').test(value))
    return `must match pattern ${schema.pattern}`
  return null
}

/** Whether a text has at least so many characters (code points); one that is far longer is not counted to its end. */
function hasCharacters(text: string, count: number): boolean {
  if (text.length < count) return false
  return text.length >= 2 * count || [...text].length >= count
}

function errorInNumber(schema: Schema, value: number): string | null {
  if (schema.minimum !== undefined && value < schema.minimum) return `must be >= ${schema.minimum}`
  if (schema.maximum !== undefined && value > schema.maximum) return `must be <= ${schema.maximum}`
  if (schema.exclusiveMinimum !== undefined && value <= schema.exclusiveMinimum)
    return `must be > ${schema.exclusiveMinimum}`
  if (schema.exclusiveMaximum !== undefined && value >= schema.exclusiveMaximum)
    return `must be < ${schema.exclusiveMaximum}`
  return null
}

/** The faults against the first choice of the value's type, unless the value is valid for another. */
function* faultsInUnion(schema: Schema, value: unknown, path: string, wording: Wording): Generator<Fault, void> {
  const choices = schema.anyOf ?? []
  const tag = schema.discriminator?.propertyName
  if (tag !== undefined) {
    yield* faultsInVariant(choices, tag, value, path, wording)
    return
  }
  const matchingChoices = choices.filter((choice) => typesOf(choice).some((type) => hasType(value, type)))
  const [first] = matchingChoices
  if (first === undefined) {
    const types = [...new Set(choices.flatMap(typesOf))].join(',')
    yield { path, details: `${placeOf(path, wording)} must be ${types}${minorUnitsHint(path, value)}` }
  } else if (!matchingChoices.some((choice) => isValidFor(choice, value))) yield* faultsIn(first, value, path, wording)
}

const isValidFor = (schema: Schema, value: unknown): boolean =>
  faultsIn(schema, value, '', { root: 'Payload', required: 'should' }).next().done === true

function* faultsInVariant(
  choices: Schema[],
  tag: string,
  value: unknown,
  path: string,
  wording: Wording,
): Generator<Fault, void> {
  const words = (choice: Schema): unknown[] => {
    const property = choice.properties?.[tag]
    return property?.enum ?? [property?.const]
  }
  const tagValue = hasType(value, 'object') ? (value as Record<string, unknown>)[tag] : undefined
  const choice = choices.find((candidate) => words(candidate).includes(tagValue))
  if (choice !== undefined) yield* faultsIn(choice, value, path, wording)
  else if (!hasType(value, 'object')) yield { path, details: `${placeOf(path, wording)} must be object` }
  else if (tagValue === undefined) yield missingProperty(path, tag, wording)
  else {
    const allowed = choices.flatMap(words).join(', ')
    const at = `${path}.${tag}`
    yield { path: at, details: `Property ${at} must be equal to one of the allowed values [ ${allowed} ]` }
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
  return (value) => {
    const possible = [...choices.keys()].filter((at) => types[at]?.some((type) => hasType(value, type)))
    const chosen = possible.length === 1 ? possible[0] : possible.find((at) => isValidFor(choices[at] as Schema, value))
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
      const member = (value as Record<string, unknown>)[name]
      const coerced = coerce(property, member === '' && !acceptsEmptyText(property) ? undefined : member)
      if (coerced !== undefined) result[name] = coerced
    }
    return result
  }
  if (types.includes('array'))
    return listOfText(value).map((item) => (schema.items === undefined ? item : coerce(schema.items, item)))
  if (typeof value !== 'string') return value
  if ((types.includes('integer') || types.includes('number')) && /^[+-]?\d+(\.\d+)?$/.test(value)) return Number(value)
  if (types.includes('boolean') && /^(true|false|[01])$/i.test(value))
    return value === '1' || value.toLowerCase() === 'true'
  if (schema.format === 'date-input') return parseInstant(value) ?? value
  return value
}

/**
 * Whether an empty value can be meant: that of a plain text or of a list. `start_date=` and `limit=` are fields of a form that
 * was not filled in.
 */
function acceptsEmptyText(schema: Schema): boolean {
  if (schema.anyOf !== undefined) return schema.anyOf.some(acceptsEmptyText)
  const types = typesOf(schema)
  if (types.includes('array')) return true
  const { format, enum: words, minLength = 0 } = schema
  return types.includes('string') && format === undefined && words === undefined && minLength === 0
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

/**
 * For URLs that people see and pages may show: no quotes and brackets, which would end an attribute of HTML, no invisible
 * characters, and no user before the host, with which `https://shop.example@evil.test` looks like one of the shop.
 */
const isPlain = (url: string): boolean => !/["'`<>\\\p{C}]/u.test(url) && !/^https?:\/\/[^/?#]*@/i.test(url)

function isAddressRange(text: string): boolean {
  const [address = '', bits, ...more] = text.split('/')
  const version = isIP(address)
  // A zone, as in `fe80::1%eth0`, refers to a network interface of the caller's machine, not of ours.
  if (version === 0 || address.includes('%') || more.length > 0) return false
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128))
}
