import { type Cart, discountOrder, totalOf } from '../cart.ts'
import { Ratio } from '../money.ts'
import { cutBy, cutsFor } from './cuts.ts'
import type { Use } from './use.ts'

interface OrderDiscount {
  /** The amount that the discount is calculated from, or null when it does not depend on one. */
  base: number | null
  exact?: Ratio
  rounded: number
  amount_limit?: number | null
  aggregated_amount_limit?: number | null
}

/**
 * Applies an order-level discount, capped by its limits and by the amount to pay
 * (docs/reference/discounts.md#value-discounts).
 */
export function discountWhole(cart: Cart, discount: OrderDiscount, { trace }: Pick<Use, 'trace'>): number {
  const cuts = cutsFor(trace)
  let amount = cutBy(discount.rounded, 'amount_limit', discount.amount_limit ?? null, cuts)
  amount = cutBy(amount, 'aggregated_amount_limit', discount.aggregated_amount_limit ?? null, cuts)
  amount = cutBy(amount, 'total_amount', totalOf(cart), cuts)
  discountOrder(cart, amount)
  trace?.push({
    step: 'amount',
    ...(discount.base === null ? {} : { base: String(discount.base) }),
    ...(discount.exact === undefined ? {} : { exact: Ratio.toText(discount.exact) }),
    rounded: discount.rounded,
    cuts: cuts ?? [],
    amount,
  })
  return amount
}

/** The base of an order-level percentage; null when the order has no amount. */
export function orderBase(cart: Cart, mode: Use['mode']): number | null {
  if (cart.amount === null) return null
  return mode === 'INITIAL_AMOUNT' ? (cart.initial_amount ?? cart.amount) : totalOf(cart)
}
