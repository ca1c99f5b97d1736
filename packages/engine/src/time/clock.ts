import { assert } from '../assert.ts'
import { startOfPeriod, startOfWeek } from './calendar.ts'
import { type Ms, readInstant } from './instant.ts'
import { startOfDay, type WallTime, wallTime, type Zone, zoneOf } from './zone.ts'

/** The one moment at which everything is judged, and how the shop's clocks show it. Nothing here ticks. */
export interface Clock {
  readonly at: Ms
  readonly zone: Zone
  /** What the clock on the wall shows; worked out when first asked for. */
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
 * When the current day, week or month began: counters of a period count from then on (docs/reference/rules.md#counters). Weeks
 * begin on Monday.
 *
 * Sunday 2025-03-16 23:59:59 in Warsaw: the week began on Monday 10 March 00:00, which is 2025-03-09T23:00Z.
 */
export function periodStart(clock: Clock, period: 'day' | 'week' | 'month'): Ms {
  const { day } = clock.wall()
  const first = period === 'day' ? day : period === 'week' ? startOfWeek(day) : startOfPeriod(day, 1)
  return startOfDay(first, clock.zone)
}
