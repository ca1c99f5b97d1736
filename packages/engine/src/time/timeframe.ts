import { addDuration, approximateLength, type Duration } from './duration.ts'
import { type Ms, msPerDay } from './instant.ts'
import type { Zone } from './zone.ts'

/** Recurring windows of one length, from a start on, without end. */
export interface Timeframe {
  start: Ms
  interval: Duration
  duration: Duration
}

/**
 * Whether a window contains an instant; the end of a window is exclusive (docs/reference/validity-periods.md#time-frame).
 *
 * Every two days for three hours, from 6 January 08:00: 10 January 10:59 is inside, 11:00 is not, nor is 9 January.
 * /
 */
export function isInTimeframe({ start, interval, duration }: Timeframe, at: Ms, zone: Zone): boolean {
  if (at < start) return false
  // Contiguous windows have no gaps, even where a short month shortens one: from 31 January on, the second month of `P1M`
  // ends on 28 March, but the third begins on the 31st.
  if (isAsLong(duration, interval)) return true
  // Only the last window that has started can contain the instant: earlier windows do not end later.
  const k = lastWindow(start, interval, at, zone)
  return at < addDuration(addDuration(start, interval, zone, k), duration, zone)
}

/** Compares months with months, and the rest as if all days had 24 hours. */
const isAsLong = (a: Duration, b: Duration): boolean =>
  a.months >= b.months && a.days * msPerDay + a.ms >= b.days * msPerDay + b.ms

/** The largest k whose window has started: estimated by length, then corrected by the calendar. */
function lastWindow(start: Ms, interval: Duration, at: Ms, zone: Zone): number {
  let k = Math.max(0, Math.floor((at - start) / approximateLength(interval)))
  while (k > 0 && addDuration(start, interval, zone, k) > at) k -= 1
  while (addDuration(start, interval, zone, k + 1) <= at) k += 1
  return k
}
