import { memoize } from '../memoize.ts'
import type { Catalogue, Filter } from '../schema/index.ts'
import type { Clock } from '../time/index.ts'
import { isRecord, isScalar, ownEntry, type Scalar, toBoolean, toInstant, toNumber } from '../values.ts'
import { type Argument, type Arguments, type FieldType, type Operator, operators } from './operators.ts'

/** Whether an object matches a filter; `read` returns the values of its fields. */
export type CompiledFilter = (read: (field: string) => unknown, clock: Clock, catalogue: Catalogue) => boolean

/** The resource whose metadata schema defines the types of `metadata.` fields. */
export type FilterSubject = 'product' | 'customer'

/**
 * Compiles a filter (docs/reference/filters.md#meaning-of-the-operators), once per filter object. It must agree with the
 * SQL that lists use; a filter rejected by `checkFilter` matches nothing.
 *
 * `compileFilter({ junction: 'and', price: { conditions: { $more_than: [100] } } })` matches what costs more than 1.00.
 * /
 */
export function compileFilter(filter: Filter, subject: FilterSubject = 'product'): CompiledFilter {
  return isRecord(filter) ? compilers[subject](filter) : () => false
}

const compilers: Readonly<Record<FilterSubject, (filter: Filter) => CompiledFilter>> = {
  product: memoize((filter) => compile(filter, 'product')),
  customer: memoize((filter) => compile(filter, 'customer')),
}

function compile(filter: Filter, subject: FilterSubject): CompiledFilter {
  const parsed = readFilter(filter)
  if (typeof parsed === 'string') return () => false
  const { is_and, fields } = parsed
  if (fields.length === 0) return () => true
  return (fieldOf, clock, catalogue) => {
    for (const { name, tests, metadata_key, own_type } of fields) {
      const value = foldCase(name, fieldOf(name))
      const type =
        metadata_key === null ? own_type : ownEntry(ownEntry(catalogue.metadata_types, subject), metadata_key)
      let holds = true
      for (const { operator, args } of tests) {
        holds = operator.holds(value, args, type, clock, catalogue)
        if (!holds) break
      }
      if (holds !== is_and) return holds
    }
    return is_and
  }
}

/**
 * The fault of a filter as `details` of an error; null when it is valid. `permitted` tells which fields exist, `property`
 * is the path of the filter in the request.
 */
export function checkFilter(
  filter: unknown,
  permitted: (field: string) => boolean = () => true,
  property = '.filter',
): string | null {
  const parsed = readFilter(filter, permitted)
  if (typeof parsed !== 'string') return null
  return parsed === '' ? filterFormat(property) : `Property ${property}${parsed}`
}

/** The `details` of an error about a value that does not have the form of a filter. */
export function filterFormat(property: string): string {
  const path = `${property.slice(property.lastIndexOf('.') + 1)}[\${field}][conditions][\${condition}]`
  return `Property ${property} should match either ${path}[\${index}] or ${path} format and condition must be one of: ${Object.keys(operators).join(', ')}`
}

interface ReadFilter {
  is_and: boolean
  fields: ReadField[]
}

interface ReadField {
  name: string
  /** Null for built-in fields, whose type is fixed. */
  metadata_key: string | null
  own_type: FieldType
  tests: Test[]
}

interface Test {
  operator: Operator
  args: Arguments
}

const fieldsMax = 50
const valuesMax = 1_000

/** The parsed filter, or its fault; an empty string when the value does not have the form of a filter. */
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
    const tests = permitted(name) ? readTests(name, set) : `.${name} is not a known field`
    if (typeof tests === 'string') return tests
    for (const { args } of tests) valuesCount += Math.max(1, args.list.length)
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
    const operator = ownEntry<Operator>(operators, name)
    const scalars = operator === undefined ? null : argumentsOf(operator, argument)
    if (operator === undefined || scalars === null) return ''
    if (scalars === 'off') continue
    const list = scalars.map((scalar) => readArgument(field, scalar))
    const fault = list.map((a) => faultOf(a, operator, ownType(field))).find((fault) => fault !== null)
    if (fault != null) return `.${field}.conditions.${name} ${fault}`
    const forms = new Set(list.flatMap(({ text, number, boolean }) => [text, number, boolean]).filter(isScalar))
    tests.push({ operator, args: { list, forms } })
  }
  return entries.length === 0 ? '' : tests
}

/** The arguments of a condition; null when they are malformed. A switch is `off` if `false` is one of its alternatives. */
export function argumentsOf({ takes }: Pick<Operator, 'takes'>, argument: unknown): Scalar[] | 'off' | null {
  if (takes === 'nothing') return []
  const scalars = scalarsOf(argument)
  if (takes !== 'switch') return scalars
  return scalars?.some((value) => toBoolean(value) === false) ? 'off' : []
}

/** `a`, `['a', 'b']` or `{ 0: 'a', 1: 'b' }` as a list; null for an empty list or any other value. */
function scalarsOf(argument: unknown): Scalar[] | null {
  const values = isRecord(argument) ? listOfIndexed(argument) : Array.isArray(argument) ? argument : [argument]
  return values.length > 0 && values.every(isScalar) ? values : null
}

const listOfIndexed = (argument: Record<string, unknown>): unknown[] =>
  Object.keys(argument).every((index) => /^\d{1,9}$/.test(index)) ? Object.values(argument) : []

function readArgument(field: string, argument: Scalar): Argument {
  const number = toNumber(argument)
  return { text: foldCase(field, String(argument)), number, boolean: toBoolean(argument), at: toInstant(argument) }
}

/** Only email addresses are compared case-insensitively. */
const foldCase = <T>(field: string, value: T): T | string =>
  field === 'email' && typeof value === 'string' ? value.toLowerCase() : value

function faultOf(
  { number, at }: Argument,
  { takes, minimum = -Infinity, maximum = Infinity }: Operator,
  type: FieldType,
): string | null {
  if (takes === 'magnitude' && number === null && at === null)
    // On a field without numbers or dates the comparison never holds, so any argument is accepted.
    return type === 'scalar' || type === 'list' ? null : 'must be number or ISO-8601 compliant date'
  if (takes === 'instant' && at === null) return 'cannot be recognized as a ISO-8601 compliant date'
  if (takes !== 'integer') return null
  if (number === null || !Number.isSafeInteger(number)) return 'must be integer'
  return number < minimum ? `must be >= ${minimum}` : number > maximum ? `must be <= ${maximum}` : null
}
