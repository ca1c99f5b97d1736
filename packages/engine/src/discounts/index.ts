import { type Cart, openCart } from '../cart.ts'
import type { AppliedDiscount, Discount, KnownRedeemable, Reason } from '../schema/index.ts'
import type { Coverage } from '../selection.ts'
import { amountOff } from './amount-off.ts'
import { fixedPrice } from './fixed-price.ts'
import { freeUnits } from './free-units.ts'
import { spendCredits } from './gift-credits.ts'
import { percentOff } from './percent-off.ts'
import { spendPoints } from './points.ts'
import type { Reached, Use } from './use.ts'

/** What a redeemable did to the order besides changing it. */
export interface Done {
  discount?: AppliedDiscount
  credits?: number
  points?: number
  reached?: Reached
}

/** Applies a redeemable to the order, in place. A reason means: it cannot be applied, and the order is of no use any more. */
export function applyTo(cart: Cart | null, use: Use): Done | Reason {
  const apply = applications[use.redeemable.kind] as (cart: Cart | null, use: Use) => Done | Reason
  return apply(cart, use)
}

type Apply<R> = R extends KnownRedeemable ? (cart: Cart | null, use: Use<R>) => Done | Reason : never

const applications: { [K in KnownRedeemable['kind']]: Apply<Extract<KnownRedeemable, { kind: K }>> } = {
  discount_voucher: discounted,
  promotion_tier: discounted,
  gift_voucher: spendCredits,
  loyalty_card: spendPoints,
}

function discounted(cart: Cart | null, use: Use<Extract<KnownRedeemable, { discount?: unknown }>>): Done | Reason {
  const { discount } = use.redeemable
  return discount == null ? {} : discountedBy(cart, discount, use)
}

function discountedBy(cart: Cart | null, discount: Discount, use: Use): Done | Reason {
  const kind = discounts[discount.type] as (cart: Cart, discount: Discount, use: Use) => Discounted | Reason
  // Without an order there is nothing to take off, but its formulas may still have a value.
  const done = kind(cart ?? openCart({}), discount, use)
  return 'key' in done
    ? done
    : { discount: done.applied, ...(done.reached === undefined ? {} : { reached: done.reached }) }
}

interface Discounted {
  applied: AppliedDiscount
  reached?: Reached
}

const discounts: {
  [T in Discount['type']]: (cart: Cart, discount: Extract<Discount, { type: T }>, use: Use) => Discounted | Reason
} = {
  AMOUNT: (cart, discount, use) => amountOff(cart, discount, effectOf(discount, use.coverage), use),
  PERCENT: (cart, discount, use) => percentOff(cart, discount, effectOf(discount, use.coverage), use),
  FIXED: (cart, discount, use) => fixedPrice(cart, discount, effectOf(discount, use.coverage), use),
  UNIT: (cart, discount, use) => freeUnits(cart, discount, effectOf(discount, use.coverage), use),
}

/**
 * The effect of a discount that names none: on items where rules name goods, else on the order
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
