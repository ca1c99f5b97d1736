import type { Line } from '../cart.ts'
import { inRange, mulDiv } from '../money.ts'
import type { ItemFacts } from '../schema/index.ts'

/** A product or SKU of a unit discount, and the facts of a line that sells it. */
export interface UnitGood {
  readonly id: string
  readonly is_sku: boolean
  readonly facts: ItemFacts
  readonly price: number | null
}

/** A line of an SKU does not count as a line of its product. */
export function isLineOf({ item }: Line, { id, is_sku }: UnitGood): boolean {
  return is_sku ? item.sku?.id === id : item.sku === null && item.product?.id === id
}

/**
 * The value of additional units of a line: at the average amount of the existing units, so a sent amount takes precedence
 * over a price; else by price. Null when neither is known.
 */
export function valueOfUnits({ amount, quantity, item }: Line, units: number, price: number | null): number | null {
  if (quantity > 0) return amount === null ? null : mulDiv(amount, units, quantity)
  const unitPrice = item.price ?? price
  return unitPrice === null ? null : inRange(unitPrice * units)
}
