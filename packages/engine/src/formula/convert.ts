import type { Ratio } from '../money.ts'
import { floor, halfUp } from './exact.ts'
import { type FormulaFault, isFault } from './fault.ts'

// What a result means in the field it was calculated for (docs/reference/formulas.md#results-and-fallback). Faults pass through,
// so that
// `formulaAmount(evaluateFormula(formula, scene))` is either a usable value or the reason to take the static one.

/** An amount in minor units, of a result in major ones: 17.925 → 1793. Negative is 0. */
export const formulaAmount = (result: Ratio | FormulaFault): number | FormulaFault =>
  isFault(result) ? result : natural(halfUp(result.n * 100n, result.d))

/** A percentage from 0 to 100; still exact, because the amount it gives is rounded only once. */
export function formulaPercent(result: Ratio | FormulaFault): Ratio | FormulaFault {
  if (isFault(result)) return result
  if (result.n < 0n) return { n: 0n, d: 1n }
  return result.n > 100n * result.d ? { n: 100n, d: 1n } : result
}

/** Whole units, of a free good or of a limit: 2.9 → 2. Negative is 0. */
export const formulaUnits = (result: Ratio | FormulaFault): number | FormulaFault =>
  isFault(result) ? result : natural(floor(result.n, result.d))

function natural(value: bigint): number | FormulaFault {
  if (value < 0n) return 0
  return value > BigInt(Number.MAX_SAFE_INTEGER) ? { fault: 'the result is out of range', position: 0 } : Number(value)
}
