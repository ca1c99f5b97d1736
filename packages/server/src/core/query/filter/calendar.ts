import { type Expression, sql } from 'kysely'
import { Temporal } from 'temporal-polyfill'
import type { Moment } from './field.ts'

export type Comparison = '>' | '<' | '>=' | '<='

/** Whole days, from the first up to but not including the second. */
export type Days = [from: Temporal.PlainDate, until: Temporal.PlainDate]

export const daysOf = (day: Temporal.PlainDate): Days => [day, shift(day, 1)]

/** Clamped: beyond any date we store the exact day does not matter, but Temporal throws outside its range. */
export const shift = (day: Temporal.PlainDate, days: number): Temporal.PlainDate =>
  day.add({ days: Math.max(-4_000_000, Math.min(days, 4_000_000)) })

const startOfTime = Temporal.PlainDate.from({ year: 1, month: 1, day: 1 })
export const endOfTime = Temporal.PlainDate.from({ year: 10_000, month: 1, day: 1 })

/** The days for which "days ago" compares with `a` as requested; a future day is not "less than 5 days ago". */
export function daysAgo(is: Comparison, a: number, today: Temporal.PlainDate): Days {
  switch (is) {
    case '>':
      return [startOfTime, shift(today, -Math.floor(a))]
    case '>=':
      return [startOfTime, shift(today, 1 - Math.ceil(a))]
    case '<':
      return [shift(today, 1 - Math.ceil(a)), shift(today, 1)]
    case '<=':
      return [shift(today, -Math.floor(a)), shift(today, 1)]
  }
}

/** Weeks start on Monday. */
export function week(today: Temporal.PlainDate, weeks: number): Days {
  const monday = today.subtract({ days: today.dayOfWeek - 1 }).add({ weeks })
  return [monday, monday.add({ weeks: 1 })]
}

export function month(today: Temporal.PlainDate, months: number): Days {
  const first = today.with({ day: 1 }).add({ months })
  return [first, first.add({ months: 1 })]
}

export function year(year: number): Days {
  if (year < 1) return [startOfTime, startOfTime]
  if (year > 9_999) return [endOfTime, endOfTime]
  const first = Temporal.PlainDate.from({ year, month: 1, day: 1 })
  return [first, first.add({ years: 1 })]
}

/** The month and day of each day of a range, as `MM-DD`. */
export function monthDays([from, until]: Days): string[] {
  const result: string[] = []
  const end = utc(until)
  for (let at = utc(from); at < end; at += dayMs) result.push(...monthDayAt(at))
  return result
}

/** 28 February also counts as the 29th in a year without one. */
function monthDayAt(at: number): string[] {
  const [monthDay, next] = [at, at + dayMs].map((day) => new Date(day).toISOString().slice(5, 10)) as [string, string]
  return monthDay === '02-28' && next === '03-01' ? [monthDay, '02-29'] : [monthDay]
}

/** How many days ago, or ahead, each month and day of the year was or is; today is 0 days away. */
export function distances(today: Temporal.PlainDate, which: 'last' | 'next'): Map<string, number> {
  const distanceByMonthDay = new Map<string, number>()
  const start = utc(today)
  const step = which === 'last' ? -dayMs : dayMs
  for (let days = 0; days <= 366; days += 1) {
    for (const monthDay of monthDayAt(start + days * step)) {
      if (!distanceByMonthDay.has(monthDay)) distanceByMonthDay.set(monthDay, days)
    }
  }
  return distanceByMonthDay
}

// Iterating over a year with Temporal takes milliseconds; UTC days all have the same length.
const dayMs = 86_400_000
const utc = ({ year, month, day }: Temporal.PlainDate): number => Date.UTC(year, month - 1, day)
export const twoDigits = (value: number): string => String(value).padStart(2, '0')

export interface Clock {
  moment: Moment
  today: Temporal.PlainDate
  zone: Zone
}

/** A time zone as Temporal names it, and as PostgreSQL accepts it in `at time zone`. */
export interface Zone {
  name: string
  sql: Expression<unknown>
}

export function clockOf(moment: Moment): Clock {
  const zone = zoneOf(moment.timezone)
  return { moment, today: Temporal.Instant.from(moment.now).toZonedDateTimeISO(zone.name).toPlainDate(), zone }
}

/** The calendar day of the project, as `YYYY-MM-DD`. Cached for the day, because every request needs it. */
export function todayIn({ now, timezone }: Moment): string {
  const cached = todayByZone.get(timezone)
  if (cached !== undefined && cached.from <= now && now < cached.until) return cached.today
  const { today, zone } = clockOf({ now, timezone })
  if (todayByZone.size === zonesCachedMax) todayByZone.clear()
  todayByZone.set(timezone, {
    today: today.toString(),
    from: instantOf(today, zone),
    until: instantOf(shift(today, 1), zone),
  })
  return today.toString()
}

const todayByZone = new Map<string, { today: string; from: string; until: string }>()
const zonesCachedMax = 1_000

/** Always with milliseconds, so that string comparison is time comparison. */
const instantOf = (day: Temporal.PlainDate, zone: Zone): string =>
  new Date(day.toZonedDateTime(zone.name).epochMilliseconds).toISOString()

/**
 * `Europe/Warsaw`, `GMT`, `GMT+2`, `GMT-03:30`. As text, PostgreSQL would read `GMT+2` the POSIX way, two hours *west*
 * of Greenwich; as an interval it means what it says.
 */
function zoneOf(timezone: string): Zone {
  const offset = /^GMT([+-])(\d{1,2})(?::?(\d{2}))?$/.exec(timezone)
  if (offset === null) return { name: timezone, sql: sql`${summerTime[timezone.toUpperCase()] ?? timezone}::text` }
  const [, sign, hours = '', minutes = '00'] = offset
  const name = `${sign}${hours.padStart(2, '0')}:${minutes}`
  return { name, sql: sql`${name}::interval` }
}

/** Zones with summer time that PostgreSQL treats as abbreviations with a fixed offset, and the zones they link to. */
const summerTime: Partial<Record<string, string>> = {
  CET: 'Europe/Brussels',
  MET: 'Europe/Brussels',
  EET: 'Europe/Athens',
  WET: 'Europe/Lisbon',
}

/** PostgreSQL's infinity for dates outside the years that we store. */
function infinite(day: Temporal.PlainDate): string | null {
  if (day.year < 2) return '-infinity'
  return day.year > 9_999 ? 'infinity' : null
}

export const dateText = (day: Temporal.PlainDate): string => infinite(day) ?? day.toString()
export const startOfDay = (day: Temporal.PlainDate, zone: Zone): string =>
  infinite(day) ?? day.toZonedDateTime(zone.name).toInstant().toString()
