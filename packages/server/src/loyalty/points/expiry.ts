import { Temporal } from 'temporal-polyfill'
import type { Ctx } from '../../core/context.ts'
import { ApiError, invalidPayload } from '../../core/http/errors.ts'
import { todayIn } from '../../core/query/filter/calendar.ts'
import type { AdjustPoints } from './schema.ts'

/**
 * The last day of points added by a request; undefined: as the rules of the program say
 * (docs/reference/loyalty-cards.md#adjust-the-balance).
 */
export function expiryOf(
  ctx: Ctx,
  { points, expiration_type, expiration_date }: Pick<AdjustPoints, 'points' | 'expiration_type' | 'expiration_date'>,
): string | null | undefined {
  if (points < 0 || expiration_type == null || expiration_type === 'PROGRAM_RULES') return undefined
  if (expiration_type === 'NON_EXPIRING') return null
  if (expiration_date == null)
    throw new ApiError('missing_param', { details: "Parameter 'expiration_date' is required" })
  const { timezone } = ctx.project
  const day = readDay(expiration_date, timezone)
  if (day === null) throw invalidPayload('Property .expiration_date cannot be recognized as a ISO-8601 compliant date')
  if (day < todayIn({ now: ctx.now, timezone }))
    throw new ApiError('invalid_expiration_date', { details: 'Expiration date cannot be set in the past' })
  return day
}

/** Reads a date as a day in the project's time zone, and a timestamp as the day it falls on there. */
function readDay(text: string, timezone: string): string | null {
  try {
    const isDate = /^\d{4}-\d{2}-\d{2}$/.test(text)
    const day = isDate
      ? Temporal.PlainDate.from(text, { overflow: 'reject' })
      : Temporal.Instant.from(text).toZonedDateTimeISO(timezone).toPlainDate()
    return day.year < 1 || day.year > 9_999 ? null : day.toString()
  } catch {
    return null
  }
}
