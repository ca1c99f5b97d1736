import { assert } from '../assert.ts'
import { startOfPeriod, startOfWeek } from './calendar.ts'
import { type Ms, readInstant } from './instant.ts'
import { startOfDay, type WallTime, wallTime, type Zone, zoneOf } from './zone.ts'

/** The fixed time of an evaluation, with the project's time zone. It does not advance. */
export interface Clock {
  readonly at: Ms
  readonly zone: Zone
  /** Local time; computed on first use. */
  wall(): WallTime
}

export function clockAt(now: string, timezone: string): Clock {
  const at = readInstant(now)
  assert(at !== null, `not an instant: ${now}`)
  const zone = zoneOf(timezone)
  let wall: WallTime | undefined
  return {
    at,
    zone,
    wall() {
      wall ??= wallTime(at, zone)
      return wall
    },
  }
}

/**
 * Start of the current day, week or month, from which the counters of a period count (docs/reference/rules.md#counters).
 * Weeks start on Monday.
 *
 * Sunday 2025-03-16 23:59:59 in Warsaw: the week began on Monday 10 March 00:00, which is 2025-03-09T23:00Z.
 * /
 */
export function periodStart(clock: Clock, period: 'day' | 'week' | 'month'): Ms {
  const { day } = clock.wall()
  const first = period === 'day' ? day : period === 'week' ? startOfWeek(day) : startOfPeriod(day, 1)
  return startOfDay(first, clock.zone)
}
