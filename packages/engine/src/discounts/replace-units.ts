import { appendLine, type Cart, changeQuantity, discountLine, removeUnits, settle } from '../cart.ts'
import { inRange } from '../money.ts'
import type { ApplicationDetail } from '../schema/index.ts'
import { capUnits, select } from '../selection.ts'
import { isLineOf, type UnitGood, valueOfUnits } from './unit-goods.ts'
import type { Reached, Use } from './use.ts'

/**
 * Replaces selected units by others. They leave with their share of amount and discount; what replaces them costs the
 * customer no more than they did.
 *
 * Two of three small ones (3.20) become large ones (4.10): 6.40 leave, 8.20 come, and 1.80 are taken off.
 */
export function replaceUnits(cart: Cart, good: UnitGood, unitsEach: number, use: Use): Reached {
  const { scene, blocked, bundles, trace } = use
  const selected = select(cart, use.coverage, scene, blocked)
  capUnits(selected, scene, bundles, trace)
  const reached: Reached = { selected, counts_units: true }
  const sources = selected.flatMap(({ lines }) => lines).filter(({ units }) => units > 0)
  if (sources.length === 0 || unitsEach === 0 || blocked?.has(good.id)) return reached

  const target = cart.lines.find((line) => isLineOf(line, good)) ?? appendLine(cart, good.facts)
  // All leave before any come: the target may be one of those that leave, and what it is worth must not depend on that.
  const coming = sources.map(({ units }) => {
    const quantity = inRange(units * unitsEach)
    return { quantity, amount: valueOfUnits(target, quantity, good.price) }
  })
  const leaving = sources.map(({ line, units }) => removeUnits(cart, line, units))
  const details = sources.map((source, i): ApplicationDetail => {
    const { amount, discount: leavingDiscount } = leaving[i] as (typeof leaving)[number]
    const { quantity, amount: comingAmount } = coming[i] as (typeof coming)[number]
    const leavingAmount = amount ?? 0
    const discount = Math.max(0, (comingAmount ?? 0) - (leavingAmount - leavingDiscount))
    changeQuantity(cart, target, quantity, comingAmount)
    discountLine(target, discount)
    source.discounted_units = source.units
    const { index } = source.line.item
    trace?.push({ step: 'units', line: index, quantity: source.units, how: 'replaced', amount: leavingAmount })
    trace?.push({ step: 'units', line: target.item.index, quantity, how: 'received', amount: discount })
    return {
      source_index: index,
      source_applied_quantity: -source.units,
      source_applied_quantity_amount: 0 - leavingAmount,
      target_index: target.item.index,
      target_applied_quantity: quantity,
      target_applied_quantity_amount: comingAmount ?? 0,
      target_applied_discount_amount: discount,
    }
  })
  target.details = details
  target.request_details = [...(target.request_details ?? []), ...details]
  settle(cart)
  return reached
}
