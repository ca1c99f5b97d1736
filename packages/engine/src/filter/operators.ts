import { indexAreas } from '../area-index.ts'
import { areaOf, readPoint } from '../location.ts'
import { memoize } from '../memoize.ts'
import type { Catalogue, MetadataType } from '../schema/index.ts'
import {
  type Clock,
  type Day,
  dayOf,
  daysInMonth,
  type Ms,
  msPerDay,
  partsOf,
  startOfPeriod,
  startOfWeek,
  weekdayOf,
} from '../time/index.ts'
import {
  type Comparison,
  comparisons,
  daysAgo,
  isMissing,
  isRecord,
  toBoolean,
  toDay,
  toInstant,
  toNumber,
} from '../values.ts'

/**
 * The type of a field. Metadata has the type of its schema; without one (undefined), a value is interpreted in every
 * possible way. Built-in fields are scalars, lists, moments, or a birthday, for which near periods ignore the year.
 */
export type FieldType = MetadataType | 'scalar' | 'list' | 'moment' | 'birthday' | undefined

/** One argument in every form that an operator may compare. */
export interface Argument {
  readonly text: string
  readonly number: number | null
  readonly boolean: boolean | null
  readonly at: Ms | null
}

export interface Arguments {
  readonly list: readonly Argument[]
  /** Every JSON value that equals an argument: its text, and the number or boolean that it spells. */
  readonly forms: ReadonlySet<unknown>
}

/** The arguments of an operator: none, a switch (`false` disables the operator), or values of one kind. */
export type Takes = 'nothing' | 'switch' | 'value' | 'text' | 'magnitude' | 'instant' | 'integer'

export interface Operator<T extends Takes = Takes> {
  readonly takes: T
  readonly minimum?: number
  readonly maximum?: number
  holds(value: unknown, given: Arguments, type: FieldType, clock: Clock, catalogue: Catalogue): boolean
}

type Holds = Operator['holds']

const not =
  (holds: Holds): Holds =>
  (...args) =>
    !holds(...args)

const equals: Holds = (value, { list, forms }, type, clock) => {
  if (Array.isArray(value)) return value.some((element) => forms.has(element))
  switch (type) {
    case 'number':
      return someOf(list, toNumber(value), (a, number) => a.number === number)
    case 'boolean':
      return someOf(list, toBoolean(value), (a, boolean) => a.boolean === boolean)
    case 'date':
    case 'birthday':
      return someOf(list, toDay(value, clock), (a, day) => a.at !== null && Math.floor(a.at / msPerDay) === day)
    case 'datetime':
    case 'moment':
      return someOf(list, toInstant(value), (a, at) => a.at === at)
    default:
      return value !== '' && forms.has(value)
  }
}

function someOf<T>(list: readonly Argument[], value: T | null, test: (a: Argument, value: T) => boolean): boolean {
  return value !== null && list.some((a) => test(a, value))
}

/** A string contains one of the arguments; an array contains all of them. */
const contains: Holds = (value, { list, forms }, type) => {
  if (!Array.isArray(value)) return hasText(value, type) && list.some(({ text }) => value.includes(text))
  const elements = new Set<unknown>(value.filter((element) => forms.has(element)))
  return list.every(({ text, number, boolean }) => elements.has(text) || elements.has(number) || elements.has(boolean))
}

const hasText = (value: unknown, type: FieldType): value is string =>
  typeof value === 'string' && value !== '' && (type === undefined || textTypes.has(type))

const textTypes: ReadonlySet<FieldType> = new Set<FieldType>(['scalar', 'string', 'image_url', 'list'])

/**
 * Number and number: compares the values. Date and number: compares the days since the date. Date and date: compares
 * instants.
 */
const compare =
  (is: Comparison, excludesFuture = false): Holds =>
  (value, { list }, type, clock) =>
    list.some((a) => {
      if (a.number === null) return someMoment(value, type, (at) => a.at !== null && is(at, a.at))
      const argument = a.number
      const number = type === 'number' ? toNumber(value) : typeof value === 'number' ? value : null
      if (number !== null) return is(number, argument)
      const today = clock.wall().day
      return someDay(value, type, clock, (day) => is(today - day, argument) && !(excludesFuture && day > today))
    })

/**
 * Whether the date, or any date of a list, passes the test. Lists of dates occur only in built-in fields and typed
 * metadata.
 */
function someMoment(value: unknown, type: FieldType, test: (at: Ms) => boolean): boolean {
  if (type !== undefined && !dateTypes.has(type)) return false
  if (Array.isArray(value)) return type !== undefined && value.some((element) => someMoment(element, type, test))
  const at = toInstant(value)
  return at !== null && test(at)
}

function someDay(value: unknown, type: FieldType, clock: Clock, test: (day: Day) => boolean): boolean {
  if (type !== undefined && !dateTypes.has(type)) return false
  if (Array.isArray(value)) return type !== undefined && value.some((element) => someDay(element, type, clock, test))
  const day = toDay(value, clock)
  return day !== null && test(day)
}

const dateTypes: ReadonlySet<FieldType> = new Set<FieldType>(['date', 'datetime', 'moment', 'birthday'])

/** An operator on a day that holds for one of the numbers. */
const day = (
  test: (day: Day, a: number, today: Day) => boolean,
  bounds: { minimum?: number; maximum?: number } = {},
): Operator<'integer'> => ({
  takes: 'integer',
  ...bounds,
  holds: (value, { list }, type, clock) =>
    someDay(value, type, clock, (day) => list.some(({ number }) => test(day, number as number, clock.wall().day))),
})

/** A range of days; the end is exclusive. */
export type Days = readonly [from: Day, until: Day]

const within = (day: Day, [from, until]: Days): boolean => from <= day && day < until

/** The anniversary of a day in a year; 29 February falls on the 28th in other than leap years. */
function anniversary(of: Day, year: number): Day {
  const { month, day } = partsOf(of)
  return dayOf(year, month, Math.min(day, daysInMonth(year, month)))
}

/** A period spans at most two calendar years, so both are tried. */
const hasAnniversary = (of: Day, days: Days): boolean =>
  within(anniversary(of, partsOf(days[0]).year), days) || within(anniversary(of, partsOf(days[1] - 1).year), days)

const oneDay =
  (shift: number) =>
  (today: Day): Days => [today + shift, today + shift + 1]
const week =
  (weeks: number) =>
  (today: Day): Days => [startOfWeek(today) + weeks * 7, startOfWeek(today) + weeks * 7 + 7]
const months =
  (length: number, shift: number) =>
  (today: Day): Days => [startOfPeriod(today, length, shift), startOfPeriod(today, length, shift + 1)]

/** The periods whose operators have a variant `_md` that ignores the year. */
export const nearPeriods = {
  $today: oneDay(0),
  $yesterday: oneDay(-1),
  $tomorrow: oneDay(1),
  $this_week: week(0),
  $last_week: week(-1),
  $next_week: week(1),
  $this_month: months(1, 0),
  $last_month: months(1, -1),
  $next_month: months(1, 1),
}
export const yearPeriods = { $this_year: months(12, 0), $last_year: months(12, -1), $next_year: months(12, 1) }

const period = (days: (today: Day) => Days, ignoresYear: (type: FieldType) => boolean): Operator<'switch'> => ({
  takes: 'switch',
  holds: (value, _, type, clock) =>
    someDay(value, type, clock, (day) => (ignoresYear(type) ? hasAnniversary : within)(day, days(clock.wall().day))),
})

/** Days since the last anniversary of a date, 0 for today; below: days until the next. */
function sinceLast(of: Day, today: Day): number {
  const { year } = partsOf(today)
  const thisYear = anniversary(of, year)
  return today - (thisYear <= today ? thisYear : anniversary(of, year - 1))
}
function untilNext(of: Day, today: Day): number {
  const { year } = partsOf(today)
  const thisYear = anniversary(of, year)
  return (thisYear >= today ? thisYear : anniversary(of, year + 1)) - today
}

const sizeOf = (value: unknown, type: FieldType): number =>
  Array.isArray(value) ? value.length : isMissing(value) && !typesWithoutSize.has(type) ? 0 : Number.NaN

/** Of the built-in fields, only lists have a size. */
const typesWithoutSize: ReadonlySet<FieldType> = new Set<FieldType>(['scalar', 'moment', 'birthday'])

const countOperator = (is: Comparison): Operator<'integer'> => ({
  takes: 'integer',
  minimum: 0,
  holds: (value, { list }, type) => list.some(({ number }) => is(sizeOf(value, type), number as number)),
})

const texts = (test: (value: string, text: string) => boolean): Operator<'text'> => ({
  takes: 'text',
  holds: (value, { list }, type) => hasText(value, type) && list.some(({ text }) => test(value, text)),
})

const inLocation: Holds = (value, { forms }, _, __, { locations }) => {
  const point = isRecord(locations) ? readPoint(value) : null
  return (
    point !== null &&
    areasIn(locations as Locations)
      .at(point)
      .some((id) => forms.has(id))
  )
}

type Locations = NonNullable<Catalogue['locations']>

/** One spatial index over all locations, built once: a filter may name thousands of them. */
const areasIn = memoize((locations: Locations) =>
  indexAreas(
    Object.entries(locations).flatMap(([id, shape]) => {
      const area = areaOf(shape)
      return area === null ? [] : [[id, area] as const]
    }),
  ),
)

/** State operators apply to vouchers, campaigns and jobs, which only the database filters. */
export const stateOperators = [
  '$active',
  '$expired',
  '$before_start',
  '$enabled',
  '$disabled',
  '$redeemed',
  '$redeemable',
  '$failed',
  '$in_progress',
] as const
const state: Operator<'switch'> = { takes: 'switch', holds: () => false }

/** One operator for each entry of a table, under its name and a suffix. */
export const mapOperators = <K extends string, T, R, S extends string = ''>(
  table: Readonly<Record<K, T>>,
  make: (entry: T, name: K) => R,
  suffix = '' as S,
) =>
  Object.fromEntries(
    Object.entries<T>(table).map(([name, entry]) => [name + suffix, make(entry, name as K)]),
  ) as Record<`${K}${S}`, R>

/** Every filter operator (docs/reference/filters.md#meaning-of-the-operators), in the order in which errors list them. */
export const operators = {
  $is: { takes: 'value', holds: equals },
  $is_not: { takes: 'value', holds: not(equals) },
  $in: { takes: 'value', holds: equals },
  $not_in: { takes: 'value', holds: not(equals) },
  $has_value: { takes: 'nothing', holds: not(isMissing) },
  $is_unknown: { takes: 'nothing', holds: isMissing },
  $contains: { takes: 'text', holds: contains },
  $not_contain: { takes: 'text', holds: not(contains) },
  $starts_with: texts((value, text) => value.startsWith(text)),
  $ends_with: texts((value, text) => value.endsWith(text)),
  ...mapOperators(
    comparisons,
    (is, name): Operator<'magnitude'> => ({ takes: 'magnitude', holds: compare(is, name.startsWith('$less')) }),
  ),
  $after: { takes: 'instant', holds: compare(comparisons.$more_than) },
  $before: { takes: 'instant', holds: compare(comparisons.$less_than) },
  ...mapOperators(daysAgo, (test) => day((day, a, today) => test(today - day, a), { minimum: 0 })),
  $count: countOperator((size, a) => size === a),
  $count_more: countOperator((size, a) => size > a),
  $count_less: countOperator((size, a) => size < a),
  ...mapOperators(nearPeriods, (days) => period(days, (type) => type === 'birthday')),
  ...mapOperators(yearPeriods, (days) => period(days, () => false)),
  $is_day: day((day, a) => weekdayOf(day) === a, { minimum: 0, maximum: 6 }),
  $is_day_of_month: day((day, a) => partsOf(day).day === a, { minimum: 1, maximum: 31 }),
  $is_month: day((day, a) => partsOf(day).month === a, { minimum: 1, maximum: 12 }),
  $is_year: day((day, a) => partsOf(day).year === a),
  $is_years_ago: day((day, a, today) => {
    const { year } = partsOf(today)
    return year - partsOf(day).year === a && anniversary(day, year) === today
  }),
  ...mapOperators(nearPeriods, (days) => period(days, () => true), '_md'),
  $is_days_ago_md: day((day, a, today) => sinceLast(day, today) === a),
  $is_more_days_ago_md: day((day, a, today) => sinceLast(day, today) > a),
  $is_less_days_ago_md: day((day, a, today) => sinceLast(day, today) < a),
  $is_days_in_future_md: day((day, a, today) => untilNext(day, today) === a),
  $is_more_days_in_future_md: day((day, a, today) => untilNext(day, today) > a),
  $is_less_days_in_future_md: day((day, a, today) => untilNext(day, today) < a),
  $in_location: { takes: 'text', holds: inLocation },
  $not_in_location: { takes: 'text', holds: not(inLocation) },
  ...(Object.fromEntries(stateOperators.map((name) => [name, state])) as Record<StateOperator, typeof state>),
} satisfies Readonly<Record<`$${string}`, Operator>>

export type FilterOperator = keyof typeof operators
export type StateOperator = (typeof stateOperators)[number]
