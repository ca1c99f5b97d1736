import { clockAt, type Day, type Days, dayOf, dayText, startOfDay, type Zone } from '@guerdon/engine'
import { type Expression, sql } from 'kysely'
import { toInstant } from '../../lib/instant.ts'
import type { FilterMoment } from './field.ts'

export type Comparison = '>' | '<' | '>=' | '<='

export interface FilterClock {
  moment: FilterMoment
  today: Day
  zone: Zone
  /** The time zone as PostgreSQL accepts it in `at time zone`. */
  zone_sql: Expression<unknown>
}

export function clockOf(moment: FilterMoment): FilterClock {
  const { zone, wall } = clockAt(moment.now, moment.timezone)
  return { moment, today: wall().day, zone, zone_sql: zoneSql(moment.timezone) }
}

/** The calendar day of the project, as `YYYY-MM-DD`. */
export const todayIn = ({ now, timezone }: FilterMoment): string => dayText(clockAt(now, timezone).wall().day)

/**
 * `Europe/Warsaw`, `GMT`, `GMT+2`, `GMT-03:30`. As text, PostgreSQL would read `GMT+2` the POSIX way, two hours *west*
 * of Greenwich; as an interval it means what it says.
 */
function zoneSql(timezone: string): Expression<unknown> {
  const [, sign, hours = '', minutes = '00'] = /^GMT([+-])(\d{1,2})(?::?(\d{2}))?$/.exec(timezone) ?? []
  if (sign !== undefined) return sql`${`${sign}${hours.padStart(2, '0')}:${minutes}`}::interval`
  return sql`${summerTime[timezone.toUpperCase()] ?? timezone}::text`
}

/** Zones with summer time that PostgreSQL treats as abbreviations with a fixed offset, and the zones they link to. */
const summerTime: Partial<Record<string, string>> = {
  CET: 'Europe/Brussels',
  MET: 'Europe/Brussels',
  EET: 'Europe/Athens',
  WET: 'Europe/Lisbon',
}

/** The days for which "days ago" compares with `a` as requested; a future day is not "less than 5 days ago". */
export function daysAgo(is: Comparison, a: number, today: Day): Days {
  switch (is) {
    case '>':
      return [-Infinity, today - Math.floor(a)]
    case '>=':
      return [-Infinity, today + 1 - Math.ceil(a)]
    case '<':
      return [today + 1 - Math.ceil(a), today + 1]
    case '<=':
      return [today - Math.floor(a), today + 1]
  }
}

/** The same days in as few ranges as possible: those that touch are joined, empty ones dropped. */
export function mergedDays(ranges: readonly Days[]): Days[] {
  const merged: Days[] = []
  const sorted = ranges.filter(([from, until]) => from < until).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
  for (const [from, until] of sorted) {
    const last = merged.at(-1)
    if (last === undefined || last[1] < from) merged.push([from, until])
    else if (last[1] < until) merged[merged.length - 1] = [last[0], until]
  }
  return merged
}

/** The month and day of each day of a range, as `MM-DD`. */
export function monthDays([from, until]: Days): string[] {
  const result: string[] = []
  for (let day = from; day < until; day += 1) result.push(...monthDaysOf(day))
  return result
}

/** 28 February also counts as the 29th in a year without one. */
function monthDaysOf(day: Day): string[] {
  const [monthDay, next] = [dayText(day).slice(-5), dayText(day + 1).slice(-5)]
  return monthDay === '02-28' && next === '03-01' ? [monthDay, '02-29'] : [monthDay]
}

/** How many days ago, or ahead, each month and day of the year was or is; today is 0 days away. */
export function distances(today: Day, which: 'last' | 'next'): Map<string, number> {
  const distanceByMonthDay = new Map<string, number>()
  for (let days = 0; days <= 366; days += 1) {
    for (const monthDay of monthDaysOf(which === 'last' ? today - days : today + days)) {
      if (!distanceByMonthDay.has(monthDay)) distanceByMonthDay.set(monthDay, days)
    }
  }
  return distanceByMonthDay
}

const firstDay = dayOf(2, 1, 1)
const lastDay = dayOf(9_999, 12, 31)

/** PostgreSQL's infinity for dates outside the years that we store. */
const infinite = (day: Day): string | null => (day < firstDay ? '-infinity' : day > lastDay ? 'infinity' : null)

export const dateText = (day: Day): string => infinite(day) ?? dayText(day)
export const startOfDayText = (day: Day, { zone }: { zone: Zone }): string =>
  infinite(day) ?? toInstant(startOfDay(day, zone))
