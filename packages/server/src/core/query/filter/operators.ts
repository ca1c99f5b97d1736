import {
  type Day,
  type Days,
  dayOf,
  type FilterOperator,
  type filterOperators,
  mapOperators,
  nearPeriods,
  partsOf,
  type Scalar,
  type StateOperator,
  stateOperators,
  yearPeriods,
} from '@guerdon/engine'
import type { Shape } from '@guerdon/engine/schema'
import { type SqlBool, sql } from 'kysely'
import { invalidQuery } from '../../http/errors.ts'
import type { Instant } from '../../lib/instant.ts'
import { limits } from '../../lib/limits.ts'
import { type Comparison, daysAgo, distances, type FilterClock, monthDays } from './calendar.ts'
import { any, type Condition, isNot, no } from './conditions.ts'
import { insideSql, pointsCount } from './inside.ts'
import { type DayFormat, fewValues, numberSql, oneOf, type Reading } from './readings.ts'

/** The arguments of an operator, by what it takes. Several are alternatives unless the operator says otherwise. */
interface ArgumentTypes {
  nothing: never
  switch: never
  /** Of the type of the field. */
  value: Scalar
  text: string
  /** A number or a moment: on a date field a number means "days ago". */
  magnitude: number | Instant
  instant: Instant
  integer: number
}

/** The condition that an operator stands for. */
export type OperatorSql<A = Scalar> = (
  value: Reading,
  args: A[],
  clock: FilterClock,
  locations: ReadonlyMap<string, Shape>,
) => Condition

/** Operators that compare the distance of a day from today. A magnitude that is a number does so too. */
export const dayRelativeOperators = {
  $is_days_ago: daysFrom((a, today) => [today - a, today - a + 1]),
  $more_than_ago: daysFrom((a, today) => daysAgo('>', a, today)),
  $less_than_ago: daysFrom((a, today) => daysAgo('<', a, today)),
  $is_days_in_future: daysFrom((a, today) => [today + a, today + a + 1]),
  $more_than_future: daysFrom((a, today) => [today + a + 1, Infinity]),
  $less_than_future: daysFrom((a, today) => [today, today + a]),
  $is_years_ago: yearsAgo,

  ...mapOperators(nearPeriods, (days): OperatorSql<never> => {
    return (v, ...rest) => (v.ignores_year ? anniversary : period)(days)(v, ...rest)
  }),
  ...mapOperators(yearPeriods, period),
  ...mapOperators(nearPeriods, anniversary, '_md'),
  $is_days_ago_md: occurrence('last', (days, a) => days === a),
  $is_more_days_ago_md: occurrence('last', (days, a) => days > a),
  $is_less_days_ago_md: occurrence('last', (days, a) => days < a),
  $is_days_in_future_md: occurrence('next', (days, a) => days === a),
  $is_more_days_in_future_md: occurrence('next', (days, a) => days > a),
  $is_less_days_in_future_md: occurrence('next', (days, a) => days < a),
}

/** Every filter operator; the engine declares what each takes. */
export const operatorsSql: {
  [O in FilterOperator]: OperatorSql<ArgumentTypes[(typeof filterOperators)[O]['takes']]>
} = {
  ...dayRelativeOperators,
  $is: (v, args) => v.equals(args),
  $is_not: (v, args) => isNot(v.equals(args)),
  $in: (v, args) => v.equals(args),
  $not_in: (v, args) => isNot(v.equals(args)),
  $has_value: (v) => isNot(v.missing),
  $is_unknown: (v) => v.missing,
  $contains: contains,
  $not_contain: (v, args) => isNot(contains(v, args)),
  $starts_with: startsWith,
  $ends_with: (v, args) => like(v, args, (text) => `%${text}`),

  $more_than: compare('>'),
  $less_than: compare('<'),
  $more_than_equal: compare('>='),
  $less_than_equal: compare('<='),
  $more_than_or_equal: compare('>='),
  $less_than_or_equal: compare('<='),
  $after: compare('>'),
  $before: compare('<'),

  $count: hasSize('='),
  $count_more: hasSize('>'),
  $count_less: hasSize('<'),

  $is_day: (v, args) =>
    spelled(
      v,
      'D',
      args.map((a) => String(a + 1)),
    ),
  $is_day_of_month: (v, args) => spelled(v, 'DD', args.map(twoDigits)),
  $is_month: (v, args) => spelled(v, 'MM', args.map(twoDigits)),
  $is_year: (v, args) =>
    within(
      v,
      args.map((a) => [dayOf(a, 1, 1), dayOf(a + 1, 1, 1)]),
    ),

  $in_location: inside,
  $not_in_location: (...given) => isNot(inside(...given)),

  ...(Object.fromEntries(stateOperators.map((name) => [name, state(name)])) as Record<
    StateOperator,
    OperatorSql<never>
  >),
}

/** True on days at the given distance from today. */
function daysFrom(days: (a: number, today: Day) => Days): OperatorSql<number> {
  return (v, args, { today }) =>
    within(
      v,
      args.map((a) => days(a, today)),
    )
}

function period(days: (today: Day) => Days): OperatorSql<never> {
  return (v, _, { today }) => within(v, [days(today)])
}

/** The same period in any year: one of its days has the month and day of the value. */
function anniversary(days: (today: Day) => Days): OperatorSql<never> {
  return (v, _, { today }) => spelled(v, 'MM-DD', monthDays(days(today)))
}

/** The distance from today to the last or next day that has the month and day of the value. */
function occurrence(which: 'last' | 'next', test: (days: number, a: number) => boolean): OperatorSql<number> {
  return (v, args, { today }) => {
    const near = [...distances(today, which)].filter(([, days]) => args.some((a) => test(days, a)))
    return spelled(
      v,
      'MM-DD',
      near.map(([monthDay]) => monthDay),
    )
  }
}

function state(name: StateOperator): OperatorSql<never> {
  return ({ states }, _, { moment }) => states?.[name]?.(moment) ?? no
}

/** True if a text contains one of the arguments, or if an array contains all of them as elements. */
function contains(v: Reading, args: string[]): Condition {
  const inText = like(v, args, (text) => `%${text}%`)
  return v.elements === undefined ? inText : any([inText, v.elements(args)])
}

/** Few arguments are alternatives of their own: `like` with one pattern reads a range of an index, `like any` compares every row. */
function startsWith(v: Reading, args: string[]): Condition {
  const pattern = (text: string) => `${text}%`
  if (v.text?.fold_one === undefined || args.length > fewValues) return like(v, args, pattern)
  return any([...new Set(args)].map((a) => like(v, [a], pattern)))
}

function like({ text }: Reading, args: string[], pattern: (escaped: string) => string): Condition {
  if (text === undefined) return no
  const { value, fold, fold_one } = text
  // The empty argument matches every text except the empty one, which counts as missing.
  const patterns = args.filter((a) => a !== '').map((a) => pattern(a.replace(/[\\%_]/g, '\\$&')))
  const [first, ...others] = patterns
  const isLike = (): Condition =>
    first !== undefined && others.length === 0 && fold_one !== undefined
      ? sql`${value} like ${fold_one(first)}`
      : sql`${value} like any(${fold(patterns)})`
  return any([
    ...(patterns.length < args.length ? [sql<SqlBool>`${value} <> ''`] : []),
    ...(patterns.length === 0 ? [] : [isLike()]),
  ])
}

/** Of several arguments the weakest decides: more than one of them is more than the least. */
function compare(is: Comparison): OperatorSql<number | Instant> {
  return ({ number, instant, days }, args, { today }) => {
    const [numbers, moments] = [args.filter((a) => typeof a === 'number'), args.filter((a) => typeof a === 'string')]
    const [bound, moment] = [weakest(is, numbers), weakest(is, moments)]
    return any([
      ...(moment === undefined || instant === undefined
        ? []
        : [instant((at) => sql`${at} ${sql.raw(is)} ${moment}::timestamptz`)]),
      ...(bound === undefined || number === undefined
        ? []
        : [sql<SqlBool>`${number} ${sql.raw(is)} ${numberSql(bound)}`]),
      ...(bound === undefined || days === undefined ? [] : [days.within(numbers.map((a) => daysAgo(is, a, today)))]),
    ])
  }
}

/** The bound that every value within one of the bounds is within; instants of the API sort as text. */
function weakest<A extends number | Instant>(is: Comparison, bounds: readonly A[]): A | undefined {
  const isLower = is === '>' || is === '>='
  return bounds.reduce<A | undefined>(
    (least, a) => (least === undefined || isLower === a < least ? a : least),
    undefined,
  )
}

function hasSize(is: '=' | '>' | '<'): OperatorSql<number> {
  return ({ size }, args) => {
    if (size === undefined) return no
    if (is === '=') return oneOf(size, args, numberSql)
    const bound = weakest(is, args)
    return bound === undefined ? no : sql`${size} ${sql.raw(is)} ${numberSql(bound)}`
  }
}

/** A value that is not a point, and an unknown location, never match. */
function inside({ point }: Reading, ids: string[], _: FilterClock, locations: ReadonlyMap<string, Shape>): Condition {
  const shapes = [...new Set(ids)].flatMap((id) => locations.get(id) ?? [])
  if (point === undefined || shapes.length === 0) return no
  // Checked here, because a filter contains only the ids of locations and not their shapes.
  if (shapes.reduce((sum, shape) => sum + pointsCount(shape), 0) > limits.filter_points_max)
    throw invalidQuery(`Locations of a filter must NOT have more than ${limits.filter_points_max} points together`)
  return insideSql(point, shapes)
}

const within = ({ days }: Reading, ranges: Days[]): Condition => days?.within(ranges) ?? no
const spelled = ({ days }: Reading, format: DayFormat, texts: string[]): Condition => days?.spelled(format, texts) ?? no

const twoDigits = (value: number): string => String(value).padStart(2, '0')

function yearsAgo(v: Reading, args: number[], { today }: FilterClock): Condition {
  const monthDaysOfToday = monthDays([today, today + 1])
  const years = args.map((a) => String(partsOf(today).year - a).padStart(4, '0'))
  return spelled(
    v,
    'YYYY-MM-DD',
    years.flatMap((year) => monthDaysOfToday.map((monthDay) => `${year}-${monthDay}`)),
  )
}
