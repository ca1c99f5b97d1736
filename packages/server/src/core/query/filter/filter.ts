import {
  argumentsOf,
  didYouMean,
  type FilterOperator,
  filterFormat,
  filterOperators,
  isRecord,
  type Scalar,
} from '@guerdon/engine'
import type { MetadataType, Shape } from '@guerdon/engine/schema'
import type { Expression } from 'kysely'
import { type ApiError, invalidQuery } from '../../http/errors.ts'
import { shortName } from '../../http/unknown-fields.ts'
import { limits } from '../../lib/limits.ts'
import { isStorable, readArgument } from './arguments.ts'
import { clockOf } from './calendar.ts'
import { all, any, type Condition, yes } from './conditions.ts'
import type { FilterField, FilterMoment } from './field.ts'
import { dayRelativeOperators, type OperatorSql, operatorsSql } from './operators.ts'
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
  const refusals: Refusals = {
    malformed: (suggestion = '') => refuse(filterFormat(property) + suggestion),
    fault: (text) => refuse(`Property ${property}${text}`),
  }
  if (!isRecord(raw)) throw refusals.malformed()
  for (const [name, entry] of Object.entries(raw)) {
    const field = fieldNamed(fields, name)
    if (name === 'junction') filter.junction = readJunction(entry, refusals)
    else if (field === null)
      throw refusals.fault(`.${shortName(name)} is not a known field${didYouMean(name, plainNames(fields))}`)
    else {
      const conditions = readConditions(name, field, entry, refusals)
      if (conditions.length > 0) filter.fields.push({ name, field, conditions })
    }
  }
  checkSize(filter, refusals)
  return filter
}

/** The names without a `*`, for suggestions. */
const plainNames = (fields: FilterFields): string[] =>
  ['junction', ...Object.keys(fields)].filter((name) => !name.includes('*'))

/** Creates the errors of one filter. */
interface Refusals {
  /** `suggestion` is what was probably meant. */
  malformed(suggestion?: string): ApiError
  fault(text: string): ApiError
}

function readJunction(entry: unknown, { malformed }: Refusals): Filter['junction'] {
  const junction = typeof entry === 'string' ? entry.toLowerCase() : null
  if (junction !== 'and' && junction !== 'or') throw malformed()
  return junction
}

function readConditions(
  name: string,
  field: FilterField,
  entry: unknown,
  { malformed, fault }: Refusals,
): FilterCondition[] {
  const tests = testsOf(entry, field)
  if (!Array.isArray(tests)) throw malformed(tests?.suggestion)
  return tests.flatMap(([operator, argument]) => {
    if (field.operators?.includes(operator) === false)
      throw fault(`.${name}.conditions.${operator} must be one of: ${field.operators.join(', ')}`)
    const scalars = argumentsOf(filterOperators[operator], argument)
    if (scalars === null) throw malformed()
    if (scalars === 'off') return []
    const values = scalars.map((scalar) => {
      const value = readArgument(operator, scalar, field)
      if (typeof value === 'object') throw fault(`.${name}.conditions.${operator} ${value.error}`)
      return value
    })
    return [{ operator, values }]
  })
}

function checkSize({ fields }: Filter, { fault }: Refusals): void {
  if (fields.length > limits.filter_fields_max)
    throw fault(` must NOT have more than ${limits.filter_fields_max} fields`)
  const counts = fields.flatMap(({ conditions }) => conditions.map(({ values }) => Math.max(1, values.length)))
  if (counts.reduce((sum, count) => sum + count, 0) > limits.filter_values_max)
    throw fault(` must NOT have more than ${limits.filter_values_max} values`)
}

/** The shapes of the locations that `locationsIn` returns. A location without a shape contains no point. */
export interface FilterLookups {
  locations?: ReadonlyMap<string, Shape>
}

/** The filter as an SQL condition. Every value of the caller is a statement parameter. */
export function filterSql(
  { junction, fields }: Filter,
  moment: FilterMoment,
  { locations = new Map() }: FilterLookups = {},
): Condition {
  if (fields.length === 0) return yes
  const clock = clockOf(moment)
  const sets = fields.map(({ field, conditions }) => {
    const value = readingOf(field, clock)
    return all(
      conditions.map(({ operator, values }) =>
        (operatorsSql[operator] as OperatorSql)(value, values, clock, locations),
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
      conditions.some(
        ({ operator, values }) =>
          Object.hasOwn(dayRelativeOperators, operator) ||
          (filterOperators[operator].takes === 'magnitude' && values.some((value) => typeof value === 'number')),
      ),
  )
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

/**
 * The operators of one field with their arguments; null when the entry is malformed or has none, and a suggestion for one that
 * does not exist.
 */
function testsOf(
  entry: unknown,
  { states }: FilterField,
): Array<[FilterOperator, unknown]> | { suggestion: string } | null {
  if (!isRecord(entry)) return null
  const bare = states !== undefined && !Object.hasOwn(entry, 'conditions')
  const conditions = bare ? entry : entry.conditions
  if (!isRecord(conditions) || (!bare && Object.keys(entry).length > 1)) return null
  const tests: Array<[FilterOperator, unknown]> = []
  for (const [name, argument] of Object.entries(conditions)) {
    const operator = states !== undefined && Object.hasOwn(states, `$${name}`) ? `$${name}` : name
    if (!isOperator(operator)) return { suggestion: didYouMean(name, Object.keys(filterOperators)) }
    tests.push([operator, argument])
  }
  return tests.length === 0 ? null : tests
}

const isOperator = (name: string): name is FilterOperator => Object.hasOwn(filterOperators, name)
