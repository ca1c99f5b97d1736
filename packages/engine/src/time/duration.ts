import { addMonths } from './calendar.ts'
import { type Ms, msPerDay } from './instant.ts'
import { momentOf, wallTime, type Zone } from './zone.ts'

/** An ISO 8601 duration: calendar parts, which the wall clock adds, and a length of time. */
export interface Duration {
  readonly months: number
  readonly days: number
  readonly ms: Ms
}

const form = /^P(?!$)(?:(\d+)Y)?(?:(\d+)M)?(?:(\d+)W)?(?:(\d+)D)?(?:T(?=\d)(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?)?$/

/** `P1M`, `PT2H`, `P1DT12H`: whole numbers, not all of them zero; or null. */
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

/** Ten thousand years; what lies beyond is no date any more. */
const partsMax = { months: 120_000, days: 3_652_500, ms: 3_652_500 * msPerDay }

/**
 * The moment some durations later: months and days on the wall clock, from the same start (so that 31 January + 2 × P1M is
 * 31 March), then the time on the absolute line. `P1D` keeps the local hour when clocks change, `PT24H` does not.
 */
export function addDuration(at: Ms, duration: Duration, zone: Zone, times = 1): Ms {
  const { months, days, ms } = duration
  if (months === 0 && days === 0) return at + ms * times
  const { day, time } = wallTime(at, zone)
  const moved = (months === 0 ? day : addMonths(day, months * times)) + days * times
  return momentOf({ day: moved, time }, zone) + ms * times
}

/** About how long it is; off by a few days in a year at most. */
export const roughly = ({ months, days, ms }: Duration): Ms => (months * 30.436875 + days) * msPerDay + ms
