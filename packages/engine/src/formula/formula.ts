import type { EvaluationScope, LineScope } from '../evaluation-scope.ts'
import type { Ratio } from '../money.ts'
import { toRatio } from './exact.ts'
import { type FormulaFault, isFault } from './fault.ts'
import { cachedLengthMax } from './limits.ts'
import { isForPoints, isOfLine } from './operands.ts'
import { parse } from './parse.ts'
import type { Evaluator } from './run.ts'
import { isNumber, kindOf } from './value.ts'

/** A compiled formula. */
export interface Formula {
  readonly text: string
  /** Uses operands of the current line, so the value may differ per line. */
  readonly per_line: boolean
  /** The operands, each with the position of its first use: `ORDER_METADATA` → 4. */
  readonly operands: ReadonlyMap<string, number>
  readonly run: Evaluator
}

/**
 * Compiles a formula (docs/reference/formulas.md#grammar). Compiled formulas are cached by text, so repeated calls are
 * cheap.
 *
 * `compileFormula('MIN(30;5 + ORDER_ITEMS_QUANTITY * 2.5)')` → a formula;
 * `compileFormula('1 +')` → `{ fault: 'the formula ends too early', position: 3 }`.
 * /
 */
export function compileFormula(text: string): Formula | FormulaFault {
  let formula = formulaCache.get(text)
  if (formula !== undefined) return formula
  const parsed = parse(text)
  if (isFault(parsed)) return parsed
  formula = { text, per_line: [...parsed.operands.keys()].some(isOfLine), ...parsed }
  cacheFormula(formula)
  return formula
}

const formulaCache = new Map<string, Formula>()
let cachedLength = 0

/** Clears the whole cache when it is full: that is rare, and formulas in use are cached again soon. */
function cacheFormula(formula: Formula): void {
  cachedLength += formula.text.length
  if (cachedLength > cachedLengthMax) {
    formulaCache.clear()
    cachedLength = formula.text.length
  }
  formulaCache.set(formula.text, formula)
}

/**
 * The exact value of a formula, or why there is none: a missing value, a wrong type, a division by zero, a result that is
 * not a number, or numbers beyond the limits. The caller then uses the static value
 * (docs/reference/formulas.md#results-and-fallback).
 *
 * `ORDER_AMOUNT * 0.07` on an order of 256.00 → 448/25, which is 17.92.
 * /
 */
export function evaluateFormula(formula: Formula, scope: EvaluationScope | LineScope): Ratio | FormulaFault {
  scope.work.spend(1 + formula.text.length / 8)
  const value = formula.run({ scope, long_steps: 0 })
  if (isFault(value)) return value
  return isNumber(value) ? toRatio(value) : { fault: `the result is ${kindOf(value)}, not a number`, position: 0 }
}

/** The first operand that is not available when points are earned (docs/reference/earning-rules.md#base-points), or null. */
export function whyNotForPoints(formula: Formula): FormulaFault | null {
  for (const [operand, position] of formula.operands) {
    if (!isForPoints(operand)) return { fault: `${operand} is not available where points are earned`, position }
  }
  return null
}
