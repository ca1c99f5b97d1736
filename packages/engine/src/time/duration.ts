import { addMonths } from './calendar.ts'
import { type Ms, msPerDay } from './instant.ts'
import { momentOf, wallTime, type Zone } from './zone.ts'

/** An ISO 8601 duration: calendar parts, added in local time, and an absolute length. */
export interface Duration {
  readonly months: number
  readonly days: number
  readonly ms: Ms
}

const form = /^P(?!$)(?:(\d+)Y)?(?:(\d+)M)?(?:(\d+)W)?(?:(\d+)D)?(?:T(?=\d)(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?)?$/

/** Parses `P1M`, `PT2H`, `P1DT12H`: whole numbers, not all zero; null otherwise. */
export function readDuration(text: string): Duration | null {
  const found = form.exec(text)
  if (found === null) return null
  const [years, months, weeks, days, hours, minutes, seconds] = found.slice(1).map((part) => Number(part ?? 0)) as Seven
  const duration = {
    months: years * 12 + months,
    days: weeks * 7 + days,
    ms: ((hours * 60 + minutes) * 60 + seconds) * 1_000,
  }
  const { months: m, days: d, ms } = duration
  if (m + d + ms === 0) return null
  return m > partsMax.months || d > partsMax.days || ms > partsMax.ms ? null : duration
}

type Seven = [number, number, number, number, number, number, number]

/** Ten thousand years: beyond the range of dates. */
const partsMax = { months: 120_000, days: 3_652_500, ms: 3_652_500 * msPerDay }

/**
 * Adds a duration `times` times: months and days in local time, from the same start (so that 31 January + 2 × P1M is 31
 * March), then the absolute length. `P1D` keeps the local hour across clock changes, `PT24H` does not.
 */
export function addDuration(at: Ms, duration: Duration, zone: Zone, times = 1): Ms {
  const { months, days, ms } = duration
  if (months === 0 && days === 0) return at + ms * times
  const { day, time } = wallTime(at, zone)
  const laterDay = (months === 0 ? day : addMonths(day, months * times)) + days * times
  return momentOf({ day: laterDay, time }, zone) + ms * times
}

/** Approximate length; off by a few days per year at most. */
export const approximateLength = ({ months, days, ms }: Duration): Ms => (months * 30.436875 + days) * msPerDay + ms
