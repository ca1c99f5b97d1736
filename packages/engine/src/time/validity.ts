import type { Validity } from '../schema/index.ts'
import { weekdayOf } from './calendar.ts'
import type { Clock } from './clock.ts'
import { readDuration } from './duration.ts'
import { msPerMinute, readInstant } from './instant.ts'
import { isInTimeframe } from './timeframe.ts'

/** The validity condition that is not met at an instant (docs/reference/validity-periods.md#verdict), or null. */
export function whyNotValid(
  validity: Validity,
  clock: Clock,
): 'start_date' | 'expiration_date' | 'validity_timeframe' | 'validity_day_of_week' | 'validity_hours' | null {
  const { start_date, expiration_date, validity_timeframe, validity_day_of_week, validity_hours } = validity
  if (start_date != null && clock.at < (readInstant(start_date) ?? clock.at)) return 'start_date'
  if (expiration_date != null && clock.at > (readInstant(expiration_date) ?? clock.at)) return 'expiration_date'
  if (validity_timeframe != null && !isInWindow(validity_timeframe, start_date, clock)) return 'validity_timeframe'
  if (!isOnDay(validity_day_of_week, clock)) return 'validity_day_of_week'
  if (validity_hours != null && !isInHours(validity_hours.daily, clock)) return 'validity_hours'
  return null
}

function isInWindow(
  { interval, duration }: { interval: string; duration: string },
  startDate: string | null | undefined,
  clock: Clock,
): boolean {
  const frame = {
    start: readInstant(startDate ?? ''),
    interval: readDuration(interval),
    duration: readDuration(duration),
  }
  const { start, interval: every, duration: length } = frame
  if (start === null || every === null || length === null) return false
  return isInTimeframe({ start, interval: every, duration: length }, clock.at, clock.zone)
}

/** An empty list means every day. */
const isOnDay = (days: readonly number[] | null | undefined, clock: Clock): boolean =>
  days == null || days.length === 0 || days.includes(weekdayOf(clock.wall().day))

/** Compares whole minutes; the last minute is inclusive. */
function isInHours(
  daily: ReadonlyArray<{ start_time: string; expiration_time?: string | null; days_of_week?: number[] | null }>,
  clock: Clock,
): boolean {
  const minute = Math.floor(clock.wall().time / msPerMinute)
  return daily.some(
    ({ start_time, expiration_time, days_of_week }) =>
      isOnDay(days_of_week, clock) &&
      minutesOf(start_time) <= minute &&
      (expiration_time == null || minute <= minutesOf(expiration_time)),
  )
}

/** `18:30` → 1110. */
export const minutesOf = (time: string): number => Number(time.slice(0, 2)) * 60 + Number(time.slice(3, 5))
