import { addMonths, type Clock, type Day, partsOf } from '../time/index.ts'
import { ceil, compare, type Exact, floor, halfUp, power, type Rounding, roundTo, whole } from './exact.ts'
import type { UnlocatedFault } from './fault.ts'
import { dayOn, instantOf, isNumber, momentValueOf, pointOf, type Value } from './value.ts'

/** A function that evaluates all its arguments; `apply` returns null when their types do not fit. */
export interface PlainFunction {
  readonly least: number
  readonly most: number
  readonly apply: (args: readonly Value[], clock: Clock) => Value | UnlocatedFault | null
}

const extreme = (sign: 1 | -1): PlainFunction => ({
  least: 1,
  most: Number.POSITIVE_INFINITY,
  apply: (args) =>
    args.every(isNumber) ? args.reduce((best, next) => (compare(next, best) * sign > 0 ? next : best)) : null,
})

const rounding = (how: Rounding): PlainFunction => ({
  least: 1,
  most: 2,
  apply: ([a, digits = whole(0)]) =>
    isNumber(a as Value) && isNumber(digits) ? roundTo(a as Exact, digits, how) : null,
})

/** A function of one date, taken as a day in the project's time zone. */
const ofDay = (measure: (day: Day, today: Day) => number): PlainFunction => ({
  least: 1,
  most: 1,
  apply: ([date], clock) => {
    const moment = momentValueOf(date as Value)
    return moment === null ? null : whole(measure(dayOn(moment, clock), clock.wall().day))
  },
})

/** Whole months from the earlier day: 31 January to 28 February is one. */
function monthsBetween(from: Day, to: Day): number {
  if (to < from) return 0 - monthsBetween(to, from)
  const [a, b] = [partsOf(from), partsOf(to)]
  const months = (b.year - a.year) * 12 + b.month - a.month
  return addMonths(from, months) > to ? months - 1 : months
}

export const functions: Readonly<Record<string, PlainFunction>> = {
  MIN: extreme(-1),
  MAX: extreme(1),
  POW: {
    least: 2,
    most: 2,
    apply: ([a, b]) => (isNumber(a as Value) && isNumber(b as Value) ? power(a as Exact, b as Exact) : null),
  },
  ROUND: rounding(halfUp),
  FLOOR: rounding(floor),
  CEIL: rounding(ceil),
  DAY_OF_MONTH: ofDay((day) => partsOf(day).day),
  MONTH: ofDay((day) => partsOf(day).month),
  YEAR: ofDay((day) => partsOf(day).year),
  DAYS_SINCE: ofDay((day, today) => today - day),
  MONTHS_SINCE: ofDay(monthsBetween),
  YEARS_SINCE: ofDay((day, today) => Math.trunc(monthsBetween(day, today) / 12)),
  DAYS_UNTIL: ofDay((day, today) => day - today),
  MONTHS_UNTIL: ofDay((day, today) => monthsBetween(today, day)),
  DATE: {
    least: 1,
    most: 1,
    apply: ([date], clock) => {
      const moment = momentValueOf(date as Value)
      return moment === null ? null : { day: dayOn(moment, clock) }
    },
  },
  DATE_TIME: {
    least: 1,
    most: 1,
    apply: ([date], clock) => {
      // A string is an instant, as elsewhere in the contract: without a zone it is UTC.
      const moment = typeof date === 'string' ? pointOf(date) : momentValueOf(date as Value)
      return moment === null ? null : { at: instantOf(moment, clock) }
    },
  },
}
