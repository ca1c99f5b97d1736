import type { Shape } from '@guerdon/engine/schema'
import { type SqlBool, sql } from 'kysely'
import type { Temporal } from 'temporal-polyfill'
import { invalidQuery } from '../../http/errors.ts'
import type { Instant } from '../../lib/instant.ts'
import { limits } from '../../lib/limits.ts'
import {
  type Clock,
  type Comparison,
  type Days,
  daysAgo,
  daysOf,
  distances,
  endOfTime,
  month,
  monthDays,
  shift,
  twoDigits,
  week,
  year,
} from './calendar.ts'
import { all, any, type Condition, isNot, no } from './conditions.ts'
import type { Scalar, StateOperator } from './field.ts'
import { insideSql, pointsCount } from './inside.ts'
import { type DayFormat, numberSql, type Reading } from './readings.ts'

/**
 * The arguments of an operator: nothing (any argument is ignored), a switch (`false` disables the operator), or one or more
 * values. Several values are alternatives unless the operator says otherwise.
 */
export interface Arguments {
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

interface Operator<T extends keyof Arguments> {
  takes: T
  minimum?: number
  maximum?: number
  /** Whether it compares the distance of a day from today. A magnitude that is a number does so too. */
  is_day_relative?: true
  holds(value: Reading, args: Arguments[T][], clock: Clock, locations: ReadonlyMap<string, Shape>): Condition
}
export type Test = Pick<Operator<'value'>, 'holds'>
export type AnyOperator = { [T in keyof Arguments]: Operator<T> }[keyof Arguments]

/** Every filter operator, in the order in which an error lists them. */
export const filterOperators = {
  $is: { takes: 'value', holds: (v, args) => v.equals(args) },
  $is_not: { takes: 'value', holds: (v, args) => isNot(v.equals(args)) },
  $in: { takes: 'value', holds: (v, args) => v.equals(args) },
  $not_in: { takes: 'value', holds: (v, args) => isNot(v.equals(args)) },
  $has_value: { takes: 'nothing', holds: (v) => isNot(v.missing) },
  $is_unknown: { takes: 'nothing', holds: (v) => v.missing },
  $contains: { takes: 'text', holds: contains },
  $not_contain: { takes: 'text', holds: (v, args) => isNot(contains(v, args)) },
  $starts_with: { takes: 'text', holds: (v, args) => like(v, args, (text) => `${text}%`) },
  $ends_with: { takes: 'text', holds: (v, args) => like(v, args, (text) => `%${text}`) },

  $more_than: each('magnitude', (v, a, clock) => compare(v, '>', a, clock)),
  $less_than: each('magnitude', (v, a, clock) => compare(v, '<', a, clock)),
  $more_than_equal: each('magnitude', (v, a, clock) => compare(v, '>=', a, clock)),
  $less_than_equal: each('magnitude', (v, a, clock) => compare(v, '<=', a, clock)),
  $more_than_or_equal: each('magnitude', (v, a, clock) => compare(v, '>=', a, clock)),
  $less_than_or_equal: each('magnitude', (v, a, clock) => compare(v, '<=', a, clock)),
  $after: each('instant', (v, a, clock) => compare(v, '>', a, clock)),
  $before: each('instant', (v, a, clock) => compare(v, '<', a, clock)),

  $is_days_ago: daysFrom((a, today) => daysOf(shift(today, -a))),
  $more_than_ago: daysFrom((a, today) => daysAgo('>', a, today)),
  $less_than_ago: daysFrom((a, today) => daysAgo('<', a, today)),
  $is_days_in_future: daysFrom((a, today) => daysOf(shift(today, a))),
  $more_than_future: daysFrom((a, today) => [shift(today, a + 1), endOfTime]),
  $less_than_future: daysFrom((a, today) => [today, shift(today, a)]),

  $count: each('integer', (v, a) => hasSize(v, '=', a), { minimum: 0 }),
  $count_more: each('integer', (v, a) => hasSize(v, '>', a), { minimum: 0 }),
  $count_less: each('integer', (v, a) => hasSize(v, '<', a), { minimum: 0 }),

  $today: period((today) => daysOf(today)),
  $yesterday: period((today) => daysOf(shift(today, -1))),
  $tomorrow: period((today) => daysOf(shift(today, 1))),
  $this_week: period((today) => week(today, 0)),
  $last_week: period((today) => week(today, -1)),
  $next_week: period((today) => week(today, 1)),
  $this_month: period((today) => month(today, 0)),
  $last_month: period((today) => month(today, -1)),
  $next_month: period((today) => month(today, 1)),
  $this_year: yearFrom(0),
  $last_year: yearFrom(-1),
  $next_year: yearFrom(1),

  $is_day: each('integer', (v, a) => spelled(v, 'D', [String(a + 1)]), { minimum: 0, maximum: 6 }),
  $is_day_of_month: each('integer', (v, a) => spelled(v, 'DD', [twoDigits(a)]), { minimum: 1, maximum: 31 }),
  $is_month: each('integer', (v, a) => spelled(v, 'MM', [twoDigits(a)]), { minimum: 1, maximum: 12 }),
  $is_year: each('integer', (v, a) => within(v, year(a))),
  $is_years_ago: { ...each('integer', yearsAgo), is_day_relative: true },

  $today_md: anniversary((today) => daysOf(today)),
  $yesterday_md: anniversary((today) => daysOf(shift(today, -1))),
  $tomorrow_md: anniversary((today) => daysOf(shift(today, 1))),
  $this_week_md: anniversary((today) => week(today, 0)),
  $last_week_md: anniversary((today) => week(today, -1)),
  $next_week_md: anniversary((today) => week(today, 1)),
  $this_month_md: anniversary((today) => month(today, 0)),
  $last_month_md: anniversary((today) => month(today, -1)),
  $next_month_md: anniversary((today) => month(today, 1)),
  $is_days_ago_md: occurrence('last', (days, a) => days === a),
  $is_more_days_ago_md: occurrence('last', (days, a) => days > a),
  $is_less_days_ago_md: occurrence('last', (days, a) => days < a),
  $is_days_in_future_md: occurrence('next', (days, a) => days === a),
  $is_more_days_in_future_md: occurrence('next', (days, a) => days > a),
  $is_less_days_in_future_md: occurrence('next', (days, a) => days < a),

  $in_location: { takes: 'text', holds: (v, args, _, locations) => inside(v, args, locations) },
  $not_in_location: { takes: 'text', holds: (v, args, _, locations) => isNot(inside(v, args, locations)) },

  $active: state('$active'),
  $expired: state('$expired'),
  $before_start: state('$before_start'),
  $enabled: state('$enabled'),
  $disabled: state('$disabled'),
  $redeemed: state('$redeemed'),
  $redeemable: state('$redeemable'),
  $failed: state('$failed'),
  $in_progress: state('$in_progress'),
} satisfies Record<`$${string}`, AnyOperator> & Record<StateOperator, Operator<'switch'>>

function each<T extends keyof Arguments>(
  takes: T,
  holds: (value: Reading, a: Arguments[T], clock: Clock) => Condition,
  bounds: { minimum?: number; maximum?: number } = {},
): Operator<T> {
  return { takes, ...bounds, holds: (value, args, clock) => any(args.map((a) => holds(value, a, clock))) }
}

/** True on days at the given distance from today. */
function daysFrom(days: (a: number, today: Temporal.PlainDate) => Days): Operator<'integer'> {
  const { holds } = each('integer', (v, a, { today }) => within(v, days(a, today)))
  return { takes: 'integer', minimum: 0, is_day_relative: true, holds }
}

function period(days: (today: Temporal.PlainDate) => Days): Operator<'switch'> {
  const { holds } = anniversary(days)
  return {
    takes: 'switch',
    is_day_relative: true,
    holds: (v, args, clock, locations) =>
      v.ignores_year ? holds(v, args, clock, locations) : within(v, days(clock.today)),
  }
}

function yearFrom(years: number): Operator<'switch'> {
  return {
    takes: 'switch',
    is_day_relative: true,
    holds: (v, _, { today }) => within(v, year(today.year + years)),
  }
}

/** The same period in any year: one of its days has the month and day of the value. */
function anniversary(days: (today: Temporal.PlainDate) => Days): Operator<'switch'> {
  return {
    takes: 'switch',
    is_day_relative: true,
    holds: (v, _, { today }) => spelled(v, 'MM-DD', monthDays(days(today))),
  }
}

/** The distance from today to the last or next day that has the month and day of the value. */
function occurrence(which: 'last' | 'next', test: (days: number, a: number) => boolean): Operator<'integer'> {
  return {
    takes: 'integer',
    is_day_relative: true,
    holds(v, args, { today }) {
      const near = [...distances(today, which)].filter(([, days]) => args.some((a) => test(days, a)))
      return spelled(
        v,
        'MM-DD',
        near.map(([monthDay]) => monthDay),
      )
    },
  }
}

function state(name: StateOperator): Operator<'switch'> {
  return { takes: 'switch', holds: ({ states }, _, { moment }) => states?.[name]?.(moment) ?? no }
}

/** True if a text contains one of the arguments, or if an array contains all of them as elements. */
function contains(v: Reading, args: string[]): Condition {
  const { element } = v
  const inText = like(v, args, (text) => `%${text}%`)
  return element === undefined ? inText : any([inText, all(args.map(element))])
}

function like({ text }: Reading, args: string[], pattern: (escaped: string) => string): Condition {
  if (text === undefined) return no
  const { value, fold } = text
  // The empty argument matches every text except the empty one, which counts as missing.
  return any(
    args.map((a) =>
      a === '' ? sql`${value} <> ''` : sql`${value} like ${fold(pattern(a.replace(/[\\%_]/g, '\\$&')))}`,
    ),
  )
}

function compare({ number, instant, days }: Reading, is: Comparison, a: number | Instant, { today }: Clock): Condition {
  if (typeof a === 'string') return instant?.((at) => sql`${at} ${sql.raw(is)} ${a}::timestamptz`) ?? no
  return any([
    ...(number === undefined ? [] : [sql<SqlBool>`${number} ${sql.raw(is)} ${numberSql(a)}`]),
    ...(days === undefined ? [] : [days.within(daysAgo(is, a, today))]),
  ])
}

function hasSize({ size }: Reading, is: '=' | '>' | '<', a: number): Condition {
  return size === undefined ? no : sql`${size} ${sql.raw(is)} ${numberSql(a)}`
}

/** A value that is not a point, and an unknown location, never match. */
function inside({ point }: Reading, ids: string[], locations: ReadonlyMap<string, Shape>): Condition {
  const shapes = [...new Set(ids)].flatMap((id) => locations.get(id) ?? [])
  if (point === undefined || shapes.length === 0) return no
  // Checked here, because a filter contains only the ids of locations and not their shapes.
  if (shapes.reduce((sum, shape) => sum + pointsCount(shape), 0) > limits.filter_points_max)
    throw invalidQuery(`Locations of a filter must NOT have more than ${limits.filter_points_max} points together`)
  return insideSql(point, shapes)
}

const within = ({ days }: Reading, range: Days): Condition => days?.within(range) ?? no
const spelled = ({ days }: Reading, format: DayFormat, texts: string[]): Condition => days?.spelled(format, texts) ?? no

function yearsAgo(v: Reading, a: number, { today }: Clock): Condition {
  const year = String(today.year - a).padStart(4, '0')
  const days = monthDays(daysOf(today)).map((monthDay) => `${year}-${monthDay}`)
  return spelled(v, 'YYYY-MM-DD', days)
}

export type FilterOperator = keyof typeof filterOperators
