import { Instant, InstantInput, Int, Maybe, type Validity } from '@guerdon/engine/schema'
import { type Static, Type } from 'typebox'
import type { Refuse } from '../../core/http/errors.ts'

/** ISO 8601: whole numbers, not all of them zero. */
export const Duration = Type.String({ format: 'duration' })
const Weekday = Int({ minimum: 0, maximum: 6 })
const WallTime = Type.String({ pattern: '^([01]\\d|2[0-3]):[0-5]\\d$', description: '`HH:mm`' })

export const Timeframe = Type.Object({ interval: Duration, duration: Duration })
/** The same in a body: `readTimeframe` refuses one without the other. */
export const TimeframeBody = Type.Partial(Timeframe)

const hours = { start_time: WallTime, days_of_week: Type.Optional(Type.Array(Weekday, { maxItems: 100 })) }
const daily = { maxItems: 100 }
const LastMinute = Type.Unsafe<string>({
  ...WallTime,
  description: '`HH:mm`, the last minute; absent: until the end of the day.',
})

export const ValidityHours = Type.Object({
  daily: Type.Array(Type.Object({ ...hours, expiration_time: Type.Optional(LastMinute) }), daily),
})
/** The same in a body: null says what nothing says. */
export const ValidityHoursBody = Type.Object({
  daily: Type.Array(Type.Object({ ...hours, expiration_time: Maybe(LastMinute) }), daily),
})

/** Validity members of a body, to be spread (docs/reference/validity-periods.md#fields); null removes a limit. */
export const ValidityBody = {
  start_date: Maybe(InstantInput),
  expiration_date: Maybe(InstantInput),
  validity_timeframe: Maybe(TimeframeBody),
  validity_day_of_week: Maybe(
    Type.Array(Weekday, { maxItems: 100, description: 'Weekdays from Sunday, 0; none means every day.' }),
  ),
  validity_hours: Maybe(ValidityHoursBody),
}
const Body = Type.Object(ValidityBody)
export type ValidityBody = Static<typeof Body>

/** The same in responses, which omit unset members. */
export const ValidityView = {
  start_date: Type.Optional(Instant),
  expiration_date: Type.Optional(Instant),
  validity_timeframe: Type.Optional(Timeframe),
  validity_day_of_week: Type.Optional(Type.Array(Weekday)),
  validity_hours: Type.Optional(ValidityHours),
}

/** All validity limits; null where there is none. */
export interface ValidityState {
  start_date: Instant | null
  expiration_date: Instant | null
  validity_timeframe: Static<typeof Timeframe> | null
  validity_day_of_week: number[] | null
  validity_hours: Static<typeof ValidityHours> | null
}

export const always: Readonly<ValidityState> = {
  start_date: null,
  expiration_date: null,
  validity_timeframe: null,
  validity_day_of_week: null,
  validity_hours: null,
}

/**
 * The stored limits after applying a body, validated as a whole (docs/reference/validity-periods.md#time-frame and
 * docs/reference/validity-periods.md#date-input).
 */
export function validityAfter(stored: ValidityState, sent: ValidityBody, refuse: Refuse): ValidityState {
  const after: ValidityState = {
    start_date: sent.start_date === undefined ? stored.start_date : sent.start_date,
    expiration_date: sent.expiration_date === undefined ? stored.expiration_date : sent.expiration_date,
    validity_timeframe:
      sent.validity_timeframe === undefined
        ? stored.validity_timeframe
        : readTimeframe(sent.validity_timeframe, refuse),
    validity_day_of_week:
      sent.validity_day_of_week === undefined ? stored.validity_day_of_week : distinct(sent.validity_day_of_week),
    validity_hours: sent.validity_hours === undefined ? stored.validity_hours : readHours(sent.validity_hours),
  }
  const reason = whyNotConsistent(after)
  if (reason !== null) throw refuse(reason)
  return after
}

/** Whether a body has any validity member. */
export const hasValidity = (sent: ValidityBody): boolean =>
  Object.keys(ValidityBody).some((name) => sent[name as keyof ValidityBody] !== undefined)

/** Only the members that are set, for responses and terms that omit the others. */
export const setOnly = <T extends object>(values: T): { [K in keyof T]?: NonNullable<T[K]> } =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null && value !== undefined)) as never

const distinct = (days: number[] | null): number[] | null =>
  days === null || days.length === 0 ? null : [...new Set(days)]

function readTimeframe(
  sent: NonNullable<ValidityBody['validity_timeframe']> | null,
  refuse: Refuse,
): ValidityState['validity_timeframe'] {
  if (sent === null) return null
  const { interval, duration } = sent
  if (interval === undefined || duration === undefined)
    throw refuse("Property .validity_timeframe must have both 'interval' and 'duration'")
  return { interval, duration }
}

function readHours(sent: NonNullable<ValidityBody['validity_hours']> | null): ValidityState['validity_hours'] {
  if (sent === null || sent.daily.length === 0) return null
  return {
    daily: sent.daily.map(({ start_time, expiration_time, days_of_week }) => ({
      start_time,
      ...(expiration_time == null ? {} : { expiration_time }),
      ...(days_of_week === undefined ? {} : { days_of_week: [...new Set(days_of_week)] }),
    })),
  }
}

function whyNotConsistent(state: ValidityState): string | null {
  const { start_date, expiration_date, validity_timeframe, validity_day_of_week, validity_hours } = state
  if (start_date !== null && expiration_date !== null && expiration_date < start_date)
    return 'Property .expiration_date must not be earlier than .start_date'
  if (validity_timeframe !== null && start_date === null) return 'Property .validity_timeframe requires .start_date'
  if (validity_hours === null) return null
  if (validity_timeframe !== null || validity_day_of_week !== null)
    return 'Property .validity_hours cannot be combined with .validity_timeframe or .validity_day_of_week'
  return whyNotHours(validity_hours.daily)
}

type Hour = NonNullable<ValidityState['validity_hours']>['daily'][number]

function whyNotHours(daily: readonly Hour[]): string | null {
  for (const [index, hour] of daily.entries()) {
    if (hour.start_time >= endOf(hour))
      return `Property .validity_hours.daily[${index}].start_time must be before its expiration_time`
    if (daily.slice(0, index).some((earlier) => overlaps(earlier, hour)))
      return `Property .validity_hours.daily[${index}] overlaps another one`
  }
  return null
}

/** Times as `HH:mm` text sort by time. Two ranges on the same weekday may touch. */
function overlaps(a: Hour, b: Hour): boolean {
  const days = (hour: Hour) => (hour.days_of_week?.length ? hour.days_of_week : [0, 1, 2, 3, 4, 5, 6])
  return days(a).some((day) => days(b).includes(day)) && a.start_time < endOf(b) && b.start_time < endOf(a)
}

/** Hours without an end last until the end of the day. */
const endOf = ({ expiration_time = '24:00' }: Hour): string => expiration_time

/** The validity limits as the engine expects them. */
export const toValidity = (state: ValidityState): Validity => setOnly(state)

/** The validity limits as column values. */
export function validityColumns({ start_date, expiration_date, ...recurring }: ValidityState) {
  const { validity_timeframe, validity_day_of_week, validity_hours } = recurring
  return {
    start_date,
    expiration_date,
    validity_timeframe: validity_timeframe && JSON.stringify(validity_timeframe),
    validity_day_of_week: validity_day_of_week && JSON.stringify(validity_day_of_week),
    validity_hours: validity_hours && JSON.stringify(validity_hours),
  }
}
