import type { Ratio } from '../money.ts'
import { floor, halfUp } from './exact.ts'
import { type FormulaFault, isFault } from './fault.ts'

// Converts the result of a formula to a value of its field (docs/reference/formulas.md#results-and-fallback). Faults pass
// through, so `formulaAmount(evaluateFormula(formula, scope))` is either a usable value or the reason to use the static
// value.

/** Converts major units to an amount in minor units: 17.925 → 1793. Negative results become 0. */
export const formulaAmount = (result: Ratio | FormulaFault): number | FormulaFault =>
  isFault(result) ? result : natural(halfUp(result.n * 100n, result.d))

/** Clamps to a percentage from 0 to 100; not rounded, because the discount amount is rounded only once. */
export function formulaPercent(result: Ratio | FormulaFault): Ratio | FormulaFault {
  if (isFault(result)) return result
  if (result.n < 0n) return { n: 0n, d: 1n }
  return result.n > 100n * result.d ? { n: 100n, d: 1n } : result
}

/** Rounds down to whole units, of a free good or of a limit: 2.9 → 2. Negative results become 0. */
export const formulaUnits = (result: Ratio | FormulaFault): number | FormulaFault =>
  isFault(result) ? result : natural(floor(result.n, result.d))

function natural(value: bigint): number | FormulaFault {
  if (value < 0n) return 0
  return value > BigInt(Number.MAX_SAFE_INTEGER) ? { fault: 'the result is out of range', position: 0 } : Number(value)
}
