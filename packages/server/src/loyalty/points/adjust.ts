import { expirationDate } from '@guerdon/engine'
import type { Ctx } from '../../core/context.ts'
import type { Balance } from '../../core/events/shapes.ts'
import { ApiError, notFound } from '../../core/http/errors.ts'
import type { StoredVoucher } from '../../incentives/vouchers/voucher.ts'
import { type Card, findCard, type LoyaltyUnitOfWork, momentNow } from './card.ts'
import { applyBalanceChanges } from './cascade.ts'
import { applyDueChanges } from './due-changes.ts'
import { emitPointsAdded, emitTransaction } from './events.ts'
import { pointsExpiryOf } from './expiry.ts'
import { credit, debit } from './ledger.ts'
import type { AdjustPoints, PointsBalance } from './schema.ts'
import { refuseUsedSources } from './sources.ts'
import { lockAndLoadMembers, saveMembers } from './unit-of-work.ts'

type Adjustment = Pick<AdjustPoints, 'points' | 'source_id' | 'reason' | 'expiration_type' | 'expiration_date'>

/** Adds points to a card or removes them on request (docs/reference/loyalty-cards.md#adjust-the-balance). */
export async function adjustPoints(
  ctx: Ctx,
  member: StoredVoucher,
  sent: Adjustment,
  { source }: { source: 'API' | null },
): Promise<PointsBalance> {
  const { points, source_id, reason } = sent
  if (points === 0) throw new ApiError('invalid_amount', { details: 'Property .points must not be 0' })
  const expiresAt = pointsExpiryOf(ctx, sent)
  const { work, card } = await openCard(ctx, member)
  if (source_id != null) await refuseUsedSources(ctx, [{ voucher_id: member.id, source_id }])

  const moment = momentNow(ctx)
  const movement = {
    card,
    points: Math.abs(points),
    moment,
    source,
    source_id: source_id ?? null,
    reason: reason ?? null,
  }
  const date = expiresAt === undefined ? expirationDate(moment.today, card.program.expiration_rules) : expiresAt
  const posted =
    points > 0
      ? credit(work, { ...movement, type: 'POINTS_ADDITION', expires_at: date })
      : debit(work, { ...movement, type: 'POINTS_REMOVAL' })
  emitTransaction(work, card, posted)
  emitPointsAdded(work, card, posted)
  await applyBalanceChanges(work, [member.id], moment, { isIncreased: points > 0 })
  await saveMembers(work)
  return toPointsBalance(posted.balance)
}

/** The response to a manual change of points. */
export function toPointsBalance(balance: Balance): PointsBalance {
  const { total, object, related_object } = balance
  const points = balance.type === 'loyalty_card' ? balance.points : 0
  return {
    points,
    total,
    balance: balance.balance,
    type: 'loyalty_card',
    object,
    related_object,
    operation_type: 'MANUAL',
  }
}

/** Locks and loads the holder of a card and applies due changes. No other transaction changes the card until this one ends. */
export async function openCard(
  ctx: Ctx,
  { id, code, holder_id }: StoredVoucher,
  loadOptions: { pending_id?: string } = {},
): Promise<{ work: LoyaltyUnitOfWork; card: Card }> {
  if (holder_id === null) throw notPublished(code)
  const work = await lockAndLoadMembers(ctx, [holder_id], loadOptions)
  await applyDueChanges(work)
  const card = findCard(work, id)
  if (card === undefined) throw notFound('voucher', code) // deleted by a concurrent request
  return { work, card }
}

export const notPublished = (code: string): ApiError =>
  new ApiError('not_published', { details: `Voucher ${code} has no holder` })
