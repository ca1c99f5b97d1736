import { type Cart, discountLine, subtotalOf, totalOf } from '../cart.ts'
import { roundedPart } from '../money.ts'
import type { GiftVoucher } from '../schema/index.ts'
import { capUnits, type SelectedEntry, select } from '../selection.ts'
import { cutBy, cutsFor } from './cuts.ts'
import { discountWhole } from './order-level.ts'
import type { Reached, Use } from './use.ts'
import { worthOf } from './worth.ts'

/** Credits that this request may spend. */
export const availableCredits = ({ gift, locked_credits }: GiftVoucher): number =>
  Math.max(0, gift.balance - (locked_credits ?? 0))

/**
 * Pays with a gift card: only what the order takes is spent.
 *
 * 20.00 on lines of 6.00 and 18.00: 6.00 and 14.00.
 */
export function spendCredits(cart: Cart | null, use: Use<GiftVoucher>): { credits: number; reached?: Reached } {
  const { redeemable } = use
  const wanted = redeemable.credits ?? availableCredits(redeemable)
  if (cart === null || cart.amount === null) return { credits: wanted } // spent without an order to take them off
  if (redeemable.gift.effect !== 'APPLY_TO_ITEMS') {
    return { credits: discountWhole(cart, { base: null, rounded: wanted }, use) }
  }
  const selected = giftLines(cart, use)
  return { credits: payLines(cart, wanted, selected, use), reached: { selected, counts_units: true } }
}

/** Lines that a gift card for items can pay. */
export function giftLines(cart: Cart, { coverage, scene, blocked, trace }: Use): SelectedEntry[] {
  const selected = select(cart, coverage, scene, blocked)
  capUnits(selected, scene, 1, trace)
  return selected
}

/** Lays credits on one line after the other, each up to what is left to pay for its selected units. */
function payLines(cart: Cart, credits: number, selected: readonly SelectedEntry[], { trace }: Use): number {
  let leftToPay = totalOf(cart)
  let left = credits
  for (const chosen of selected.flatMap(({ lines }) => lines)) {
    const { line, units } = chosen
    const worth = worthOf(line, units, 'DISCOUNTED_AMOUNT')
    if (worth === null) continue
    const rounded = roundedPart(worth)
    const cuts = cutsFor(trace)
    let amount = cutBy(rounded, 'credits', left, cuts)
    amount = cutBy(amount, 'subtotal_amount', subtotalOf(line), cuts)
    amount = cutBy(amount, 'total_amount', leftToPay, cuts)
    discountLine(line, amount)
    if (amount > 0) chosen.discounted_units = units
    left -= amount
    leftToPay -= amount
    trace?.push({ step: 'amount', line: line.item.index, rounded, cuts: cuts ?? [], amount })
  }
  return credits - left
}
