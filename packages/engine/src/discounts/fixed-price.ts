import type { Cart } from '../cart.ts'
import { roundedPart } from '../money.ts'
import type { AppliedDiscount, FixedDiscount } from '../schema/index.ts'
import { capUnits, select } from '../selection.ts'
import { discountItems } from './items.ts'
import { discountWhole, orderBase } from './order-level.ts'
import { priceOf, priceSetting } from './settings.ts'
import type { ReachedLines, Use } from './use.ts'

/**
 * Sets a new order total, or a new unit price. It never increases a price.
 *
 * A line of 4 × 12.50 with a price of 9.99 for three of them: 37.50 − 29.97 = 7.53 off.
 * /
 */
export function fixedPrice(
  cart: Cart,
  discount: FixedDiscount,
  effect: 'APPLY_TO_ORDER' | 'APPLY_TO_ITEMS',
  use: Use,
): { applied: AppliedDiscount; reached?: ReachedLines } {
  const { scope, trace } = use
  const setting = priceSetting(discount.fixed_amount, {
    field: 'fixed_amount',
    formula: discount.fixed_amount_formula,
    scope,
    trace,
    is_per_line: effect === 'APPLY_TO_ITEMS',
  })
  const { value: fixedAmount, is_dynamic } = setting
  const applied: AppliedDiscount = {
    type: 'FIXED',
    effect,
    ...(fixedAmount === null ? {} : { fixed_amount: fixedAmount }),
    is_dynamic,
  }

  if (effect === 'APPLY_TO_ORDER') {
    const base = orderBase(cart, use.mode)
    if (base !== null && fixedAmount !== null) {
      discountWhole(cart, { base, rounded: Math.max(0, base - fixedAmount) }, use)
    }
    return { applied }
  }

  const selected = select(cart, use.coverage, scope, use.blocked)
  capUnits(selected, scope, use.bundles, trace)
  discountItems(
    cart,
    selected,
    {
      countsUnits: () => false,
      raw({ line, units }, worth, entry) {
        const entryPrice = entry === null ? null : priceOf(entry, scope, line, trace)
        const price = entryPrice ?? setting.valueOnLine?.(line) ?? fixedAmount
        return { rounded: price === null ? 0 : Math.max(0, roundedPart(worth) - units * price) }
      },
    },
    use,
  )
  return { applied, reached: { selected, counts_units: true } }
}
