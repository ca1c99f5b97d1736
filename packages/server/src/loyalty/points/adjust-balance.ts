import type { Ctx } from '../../core/context.ts'
import { ApiError } from '../../core/http/errors.ts'
import { changeGift } from '../../incentives/vouchers/change-gift.ts'
import type { AdjustBalance, BalanceAnswer } from '../../incentives/vouchers/schema.ts'
import { getVoucher } from '../../incentives/vouchers/store.ts'
import type { StoredVoucher } from '../../incentives/vouchers/voucher.ts'
import { adjustPoints } from './adjust.ts'

/**
 * Adds to the balance of a card or takes from it, by postings and one transaction
 * (docs/reference/balances.md#adjust-a-balance). Points of a loyalty card follow the rules of its program
 * (docs/reference/loyalty-cards.md#adjust-the-balance).
 */
export async function adjustBalance(ctx: Ctx, card: StoredVoucher, body: AdjustBalance): Promise<BalanceAnswer> {
  const { amount, source_id = null, reason = null } = body
  if (card.type === 'DISCOUNT_VOUCHER')
    throw new ApiError('invalid_add_balance_params', { details: 'A discount voucher has no balance' })
  if (amount === 0) throw new ApiError('invalid_add_balance_params', { details: 'Property .amount must not be 0' })
  if (card.type === 'LOYALTY_CARD') {
    const adjusted = await adjustPoints(ctx, card, { points: amount, source_id, reason }, { source: 'API' })
    return { ...adjusted, amount }
  }
  const locked = await getVoucher(ctx, card.id, { lock: 'update' })
  const { operation_type = 'MANUAL', ...answer } = await changeGift(ctx, locked, body, byHand)
  return { ...answer, operation_type, amount }
}

const byHand = { source: 'API', operation_type: 'MANUAL' } as const
