import { type Static, Type } from 'typebox'
import { Instant, Int, Maybe } from './common.ts'

const Weekday = Int({ minimum: 0, maximum: 6 })
const WallTime = Type.String({ pattern: '^([01]\\d|2[0-3]):[0-5]\\d$' })

/** When something is valid (docs/reference/validity-periods.md); weekdays count from Sunday, 0. */
export const Validity = Type.Object({
  start_date: Maybe(Instant),
  expiration_date: Maybe(Instant),
  validity_timeframe: Maybe(Type.Object({ interval: Type.String(), duration: Type.String() })),
  validity_day_of_week: Maybe(Type.Array(Weekday)),
  validity_hours: Maybe(
    Type.Object({
      daily: Type.Array(
        Type.Object({
          start_time: WallTime,
          /** Absent: until the end of the day. */
          expiration_time: Maybe(WallTime),
          days_of_week: Maybe(Type.Array(Weekday)),
        }),
      ),
    }),
  ),
})
export type Validity = Static<typeof Validity>
