import type { EvaluationScope, LineScene } from '../evaluation-scope.ts'
import type { Ratio } from '../money.ts'
import { toRatio } from './exact.ts'
import { type FormulaFault, isFault } from './fault.ts'
import { rememberedLengthMax } from './limits.ts'
import { isForPoints, isOfLine } from './operands.ts'
import { parse } from './parse.ts'
import type { Run } from './run.ts'
import { isNumber, kindOf } from './value.ts'

/** A formula that can be calculated: parsed once, then a function. */
export interface Formula {
  readonly text: string
  /** Looks at the line at hand, so every line may have another value. */
  readonly per_line: boolean
  /** What it looks at, and where that is named first: `ORDER_METADATA` → 4. */
  readonly operands: ReadonlyMap<string, number>
  readonly run: Run
}

/**
 * Reads a formula (docs/reference/formulas.md#grammar). Compiled formulas are remembered by their text, so asking again costs
 * next to nothing.
 *
 * `compileFormula('MIN(30;5 + ORDER_ITEMS_QUANTITY * 2.5)')` → a formula;
 * `compileFormula('1 +')` → `{ fault: 'the formula ends too early', position: 3 }`.
 */
export function compileFormula(text: string): Formula | FormulaFault {
  let formula = remembered.get(text)
  if (formula !== undefined) return formula
  const parsed = parse(text)
  if (isFault(parsed)) return parsed
  formula = { text, per_line: [...parsed.operands.keys()].some(isOfLine), ...parsed }
  remember(formula)
  return formula
}

const remembered = new Map<string, Formula>()
let rememberedLength = 0

/** When there is no more room we start again: that is rare, and which formulas are in use shows soon. */
function remember(formula: Formula): void {
  rememberedLength += formula.text.length
  if (rememberedLength > rememberedLengthMax) {
    remembered.clear()
    rememberedLength = formula.text.length
  }
  remembered.set(formula.text, formula)
}

/**
 * The value of a formula, exact; or why there is none: a missing value, a wrong kind, a division by zero, a result that is
 * no number, or numbers beyond all measure. The static value is used then (docs/reference/formulas.md#results-and-fallback).
 *
 * `ORDER_AMOUNT * 0.07` on an order of 256.00 → 448/25, which is 17.92.
 */
export function evaluateFormula(formula: Formula, scene: EvaluationScope | LineScene): Ratio | FormulaFault {
  const value = formula.run({ sight: scene, long_steps: 0 })
  if (isFault(value)) return value
  return isNumber(value) ? toRatio(value) : { fault: `the result is ${kindOf(value)}, not a number`, position: 0 }
}

/** The first operand that has no meaning where points are earned (docs/reference/earning-rules.md#base-points), or null. */
export function whyNotForPoints(formula: Formula): FormulaFault | null {
  for (const [operand, position] of formula.operands) {
    if (!isForPoints(operand)) return { fault: `${operand} is not available where points are earned`, position }
  }
  return null
}
