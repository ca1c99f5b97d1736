import { once } from '../once.ts'
import type { Catalogue, Filter } from '../schema/index.ts'
import type { Clock } from '../time/index.ts'
import { isRecord, isScalar, ownEntry, type Scalar, toBoolean, toInstant, toNumber } from '../values.ts'
import { type Argument, type FieldType, type Given, type Operator, operators } from './operators.ts'

/** Whether something fits a filter; `read` gives the values of its fields. */
export type CompiledFilter = (read: (field: string) => unknown, clock: Clock, catalogue: Catalogue) => boolean

/** Whose metadata schema says which type a `metadata.` field has. */
export type FilterSubject = 'product' | 'customer'

/**
 * Prepares a filter of the shared language (docs/reference/filters.md#meaning-of-the-operators), once per filter. It decides as
 * the database does for lists; a filter that `checkFilter` faults matches nothing.
 *
 * `compileFilter({ junction: 'and', price: { conditions: { $more_than: [100] } } })` matches what costs more than 1.00.
 */
export function compileFilter(filter: Filter, subject: FilterSubject = 'product'): CompiledFilter {
  return isRecord(filter) ? compilers[subject](filter) : () => false
}

const compilers: Readonly<Record<FilterSubject, (filter: Filter) => CompiledFilter>> = {
  product: once((filter) => compile(filter, 'product')),
  customer: once((filter) => compile(filter, 'customer')),
}

function compile(filter: Filter, subject: FilterSubject): CompiledFilter {
  const read = readFilter(filter)
  if (typeof read === 'string') return () => false
  const { is_and, fields } = read
  if (fields.length === 0) return () => true
  return (fieldOf, clock, catalogue) => {
    for (const { name, tests, metadata_key, own_type } of fields) {
      const value = folded(name, fieldOf(name))
      const type =
        metadata_key === null ? own_type : ownEntry(ownEntry(catalogue.metadata_types, subject), metadata_key)
      let holds = true
      for (const { operator, given } of tests) {
        holds = operator.holds(value, given, type, clock, catalogue)
        if (!holds) break
      }
      if (holds !== is_and) return holds
    }
    return is_and
  }
}

/**
 * What is wrong with a filter, as `details` of an error; null when nothing is. `permitted` tells which fields there are,
 * `property` where the filter stood.
 */
export function checkFilter(
  filter: unknown,
  permitted: (field: string) => boolean = () => true,
  property = '.filter',
): string | null {
  const read = readFilter(filter, permitted)
  if (typeof read !== 'string') return null
  return read === '' ? howToWrite(property) : `Property ${property}${read}`
}

function howToWrite(property: string): string {
  const path = `${property.slice(property.lastIndexOf('.') + 1)}[\${field}][conditions][\${condition}]`
  return `Property ${property} should match either ${path}[\${index}] or ${path} format and condition must be one of: ${Object.keys(operators).join(', ')}`
}

interface ReadFilter {
  is_and: boolean
  fields: ReadField[]
}

interface ReadField {
  name: string
  /** Null for our own fields, whose type is known. */
  metadata_key: string | null
  own_type: FieldType
  tests: Test[]
}

interface Test {
  operator: Operator
  given: Given
}

const fieldsMax = 50
const valuesMax = 1_000

/** The filter, or a fault: where and what, or nothing when it is not written as a filter at all. */
function readFilter(filter: unknown, permitted: (field: string) => boolean = () => true): ReadFilter | string {
  if (!isRecord(filter)) return ''
  const { junction = 'and', ...sets } = filter
  const word = typeof junction === 'string' ? junction.toLowerCase() : junction === null ? 'and' : ''
  const entries = Object.entries(sets)
  if (word !== 'and' && word !== 'or') return ''
  if (entries.length > fieldsMax) return ` must NOT have more than ${fieldsMax} fields`
  const fields: ReadField[] = []
  let valuesCount = 0
  for (const [name, set] of entries) {
    const tests = permitted(name) ? readTests(name, set) : ''
    if (typeof tests === 'string') return tests
    for (const { given } of tests) valuesCount += Math.max(1, given.list.length)
    if (valuesCount > valuesMax) return ` must NOT have more than ${valuesMax} values`
    const metadataKey = name.startsWith('metadata.') ? name.slice('metadata.'.length) : null
    if (tests.length > 0) fields.push({ name, metadata_key: metadataKey, own_type: ownType(name), tests })
  }
  return { is_and: word === 'and', fields }
}

function ownType(field: string): FieldType {
  if (field.startsWith('metadata.')) return undefined
  return ownEntry(ownTypes, field) ?? (/^events\..+\.(?:first|last)$/.test(field) ? 'moment' : 'scalar')
}

const ownTypes: Readonly<Record<string, FieldType>> = {
  birthdate: 'birthday',
  birthday: 'birthday',
  attributes: 'list',
  skus: 'list',
  'publications.related_object_id': 'list',
  'publications.created_at': 'moment',
  'summary.orders.last_order_date': 'moment',
  created_at: 'moment',
  updated_at: 'moment',
}

function readTests(field: string, set: unknown): Test[] | string {
  const conditions = isRecord(set) && Object.keys(set).length === 1 ? set.conditions : null
  if (!isRecord(conditions)) return ''
  const entries = Object.entries(conditions)
  const tests: Test[] = []
  for (const [name, argument] of entries) {
    const operator = ownEntry(operators, name)
    if (operator === undefined) return ''
    const { takes } = operator
    const scalars = scalarsOf(argument)
    // Switched off, the operator is not there at all, also where it would be one of two alternatives.
    if (takes === 'switch' && scalars?.some((value) => toBoolean(value) === false)) continue
    const needed = takes === 'switch' || takes === 'nothing' ? [] : scalars
    if (needed === null) return ''
    const list = needed.map((scalar) => readArgument(field, scalar))
    const fault = list.map((a) => faultOf(a, operator, ownType(field))).find((fault) => fault !== null)
    if (fault != null) return `.${field}.conditions.${name} ${fault}`
    const forms = new Set(list.flatMap(({ text, number, boolean }) => [text, number, boolean]).filter(isScalar))
    tests.push({ operator, given: { list, forms } })
  }
  return entries.length === 0 ? '' : tests
}

/** `a`, `['a', 'b']` or `{ 0: 'a', 1: 'b' }` as a list; null when it is none, or empty. */
function scalarsOf(given: unknown): Scalar[] | null {
  const values = isRecord(given) ? listOfIndexed(given) : Array.isArray(given) ? given : [given]
  return values.length > 0 && values.every(isScalar) ? values : null
}

const listOfIndexed = (given: Record<string, unknown>): unknown[] =>
  Object.keys(given).every((index) => /^\d{1,9}$/.test(index)) ? Object.values(given) : []

function readArgument(field: string, given: Scalar): Argument {
  const number = toNumber(given)
  return { text: folded(field, String(given)), number, boolean: toBoolean(given), at: toInstant(given) }
}

/** Of all texts only mail addresses are the same in capitals. */
const folded = <T>(field: string, value: T): T | string =>
  field === 'email' && typeof value === 'string' ? value.toLowerCase() : value

function faultOf(
  { number, at }: Argument,
  { takes, minimum = -Infinity, maximum = Infinity }: Operator,
  type: FieldType,
): string | null {
  if (takes === 'magnitude' && number === null && at === null)
    // A field that has neither numbers nor dates is never more than anything.
    return type === 'scalar' || type === 'list' ? null : 'must be number or ISO-8601 compliant date'
  if (takes === 'instant' && at === null) return 'cannot be recognized as a ISO-8601 compliant date'
  if (takes !== 'integer') return null
  if (number === null || !Number.isSafeInteger(number)) return 'must be integer'
  return number < minimum ? `must be >= ${minimum}` : number > maximum ? `must be <= ${maximum}` : null
}
