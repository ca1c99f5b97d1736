import type { MetadataType, Shape } from '@guerdon/engine/schema'
import type { Expression } from 'kysely'
import { type ApiError, invalidQuery } from '../../http/errors.ts'
import { limits } from '../../lib/limits.ts'
import { isStorable, readArgument } from './arguments.ts'
import { clockOf } from './calendar.ts'
import { all, any, type Condition, yes } from './conditions.ts'
import { type FilterField, type Moment, type Scalar, toBoolean } from './field.ts'
import { type AnyOperator, type FilterOperator, filterOperators, type Test } from './operators.ts'
import { hasDays, readingOf } from './readings.ts'

/** The filterable fields of a resource. A `*` in a name matches any text, which is passed to the function. */
export type FilterFields = Readonly<Record<string, FilterField | ((star: string) => FilterField)>>

/** A filter validated against the fields of its resource. Without fields it matches everything. */
export interface Filter {
  junction: 'and' | 'or'
  fields: Array<{ name: string; field: FilterField; conditions: FilterCondition[] }>
}

export interface FilterCondition {
  operator: FilterOperator
  /** Converted to the type that the operator compares on this field. */
  values: Scalar[]
}

/**
 * The fields `metadata.<key>`, compared by the type of the key in the metadata schema, or else by the type of the stored value:
 * `{ 'metadata.*': metadataField('customers.metadata', await metadataTypes(ctx, 'customer')) }`.
 */
export function metadataField(
  column: string | Expression<unknown>,
  types: Readonly<Record<string, MetadataType>> = {},
): (key: string) => FilterField {
  return (key) => {
    const valueType = Object.hasOwn(types, key) ? types[key] : undefined
    return { type: 'metadata', column, key, ...(valueType === undefined ? {} : { value_type: valueType }) }
  }
}

/**
 * Validates a filter (docs/reference/filters.md#in-the-query-string and docs/reference/filters.md#meaning-of-the-operators) from a
 * bracket query or a body. `refuse` creates the error of an invalid one; `property` is the path of the filter in the request.
 */
export function parseFilter(
  raw: unknown,
  fields: FilterFields,
  { refuse = invalidQuery, property = '.filters' }: { refuse?: (details: string) => ApiError; property?: string } = {},
): Filter {
  const filter: Filter = { junction: 'and', fields: [] }
  if (raw === undefined || raw === null) return filter
  const malformed = () => refuse(malformedText(property))
  if (!isRecord(raw)) throw malformed()

  let valuesCount = 0
  for (const [name, entry] of Object.entries(raw)) {
    if (name === 'junction') {
      const junction = typeof entry === 'string' ? entry.toLowerCase() : null
      if (junction !== 'and' && junction !== 'or') throw malformed()
      filter.junction = junction
      continue
    }
    const field = fieldNamed(fields, name)
    const tests = field === null ? null : testsOf(entry, field)
    if (field === null || tests === null || tests.length === 0) throw malformed()

    const conditions: FilterCondition[] = []
    for (const [operator, argument] of tests) {
      const { takes } = filterOperators[operator]
      if (takes === 'switch' && isSwitchedOff(argument)) continue
      const scalars = takes === 'switch' || takes === 'nothing' ? [] : scalarsOf(argument)
      if (scalars === null) throw malformed()
      const values = scalars.map((scalar) => {
        const value = readArgument(operator, scalar, field)
        if (typeof value === 'object')
          throw refuse(`Property ${property}.${name}.conditions.${operator} ${value.error}`)
        return value
      })
      conditions.push({ operator, values })
      valuesCount += Math.max(1, values.length)
    }
    if (conditions.length > 0) filter.fields.push({ name, field, conditions })
  }
  if (filter.fields.length > limits.filter_fields_max)
    throw refuse(`Property ${property} must NOT have more than ${limits.filter_fields_max} fields`)
  if (valuesCount > limits.filter_values_max)
    throw refuse(`Property ${property} must NOT have more than ${limits.filter_values_max} values`)
  return filter
}

/** The shapes of the locations that `locationsIn` returns. A location without a shape contains no point. */
export interface FilterLookups {
  locations?: ReadonlyMap<string, Shape>
}

/** The filter as an SQL condition. Every value of the caller is a statement parameter. */
export function filterSql(
  { junction, fields }: Filter,
  moment: Moment,
  { locations = new Map() }: FilterLookups = {},
): Condition {
  if (fields.length === 0) return yes
  const clock = clockOf(moment)
  const sets = fields.map(({ field, conditions }) => {
    const value = readingOf(field, clock)
    return all(
      conditions.map(({ operator, values }) =>
        (filterOperators[operator] as Test).holds(value, values, clock, locations),
      ),
    )
  })
  return junction === 'and' ? all(sets) : any(sets)
}

/** The distinct ids of the locations in a filter. */
export function locationsIn({ fields }: Filter): string[] {
  const ids = new Set<string>()
  for (const { conditions } of fields)
    for (const { operator, values } of conditions)
      if (operator === '$in_location' || operator === '$not_in_location') for (const id of values) ids.add(String(id))
  return [...ids]
}

/**
 * Whether the result may differ tomorrow although no row has changed: a condition compares days relative to today. Metadata
 * without a known type may be a date and counts as one.
 */
export function isDayRelative({ fields }: Filter): boolean {
  return fields.some(
    ({ field, conditions }) =>
      hasDays(field) &&
      conditions.some(({ operator, values }) => {
        const { takes, is_day_relative }: AnyOperator = filterOperators[operator]
        return is_day_relative || (takes === 'magnitude' && values.some((value) => typeof value === 'number'))
      }),
  )
}

const malformedText = (property: string): string => {
  const name = property.slice(property.lastIndexOf('.') + 1)
  const path = `${name}[\${field}][conditions][\${condition}]`
  return `Property ${property} should match either ${path}[\${index}] or ${path} format and condition must be one of: ${Object.keys(filterOperators).join(', ')}`
}

function fieldNamed(fields: FilterFields, name: string): FilterField | null {
  if (Object.hasOwn(fields, name) && !name.includes('*')) return fields[name] as FilterField
  for (const [pattern, field] of Object.entries(fields)) {
    if (typeof field !== 'function') continue
    const [before, after] = pattern.split('*') as [string, string]
    const fits = name.length > before.length + after.length && name.startsWith(before) && name.endsWith(after)
    if (fits && isStorable(name)) return field(name.slice(before.length, name.length - after.length))
  }
  return null
}

/** The operators of one field with their arguments, or null when the entry is malformed. */
function testsOf(entry: unknown, { states }: FilterField): Array<[FilterOperator, unknown]> | null {
  if (!isRecord(entry)) return null
  const bare = states !== undefined && !Object.hasOwn(entry, 'conditions')
  const conditions = bare ? entry : entry.conditions
  if (!isRecord(conditions) || (!bare && Object.keys(entry).length > 1)) return null
  const tests: Array<[FilterOperator, unknown]> = []
  for (const [name, argument] of Object.entries(conditions)) {
    const operator = states !== undefined && Object.hasOwn(states, `$${name}`) ? `$${name}` : name
    if (!isOperator(operator)) return null
    tests.push([operator, argument])
  }
  return tests
}

const isOperator = (name: string): name is FilterOperator => Object.hasOwn(filterOperators, name)

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const isSwitchedOff = (argument: unknown): boolean =>
  scalarsOf(argument)?.some((value) => toBoolean(value) === false) === true

/** `a`, `['a', 'b']` or `{ 0: 'a', 1: 'b' }` as a list; null when it is malformed or empty. */
function scalarsOf(argument: unknown): Scalar[] | null {
  const values = isRecord(argument) ? listOfIndexed(argument) : Array.isArray(argument) ? argument : [argument]
  return values !== null && values.length > 0 && values.every(isScalar) ? values : null
}

function listOfIndexed(argument: Record<string, unknown>): unknown[] | null {
  const indexes = Object.keys(argument)
  if (!indexes.every((index) => /^\d{1,9}$/.test(index))) return null
  return indexes.sort((a, b) => Number(a) - Number(b)).map((index) => argument[index])
}

const isScalar = (value: unknown): value is Scalar => ['string', 'number', 'boolean'].includes(typeof value)
