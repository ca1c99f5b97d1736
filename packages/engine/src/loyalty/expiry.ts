import { assert } from '../assert.ts'
import type { PendingPoints, PointsExpirationRules } from '../schema/loyalty.ts'
import { addMonths, type Day, dayOf, daysInMonth, dayText, endOfPeriod, partsOf, readDay } from '../time/index.ts'

/**
 * The last day of points credited on a day, or null when they never expire
 * (docs/reference/points.md#expiration-date-of-credited-points). The rules are those of the earning rule, else of the
 * campaign.
 *
 * `expirationDate('2025-02-10', { period_type: 'MONTH', period_value: 3, rounding_type: 'END_OF_QUARTER' })` →
 * `2025-06-30`: 10 May lies in the second quarter.
 * /
 */
export function expirationDate(creditedOn: string, rules: PointsExpirationRules | null | undefined): string | null {
  if (rules == null) return null
  const day = dayAt(creditedOn)
  return dateTextOf(rules.period_type === 'MONTH' ? monthsLater(day, rules) : nextFixedDay(day, rules))
}

/**
 * The day on which pending points become active; null means immediately.
 *
 * `activationDate('2025-03-06', { period_type: 'DAY', period_value: 3 })` → `2025-03-09`.
 * /
 */
export function activationDate(happenedOn: string, pending: PendingPoints | null | undefined): string | null {
  return pending == null ? null : dateTextOf(dayAt(happenedOn) + pending.period_value)
}

type OfType<T> = Extract<PointsExpirationRules, { period_type: T }>

function monthsLater(day: Day, { period_value, rounding_type, rounding_value }: OfType<'MONTH'>): Day {
  const later = addMonths(day, period_value)
  if (rounding_type == null) return later
  if (rounding_type === 'PARTICULAR_MONTH') return endOfNextMonth(later, rounding_value ?? partsOf(later).month)
  return endOfPeriod(later, months[rounding_type])
}

const months = { END_OF_MONTH: 1, END_OF_QUARTER: 3, END_OF_HALF_YEAR: 6, END_OF_YEAR: 12 }

/** The last day of the next month with this number (1 is January), which may be the current month. */
export function endOfNextMonth(day: Day, number: number): Day {
  const { year, month } = partsOf(day)
  return dayOf(number < month ? year + 1 : year, number + 1, 1) - 1
}

function nextFixedDay(day: Day, { fixed_month, fixed_day }: OfType<'FIXED_DAY_OF_YEAR'>): Day {
  const { year } = partsOf(day)
  const of = (year: number) => dayOf(year, fixed_month, Math.min(fixed_day, daysInMonth(year, fixed_month)))
  return of(year) < day ? of(year + 1) : of(year)
}

export function dayAt(date: string): Day {
  const day = readDay(date)
  assert(day !== null, `not a date: ${date}`)
  return day
}

/** Dates are capped at the year 9999: later dates would not sort as strings. */
export const dateTextOf = (day: Day): string => dayText(Math.min(day, lastDay))

const lastDay = dayOf(10_000, 1, 1) - 1
