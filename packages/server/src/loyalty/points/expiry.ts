import { clockAt, dayText, partsOf, toDay } from '@guerdon/engine'
import type { Ctx } from '../../core/context.ts'
import { ApiError, invalidPayload } from '../../core/http/errors.ts'
import type { AdjustPoints } from './schema.ts'

/** A date, or a time with its zone: a time without one could mean the day before or after in the time zone of the project. */
const isDateOrHasZone = /^\d{4}-\d{2}-\d{2}$|(?:Z|[+-]\d{2}:?\d{2})$/

/**
 * The last day of points added by a request; undefined: as the rules of the program say
 * (docs/reference/loyalty-cards.md#adjust-the-balance).
 */
export function pointsExpiryOf(
  ctx: Ctx,
  { points, expiration_type, expiration_date }: Pick<AdjustPoints, 'points' | 'expiration_type' | 'expiration_date'>,
): string | null | undefined {
  if (points < 0 || expiration_type == null || expiration_type === 'PROGRAM_RULES') return undefined
  if (expiration_type === 'NON_EXPIRING') return null
  if (expiration_date == null)
    throw new ApiError('missing_param', { details: "Parameter 'expiration_date' is required" })
  const clock = clockAt(ctx.now, ctx.project.timezone)
  const day = isDateOrHasZone.test(expiration_date) ? toDay(expiration_date, clock) : null
  if (day === null || partsOf(day).year > 9_999)
    throw invalidPayload('Property .expiration_date cannot be recognized as a ISO-8601 compliant date')
  if (day < clock.wall().day)
    throw new ApiError('invalid_expiration_date', { details: 'Expiration date cannot be set in the past' })
  return dayText(day)
}
