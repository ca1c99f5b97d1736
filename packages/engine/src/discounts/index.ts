import { type Cart, openCart } from '../cart.ts'
import type { AppliedDiscount, Discount, KnownRedeemable, Reason } from '../schema/index.ts'
import type { Coverage } from '../selection.ts'
import { amountOff } from './amount-off.ts'
import { fixedPrice } from './fixed-price.ts'
import { freeUnits } from './free-units.ts'
import { spendCredits } from './gift-credits.ts'
import { percentOff } from './percent-off.ts'
import { spendPoints } from './points.ts'
import type { ReachedLines, Use } from './use.ts'

/** What a redeemable did, besides changing the order. */
export interface ApplicationResult {
  discount?: AppliedDiscount
  credits?: number
  points?: number
  reached?: ReachedLines
}

/**
 * Applies a redeemable to the order, in place. When it returns a reason, the redeemable cannot be applied and the order
 * must be discarded.
 */
export function applyTo(cart: Cart | null, use: Use): ApplicationResult | Reason {
  const apply = applications[use.redeemable.kind] as (cart: Cart | null, use: Use) => ApplicationResult | Reason
  return apply(cart, use)
}

type Apply<R> = R extends KnownRedeemable ? (cart: Cart | null, use: Use<R>) => ApplicationResult | Reason : never

const applications: { [K in KnownRedeemable['kind']]: Apply<Extract<KnownRedeemable, { kind: K }>> } = {
  discount_voucher: applyDiscountOf,
  promotion_tier: applyDiscountOf,
  gift_voucher: spendCredits,
  loyalty_card: spendPoints,
}

function applyDiscountOf(
  cart: Cart | null,
  use: Use<Extract<KnownRedeemable, { discount?: unknown }>>,
): ApplicationResult | Reason {
  const { discount } = use.redeemable
  return discount == null ? {} : applyDiscount(cart, discount, use)
}

function applyDiscount(cart: Cart | null, discount: Discount, use: Use): ApplicationResult | Reason {
  const applyByType = discounts[discount.type] as (cart: Cart, discount: Discount, use: Use) => DiscountResult | Reason
  // Without an order there is nothing to discount, but formulas may still have a value.
  const result = applyByType(cart ?? openCart({}), discount, use)
  return 'key' in result
    ? result
    : { discount: result.applied, ...(result.reached === undefined ? {} : { reached: result.reached }) }
}

interface DiscountResult {
  applied: AppliedDiscount
  reached?: ReachedLines
}

const discounts: {
  [T in Discount['type']]: (cart: Cart, discount: Extract<Discount, { type: T }>, use: Use) => DiscountResult | Reason
} = {
  AMOUNT: (cart, discount, use) => amountOff(cart, discount, effectOf(discount, use.coverage), use),
  PERCENT: (cart, discount, use) => percentOff(cart, discount, effectOf(discount, use.coverage), use),
  FIXED: (cart, discount, use) => fixedPrice(cart, discount, effectOf(discount, use.coverage), use),
  UNIT: (cart, discount, use) => freeUnits(cart, discount, effectOf(discount, use.coverage), use),
}

/**
 * The default effect of a discount: on items when rules include or exclude goods, else on the order
 * (docs/reference/discounts.md#discount-object).
 */
export function effectOf<D extends Discount>(
  discount: D,
  coverage: Pick<Coverage, 'is_defined'>,
): NonNullable<D['effect']> {
  if (discount.effect != null) return discount.effect
  if (discount.type === 'UNIT') return discount.units == null ? 'ADD_MISSING_ITEMS' : 'ADD_MANY_ITEMS'
  return coverage.is_defined ? 'APPLY_TO_ITEMS' : 'APPLY_TO_ORDER'
}
