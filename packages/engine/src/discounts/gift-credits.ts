import { type Cart, discountLine, subtotalOf, totalOf } from '../cart.ts'
import { roundedPart } from '../money.ts'
import type { GiftVoucher } from '../schema/index.ts'
import { capUnits, type SelectedEntry, select } from '../selection.ts'
import { cutBy, cutsFor } from './cuts.ts'
import { discountWhole } from './order-level.ts'
import type { ReachedLines, Use } from './use.ts'
import { worthOf } from './worth.ts'

/** Credits that this request may spend. */
export const availableCredits = ({ gift, locked_credits }: GiftVoucher): number =>
  Math.max(0, gift.balance - (locked_credits ?? 0))

/**
 * Pays with a gift card: spends only the credits that the order needs.
 *
 * 20.00 on lines of 6.00 and 18.00: 6.00 and 14.00.
 * /
 */
export function spendCredits(cart: Cart | null, use: Use<GiftVoucher>): { credits: number; reached?: ReachedLines } {
  const { redeemable } = use
  const requestedCredits = redeemable.credits ?? availableCredits(redeemable)
  if (cart === null || cart.amount === null) return { credits: requestedCredits } // credits are spent without reducing an order
  if (redeemable.gift.effect !== 'APPLY_TO_ITEMS') {
    return { credits: discountWhole(cart, { base: null, rounded: requestedCredits }, use) }
  }
  const selected = giftLines(cart, use)
  return { credits: payLines(cart, requestedCredits, selected, use), reached: { selected, counts_units: true } }
}

/** Lines that a gift card with effect APPLY_TO_ITEMS can pay. */
export function giftLines(cart: Cart, { coverage, scope, blocked, trace }: Use): SelectedEntry[] {
  const selected = select(cart, coverage, scope, blocked)
  capUnits(selected, scope, 1, trace)
  return selected
}

/** Spends credits line by line, each up to the amount to pay for its selected units. */
function payLines(cart: Cart, credits: number, selected: readonly SelectedEntry[], { trace }: Use): number {
  let leftToPay = totalOf(cart)
  let remainingCredits = credits
  for (const selectedLine of selected.flatMap(({ lines }) => lines)) {
    const { line, units } = selectedLine
    const worth = worthOf(line, units, 'DISCOUNTED_AMOUNT')
    if (worth === null) continue
    const rounded = roundedPart(worth)
    const cuts = cutsFor(trace)
    let amount = cutBy(rounded, 'credits', remainingCredits, cuts)
    amount = cutBy(amount, 'subtotal_amount', subtotalOf(line), cuts)
    amount = cutBy(amount, 'total_amount', leftToPay, cuts)
    discountLine(line, amount)
    if (amount > 0) selectedLine.discounted_units = units
    remainingCredits -= amount
    leftToPay -= amount
    trace?.push({ step: 'amount', line: line.item.index, rounded, cuts: cuts ?? [], amount })
  }
  return credits - remainingCredits
}
