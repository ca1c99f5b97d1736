import { type Cart, totalOf } from '../cart.ts'
import { payWithPoints } from '../loyalty/rewards.ts'
import { notFound, reason } from '../reasons.ts'
import type { LoyaltyCard, Reason, Step } from '../schema/index.ts'
import { discountWhole } from './order-level.ts'
import type { Use } from './use.ts'

/** Points that this request may spend. */
export const availablePoints = ({ balance, locked_points }: LoyaltyCard): number =>
  Math.max(0, balance - (locked_points ?? 0))

/**
 * The price of a reward in points and its discount on the order, or why it cannot be bought
 * (docs/reference/discounts.md#loyalty-cards).
 */
export function priceInPoints(
  card: LoyaltyCard,
  cart: Cart | null,
  trace: Step[] | null,
): { points: number; discount: number } | Reason {
  const { reward, code } = card
  if (reward == null) return reason('missing_reward', { details: 'A reward is required when redeeming a LOYALTY_CARD' })
  if (reward.type === 'UNKNOWN') return notFound('reward', reward.id)
  const available = availablePoints(card)
  const traceLimit = (limit: string, used: number, allowed: number, passed: boolean): boolean => {
    trace?.push({ step: 'limit', limit, used, allowed, passed })
    return passed
  }
  if (reward.type !== 'COIN') {
    if (reward.type === 'MATERIAL' && reward.stock != null) {
      const redeemed = reward.redeemed ?? 0
      if (!traceLimit('reward.stock', redeemed, reward.stock, redeemed < reward.stock)) {
        return reason('reward_out_of_stock', { details: reward.id })
      }
    }
    return traceLimit('loyalty_card.balance', reward.price, available, reward.price <= available)
      ? { points: reward.price, discount: 0 }
      : reason('loyalty_card_points_exceeded', { details: tooFew(code, reward.price, available) })
  }
  if (cart === null) return reason('missing_order')
  if (cart.amount === null) return reason('missing_amount')
  const { exchange_ratio, points_ratio } = reward
  const payment = payWithPoints({
    payable: totalOf(cart),
    exchange_ratio,
    points_ratio,
    balance: available,
    points: card.points ?? null,
  })
  if (!('key' in payment)) {
    traceLimit('loyalty_card.balance', payment.points, available, true)
    return { points: payment.points, discount: payment.discount }
  }
  if (payment.key === 'loyalty_card_points_exceeded') {
    const needed = card.points ?? points_ratio
    traceLimit('loyalty_card.balance', needed, available, false)
    return reason(payment.key, { details: tooFew(code, needed, available) })
  }
  return reason(payment.key, { details: code })
}

const tooFew = (code: string, needed: number, left: number): string =>
  `${code}: ${needed} points are needed, ${left} are left`

/** Spends points; only a COIN reward changes the order. */
export function spendPoints(cart: Cart | null, use: Use<LoyaltyCard>): { points: number } | Reason {
  const price = priceInPoints(use.redeemable, cart, null)
  if ('key' in price) return price
  if (cart !== null && price.discount > 0) discountWhole(cart, { base: null, rounded: price.discount }, use)
  return { points: price.points }
}
