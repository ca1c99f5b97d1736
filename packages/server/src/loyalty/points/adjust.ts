import { expirationDate } from '@guerdon/engine'
import type { Ctx } from '../../core/context.ts'
import type { Balance } from '../../core/events/shapes.ts'
import { ApiError, notFound } from '../../core/http/errors.ts'
import type { StoredVoucher } from '../../incentives/vouchers/voucher.ts'
import { type Card, cardNamed, type LoyaltyUnitOfWork, momentNow } from './card.ts'
import { followBalances } from './cascade.ts'
import { applyDueChanges } from './due-changes.ts'
import { emitTransaction, tellPointsAdded } from './events.ts'
import { expiryOf } from './expiry.ts'
import { credit, debit } from './ledger.ts'
import type { AdjustPoints, PointsBalance } from './schema.ts'
import { refuseUsedSources } from './sources.ts'
import { lockAndLoadMembers, saveMembers } from './unit-of-work.ts'

type Adjustment = Pick<AdjustPoints, 'points' | 'source_id' | 'reason' | 'expiration_type' | 'expiration_date'>

/** Puts points on a card or takes them off it by hand (docs/reference/loyalty-cards.md#adjust-the-balance). */
export async function adjustPoints(
  ctx: Ctx,
  member: StoredVoucher,
  sent: Adjustment,
  { source }: { source: 'API' | null },
): Promise<PointsBalance> {
  const { points, source_id, reason } = sent
  if (points === 0) throw new ApiError('invalid_amount', { details: 'Property .points must not be 0' })
  const expiresAt = expiryOf(ctx, sent)
  const { books, card } = await openCard(ctx, member)
  if (source_id != null) await refuseUsedSources(ctx, [{ voucher_id: member.id, source_id }])

  const moment = momentNow(ctx)
  const told = { source, source_id: source_id ?? null, reason: reason ?? null, operation_type: 'MANUAL' } as const
  const date = expiresAt === undefined ? expirationDate(moment.today, card.program.expiration_rules) : expiresAt
  const posted =
    points > 0
      ? credit(books, card, { amount: points, expires_at: date }, { ...told, type: 'POINTS_ADDITION' }, moment)
      : debit(books, card, -points, { ...told, type: 'POINTS_REMOVAL' }, moment)
  emitTransaction(books, card, posted)
  tellPointsAdded(books, card, posted)
  await followBalances(books, [member.id], moment, { isIncreased: points > 0 })
  await saveMembers(books)
  return toPointsBalance(posted.balance)
}

/** The answer about points that somebody moved by hand. */
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

/** The books of whoever holds a card, brought up to today; nobody else changes it until they are closed. */
export async function openCard(
  ctx: Ctx,
  { id, code, holder_id }: StoredVoucher,
  asked: { pending_id?: string } = {},
): Promise<{ books: LoyaltyUnitOfWork; card: Card }> {
  if (holder_id === null) throw notPublished(code)
  const books = await lockAndLoadMembers(ctx, [holder_id], asked)
  await applyDueChanges(books)
  const card = cardNamed(books, id)
  if (card === undefined) throw notFound('voucher', code) // deleted meanwhile
  return { books, card }
}

export const notPublished = (code: string): ApiError =>
  new ApiError('not_published', { details: `Voucher ${code} has no holder` })
