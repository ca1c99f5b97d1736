import { type Line, paidUnits } from '../cart.ts'
import type { Part } from '../money.ts'
import type { Use } from './use.ts'

/**
 * The unrounded value of some units of a line (`bu` of docs/reference/discounts.md#value-discounts): their share of the
 * amount to pay for the line, or of its amount without the free units. Null when the amount of the line is unknown.
 */
export function worthOf(line: Line, units: number, mode: Use['mode']): Part | null {
  const { amount, quantity } = line
  if (amount === null || units === 0) return null
  return mode === 'INITIAL_AMOUNT'
    ? { amount, units, of: quantity }
    : { amount: amount - line.discount, units, of: paidUnits(line) }
}
