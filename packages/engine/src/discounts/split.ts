import { allocate, compareProducts, floorOfSum, inRange, type Part, Ratio } from '../money.ts'

/** Splits an amount over lines in proportion to their value; at most their total value. */
export function splitByAmount(amount: number, worths: readonly Part[]): number[] {
  const weights = worths.map(Ratio.ofPart)
  const total = Math.min(amount, floorOfSum(weights))
  return total === 0 ? worths.map(() => 0) : allocate(total, weights)
}

/**
 * Splits an amount over lines in proportion to their units. No line gets more than its capacity; the excess is split over
 * the other lines.
 *
 * 10.00 over lines of 1, 2 and 4 units: 1.43, 2.86 and 5.71. The first line has a capacity of 1.00, so 9.00 go to the
 * others: 1.00, 3.00 and 6.00.
 */
export function splitByQuantity(amount: number, units: readonly number[], capacities: readonly number[]): number[] {
  const unitsOf = (i: number): number => units[i] as number
  const capacityOf = (i: number): number => capacities[i] as number
  const shares = units.map(() => 0)
  const openLines = [...units.keys()].filter((i) => unitsOf(i) > 0 && capacityOf(i) > 0)
  // Lines with the least capacity per unit fill up first; after the first line that does not fill up, none of the others
  // does.
  openLines.sort((a, b) => compareProducts(capacityOf(a), unitsOf(b), capacityOf(b), unitsOf(a)))
  let remaining = Math.min(amount, Number.MAX_SAFE_INTEGER)
  let remainingUnits = inRange(openLines.reduce((sum, i) => sum + unitsOf(i), 0))
  let fullLines = 0
  for (const i of openLines) {
    if (compareProducts(remaining, unitsOf(i), capacityOf(i), remainingUnits) < 0) break
    shares[i] = capacityOf(i)
    remaining -= capacityOf(i)
    remainingUnits -= unitsOf(i)
    fullLines += 1
  }
  const unfilledLines = openLines.slice(fullLines).sort((a, b) => a - b) // leftover cents go to the earlier line
  if (unfilledLines.length === 0 || remaining === 0) return shares
  for (const [position, share] of allocate(remaining, unfilledLines.map(unitsOf)).entries())
    shares[unfilledLines[position] as number] = share
  return shares
}
