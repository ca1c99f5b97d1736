import { allocate, compareProducts, floorOfSum, inRange, type Part, Ratio } from '../money.ts'

/** Spreads an amount over lines in proportion to their worth; never more than all of them together are worth. */
export function splitByAmount(amount: number, worths: readonly Part[]): number[] {
  const weights = worths.map(Ratio.ofPart)
  const total = Math.min(amount, floorOfSum(weights))
  return total === 0 ? worths.map(() => 0) : allocate(total, weights)
}

/**
 * Spreads an amount over lines in proportion to their units. A line takes no more than it has room for; what it cannot take
 * is spread over those that can.
 *
 * 10.00 over lines of 1, 2 and 4 units: 1.43, 2.86 and 5.71. The first has room for 1.00 only, so 9.00 go to the others:
 * 1.00, 3.00 and 6.00.
 */
export function splitByQuantity(amount: number, units: readonly number[], room: readonly number[]): number[] {
  const unitsOf = (i: number): number => units[i] as number
  const roomOf = (i: number): number => room[i] as number
  const shares = units.map(() => 0)
  const open = [...units.keys()].filter((i) => unitsOf(i) > 0 && roomOf(i) > 0)
  // Those with the least room for each unit are full first; once one of them is not, none of the others is.
  open.sort((a, b) => compareProducts(roomOf(a), unitsOf(b), roomOf(b), unitsOf(a)))
  let rest = Math.min(amount, Number.MAX_SAFE_INTEGER)
  let restUnits = inRange(open.reduce((sum, i) => sum + unitsOf(i), 0))
  let full = 0
  for (const i of open) {
    if (compareProducts(rest, unitsOf(i), roomOf(i), restUnits) < 0) break
    shares[i] = roomOf(i)
    rest -= roomOf(i)
    restUnits -= unitsOf(i)
    full += 1
  }
  const others = open.slice(full).sort((a, b) => a - b) // odd cents go to the earlier line
  if (others.length === 0 || rest === 0) return shares
  for (const [position, share] of allocate(rest, others.map(unitsOf)).entries())
    shares[others[position] as number] = share
  return shares
}
