import { appendLine, type Cart, changeQuantity, discountLine, removeUnits, restoreNonNegativeTotal } from '../cart.ts'
import { inRange } from '../money.ts'
import type { ApplicationDetail } from '../schema/index.ts'
import { capUnits, select } from '../selection.ts'
import { isLineOf, type UnitGood, valueOfUnits } from './unit-goods.ts'
import type { ReachedLines, Use } from './use.ts'

/**
 * Replaces selected units by units of another good. The old units are removed with their share of amount and discount; the
 * new units cost the customer no more than the old ones did.
 *
 * Two of three small units (3.20) become large (4.10): 6.40 is removed, 8.20 is added, and 1.80 is the discount.
 * /
 */
export function replaceUnits(cart: Cart, good: UnitGood, unitsEach: number, use: Use): ReachedLines {
  const { scope, blocked, bundles, trace } = use
  const selected = select(cart, use.coverage, scope, blocked)
  capUnits(selected, scope, bundles, trace)
  const reached: ReachedLines = { selected, counts_units: true }
  const sources = selected.flatMap(({ lines }) => lines).filter(({ units }) => units > 0)
  if (sources.length === 0 || unitsEach === 0 || blocked?.has(good.id)) return reached

  const target = cart.lines.find((line) => isLineOf(line, good)) ?? appendLine(cart, good.facts)
  // Value the new units and remove all old units before adding any: the target line may be a source line too, and its value
  // must not depend on that.
  const incomingUnits = sources.map(({ units }) => {
    const quantity = inRange(units * unitsEach)
    return { quantity, amount: valueOfUnits(target, quantity, good.price) }
  })
  const outgoingUnits = sources.map(({ line, units }) => removeUnits(cart, line, units))
  const details = sources.map((source, i): ApplicationDetail => {
    const { amount, discount: outgoingDiscount } = outgoingUnits[i] as (typeof outgoingUnits)[number]
    const { quantity, amount: incomingAmount } = incomingUnits[i] as (typeof incomingUnits)[number]
    const outgoingAmount = amount ?? 0
    const discount = Math.max(0, (incomingAmount ?? 0) - (outgoingAmount - outgoingDiscount))
    changeQuantity(cart, target, quantity, incomingAmount)
    discountLine(target, discount)
    source.discounted_units = source.units
    const { index } = source.line.item
    trace?.push({ step: 'units', line: index, quantity: source.units, how: 'replaced', amount: outgoingAmount })
    trace?.push({ step: 'units', line: target.item.index, quantity, how: 'received', amount: discount })
    return {
      source_index: index,
      source_applied_quantity: -source.units,
      source_applied_quantity_amount: 0 - outgoingAmount,
      target_index: target.item.index,
      target_applied_quantity: quantity,
      target_applied_quantity_amount: incomingAmount ?? 0,
      target_applied_discount_amount: discount,
    }
  })
  target.details = details
  target.request_details = [...(target.request_details ?? []), ...details]
  restoreNonNegativeTotal(cart)
  return reached
}
