import type { Line } from '../cart.ts'
import { inRange, mulDiv } from '../money.ts'
import type { ItemFacts } from '../schema/index.ts'

/** A product or SKU that units can be added of: how its line would be described. */
export interface UnitGood {
  readonly id: string
  readonly is_sku: boolean
  readonly facts: ItemFacts
  readonly price: number | null
}

/** Units of a product are only those that are sold without an SKU. */
export function isLineOf({ item }: Line, { id, is_sku }: UnitGood): boolean {
  return is_sku ? item.sku?.id === id : item.sku === null && item.product?.id === id
}

/**
 * What more units of a line are worth: as much as those that are there, so that an amount that was sent wins over a price
 * here too; else by price. Null when nobody knows.
 */
export function valueOfUnits({ amount, quantity, item }: Line, units: number, price: number | null): number | null {
  if (quantity > 0) return amount === null ? null : mulDiv(amount, units, quantity)
  const unitPrice = item.price ?? price
  return unitPrice === null ? null : inRange(unitPrice * units)
}
