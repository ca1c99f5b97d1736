import { type Cart, subtotalOf } from '../cart.ts'
import { compareProducts, type Part, roundedPart } from '../money.ts'
import type { AmountDiscount, AppliedDiscount } from '../schema/index.ts'
import { capUnits, type Entry, type SelectedLine, select } from '../selection.ts'
import { discountItems, limitsUnits } from './items.ts'
import { discountWhole } from './order-level.ts'
import { amountSetting, wholeLimit } from './settings.ts'
import { splitByAmount, splitByQuantity } from './split.ts'
import type { ReachedLines, Use } from './use.ts'
import { worthOf } from './worth.ts'

export type AmountEffect = NonNullable<AmountDiscount['effect']>

/**
 * An amount off the order, off each line, off each unit, or split over the lines.
 *
 * 10.00 split over lines of 19.99, 30.01 and 5.01 is 3.63, 5.46 and 0.91.
 * /
 */
export function amountOff(
  cart: Cart,
  discount: AmountDiscount,
  effect: AmountEffect,
  use: Use,
): { applied: AppliedDiscount; reached?: ReachedLines } {
  const { scope, trace, bundles } = use
  const byQuantity = effect === 'APPLY_TO_ITEMS_BY_QUANTITY'
  const isPerLine = byQuantity || effect === 'APPLY_TO_ITEMS'
  const setting = amountSetting(discount.amount_off, {
    field: 'amount_off',
    formula: discount.amount_off_formula,
    scope,
    trace,
    is_per_line: isPerLine,
  })
  // Bundles multiply the number of discounted units, or else the amount (docs/reference/discounts.md#bundles).
  const timesBundles = (amount: number): number =>
    byQuantity ? amount : Math.min(amount * bundles, Number.MAX_SAFE_INTEGER)
  const offEach = timesBundles(setting.value)
  const aggregatedAmountLimit = wholeLimit(discount.aggregated_amount_limit)
  const applied: AppliedDiscount = {
    type: 'AMOUNT',
    effect,
    amount_off: offEach,
    ...(aggregatedAmountLimit === null ? {} : { aggregated_amount_limit: aggregatedAmountLimit }),
    is_dynamic: setting.is_dynamic,
  }

  if (effect === 'APPLY_TO_ORDER') {
    if (cart.amount !== null)
      discountWhole(cart, { base: null, rounded: offEach, aggregated_amount_limit: aggregatedAmountLimit }, use)
    return { applied }
  }

  const selected = select(cart, use.coverage, scope, use.blocked)
  if (byQuantity) capUnits(selected, scope, bundles, trace)
  const countsUnits = (entry: Entry | null): boolean => byQuantity || limitsUnits(entry, use)
  if (isPerLine) {
    const offLine = ({ line }: SelectedLine): number =>
      setting.valueOnLine === null ? offEach : timesBundles(setting.valueOnLine(line))
    const raw = byQuantity
      ? (selectedLine: SelectedLine, worth: Part) => ({ rounded: offEachUnit(offLine(selectedLine), worth) })
      : (selectedLine: SelectedLine, worth: Part) => ({ rounded: Math.min(offLine(selectedLine), roundedPart(worth)) })
    discountItems(cart, selected, { raw, aggregated_amount_limit: aggregatedAmountLimit, countsUnits }, use)
    return { applied, reached: { selected, counts_units: byQuantity } }
  }

  const lines = selected.flatMap(({ lines }) => lines).filter(({ line }) => line.amount !== null)
  const worths = lines.map(({ line, units }) => worthOf(line, units, use.mode) as Part)
  const total = Math.min(offEach, aggregatedAmountLimit ?? offEach)
  const shares =
    effect === 'APPLY_TO_ITEMS_PROPORTIONALLY'
      ? splitByAmount(total, worths)
      : splitByQuantity(
          total,
          lines.map(({ units }) => units),
          lines.map(({ line }, i) => Math.min(subtotalOf(line) as number, roundedPart(worths[i] as Part))),
        )
  const shareOf = new Map(lines.map((selectedLine, i) => [selectedLine, shares[i] as number]))
  const raw = (selectedLine: SelectedLine) => ({ rounded: shareOf.get(selectedLine) ?? 0 })
  discountItems(cart, selected, { raw, countsUnits }, use)
  return { applied, reached: { selected, counts_units: false } }
}

/** A unit price never falls below zero: a unit cheaper than the discount becomes free. */
function offEachUnit(offEach: number, worth: Part): number {
  const isUnitWorthMore = compareProducts(offEach, worth.of, worth.amount, 1) <= 0
  return isUnitWorthMore ? offEach * worth.units : roundedPart(worth)
}
