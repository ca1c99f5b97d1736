import { didYouMean, readInstant, readPoint } from '@guerdon/engine'
import type { MetadataType } from '@guerdon/engine/schema'
import { limits } from '../../core/lib/limits.ts'
import { anyObject, type NamedDefinition } from './definition.ts'

/** The requirements of a schema on the metadata of an object. */
export interface MetadataRequirements {
  definitions: readonly NamedDefinition[]
  /** Null (never sent) means false. */
  allow_defined_only: boolean | null
}

/** Returns the faults of sent metadata, one message per key. A new object must have all required keys. */
export type MetadataCheck = (sent: Record<string, unknown>, options: { isNew: boolean }) => string[]

/**
 * Compiles a schema to a check of metadata (docs/reference/metadata-schemas.md#checking-values). `nested` are the schemas that
 * `object_type` refers to; a missing one requires nothing.
 *
 * With `lang` a required string of `en` and `pl`, `{ lang: 'de' }` gives `lang: must be a string, property is required,
 * must be equal to one of en,pl (actual value is 'de')`.
 */
export function compileCheck(
  { definitions, allow_defined_only }: MetadataRequirements,
  nested: ReadonlyMap<string, MetadataRequirements> = new Map(),
): MetadataCheck {
  const tests = new Map(active(definitions).map((definition) => [definition.name, compileTest(definition, nested)]))
  return (sent, { isNew }) => {
    const faults: string[] = []
    for (const [key, { is_optional, faultsOf }] of tests) {
      if (Object.hasOwn(sent, key)) faults.push(...faultsOf(sent[key], key))
      else if (isNew && !is_optional) faults.push(...faultsOf(undefined, key))
    }
    if (allow_defined_only) {
      const undefinedKeys = Object.keys(sent).filter((key) => !tests.has(key))
      for (const [index, key] of undefinedKeys.entries())
        faults.push(`${key}: property is not allowed${index < suggestionsMax ? didYouMean(key, tests.keys()) : ''}`)
    }
    return faults
  }
}

/** Metadata can have thousands of keys, and each suggestion compares one with the whole schema. */
const suggestionsMax = 10

export const active = (definitions: readonly NamedDefinition[]): NamedDefinition[] =>
  definitions.filter(({ deleted }) => deleted !== true)

interface DefinitionTest {
  is_optional: boolean
  faultsOf(value: unknown, key: string): string[]
}

function compileTest(definition: NamedDefinition, nested: ReadonlyMap<string, MetadataRequirements>): DefinitionTest {
  const { array, optional, object_type } = definition
  const inner = object_type === null || object_type === anyObject ? undefined : nested.get(object_type)
  // A nested object is always replaced as a whole, so all of its required keys must be present.
  const checkInner = inner === undefined ? null : compileCheck(inner)
  const innerFaults = (value: unknown, path: string) =>
    checkInner?.(value as Record<string, unknown>, { isNew: true }).map((fault) => `${path}.${fault}`) ?? []
  const elementRequirements = requirementTexts(definition).join(', ')
  const requirements = array ? `must be an array, and every element: ${elementRequirements}` : elementRequirements
  const isFilled = (value: unknown) => value != null && !(array && isEmpty(value))
  return {
    is_optional: optional,
    faultsOf(value, key) {
      if (optional && value === null) return []
      const elements = array ? value : [value]
      const isValid =
        (optional || isFilled(value)) &&
        Array.isArray(elements) &&
        elements.every((element) => meetsDefinition(element, definition))
      if (!isValid) return [`${key}: ${requirements} (actual value is '${truncated(value)}')`]
      return elements.flatMap((element, n) => innerFaults(element, array ? `${key}[${n}]` : key))
    },
  }
}

const isEmpty = (value: unknown): boolean => Array.isArray(value) && value.length === 0

function truncated(value: unknown): string {
  const text = typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value)
  return text.length > valueLengthMax ? `${text.slice(0, valueLengthMax)}…` : text
}

const valueLengthMax = 200

function meetsDefinition(value: unknown, { type, eq, ne, lt, lte, gt, gte, ...lengths }: NamedDefinition): boolean {
  if (!isOfType[type](value)) return false
  if (eq !== undefined && !eq.includes(value as string)) return false
  if (typeof value === 'number')
    return (
      ne?.includes(value) !== true &&
      (lt === undefined || value < lt) &&
      (lte === undefined || value <= lte) &&
      (gt === undefined || value > gt) &&
      (gte === undefined || value >= gte)
    )
  return typeof value !== 'string' || hasLength(value, lengths)
}

function hasLength(
  value: string,
  { min_length, max_length, exact_length }: Pick<NamedDefinition, 'min_length' | 'max_length' | 'exact_length'>,
): boolean {
  if (min_length === undefined && max_length === undefined && exact_length === undefined) return true
  const length = [...value].length
  return (
    (min_length === undefined || length >= min_length) &&
    (max_length === undefined || length <= max_length) &&
    (exact_length === undefined || length === exact_length)
  )
}

const isText = (value: unknown): value is string => typeof value === 'string'

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const isOfType: { [T in MetadataType]: (value: unknown) => boolean } = {
  string: isText,
  number: (value) => typeof value === 'number',
  boolean: (value) => typeof value === 'boolean',
  date: (value) => isText(value) && value.length === '2025-02-26'.length && readInstant(value) !== null,
  datetime: (value) => isText(value) && value.includes('T') && readInstant(value) !== null,
  image_url: (value) => isText(value) && isImageAddress(value),
  geopoint: (value) => isText(value) && readPoint(value) !== null,
  object: isRecord,
}

function isImageAddress(text: string): boolean {
  const address = /^https?:\/\/\S+$/i.test(text) ? URL.parse(text) : null
  return address !== null && /\.(?:jpe?g|png)$/i.test(address.pathname)
}

const typeTexts: { [T in MetadataType]: string } = {
  string: 'must be a string',
  number: 'must be a number',
  boolean: 'must be a boolean',
  date: 'must be a date',
  datetime: 'must be a datetime',
  image_url: 'must be a URL pointing to JPG/JPEG or PNG resource',
  geopoint: 'must be a geopoint',
  object: 'must be an object',
}

/** All requirements of a definition, met or not: the error message lists them all. */
function requirementTexts(definition: NamedDefinition): string[] {
  const { type, optional, eq, ne, lt, lte, gt, gte, min_length, max_length, exact_length } = definition
  const texts: Array<[requirement: unknown, text: string]> = [
    [true, typeTexts[type]],
    [!optional || undefined, 'property is required'],
    [eq, `must be equal to one of ${eq}`],
    [ne, `must not be equal to any of ${ne}`],
    [lt, `must be less than ${lt}`],
    [lte, `must be less than or equal to ${lte}`],
    [gt, `must be greater than ${gt}`],
    [gte, `must be greater than or equal to ${gte}`],
    [min_length, `must have minimum length of ${min_length}`],
    [max_length, `must have maximum length of ${max_length}`],
    [exact_length, `must have exact length of ${exact_length}`],
  ]
  return texts.flatMap(([requirement, text]) => (requirement === undefined ? [] : [text]))
}

/**
 * Why metadata cannot be stored, whatever the schema, or null (docs/reference/limits.md#sizes-and-counts). Allowed are plain
 * values, lists of them, and objects, alone or in a list, without nested objects; together at most 64 KiB.
 */
export function whyNotMetadata(metadata: Record<string, unknown>, property = '.metadata'): string | null {
  for (const [key, value] of Object.entries(metadata)) {
    const elements = elementsOf(value)
    if (elements.some(Array.isArray)) return `Property ${property}.${key} must NOT hold lists within lists`
    if (!elements.every((element) => !isRecord(element) || Object.values(element).every(isPlain)))
      return `Property ${property}.${key} must NOT hold objects within objects`
  }
  const bytes = Buffer.byteLength(JSON.stringify(metadata))
  return bytes > limits.metadata_bytes_max
    ? `Property ${property} must NOT be larger than ${limits.metadata_bytes_max} bytes`
    : null
}

const elementsOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : [value])

/** A scalar, or a list of scalars. */
const isPlain = (value: unknown): boolean =>
  elementsOf(value).every((element) => typeof element !== 'object' || element === null)
