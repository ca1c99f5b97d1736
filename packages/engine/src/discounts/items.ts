import { type Cart, countDiscounted, discountLine, subtotalOf, totalOf } from '../cart.ts'
import { type Part, Ratio } from '../money.ts'
import type { Cut } from '../schema/index.ts'
import { type Entry, lifetimeLimits, type SelectedEntry, type SelectedLine } from '../selection.ts'
import { cutBy, cutsFor } from './cuts.ts'
import type { Use } from './use.ts'
import { worthOf } from './worth.ts'

/** The discount of a line before limits. */
export interface RawDiscount {
  /** Before rounding, for the explanation. */
  exact?: Ratio
  rounded: number
}

export interface ItemDiscount {
  raw(selected: SelectedLine, worth: Part, entry: Entry | null): RawDiscount
  /** Cap per line. */
  amount_limit?: number | null
  /** Cap over all lines. */
  aggregated_amount_limit?: number | null
  /** Whether the units of a line count as discounted (docs/reference/discounts.md#value-discounts). */
  countsUnits(entry: Entry | null): boolean
}

/**
 * Applies a discount to the selected lines in order: the strictest limit wins, and later lines get less. Lines of unknown
 * amount get no discount.
 */
export function discountItems(cart: Cart, selected: readonly SelectedEntry[], discount: ItemDiscount, use: Use): void {
  const { mode, trace } = use
  let leftInDiscount = discount.aggregated_amount_limit ?? null
  let leftToPay = totalOf(cart)
  for (const { entry, lines } of selected) {
    let leftInEntry = entry?.aggregated_amount_limit ?? null
    const countsUnits = discount.countsUnits(entry)
    for (const selectedLine of lines) {
      const { line, units } = selectedLine
      const worth = worthOf(line, units, mode)
      if (worth === null) continue
      const raw = discount.raw(selectedLine, worth, entry)
      const cuts: Cut[] | null = cutsFor(trace)
      let amount = cutBy(raw.rounded, 'amount_limit', discount.amount_limit ?? null, cuts)
      amount = cutBy(amount, 'applicable_to.amount_limit', entry?.amount_limit ?? null, cuts)
      amount = cutBy(amount, 'applicable_to.aggregated_amount_limit', leftInEntry, cuts)
      amount = cutBy(amount, 'aggregated_amount_limit', leftInDiscount, cuts)
      amount = cutBy(amount, 'subtotal_amount', subtotalOf(line), cuts)
      amount = cutBy(amount, 'total_amount', leftToPay, cuts)
      if (leftInEntry !== null) leftInEntry -= amount
      if (leftInDiscount !== null) leftInDiscount -= amount
      leftToPay -= amount
      discountLine(line, amount)
      if (amount > 0) selectedLine.discounted_units = units // without a discount no units are used up
      if (amount > 0 && countsUnits) countDiscounted(line, units, 'counted')
      trace?.push({
        step: 'amount',
        line: line.item.index,
        base: Ratio.toText(Ratio.ofPart(worth)),
        ...(raw.exact === undefined ? {} : { exact: Ratio.toText(raw.exact) }),
        rounded: raw.rounded,
        cuts: cuts ?? [],
        amount,
      })
    }
  }
}

/** Whether an entry counts units, because of its target or of a unit limit. */
export const limitsUnits = (entry: Entry | null, use: Use): boolean =>
  entry !== null &&
  (entry.target === 'UNIT' ||
    entry.quantity_limit != null ||
    entry.aggregated_quantity_limit != null ||
    lifetimeLimits(entry, use.scope).length > 0)
