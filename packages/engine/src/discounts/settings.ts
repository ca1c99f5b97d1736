import type { Line } from '../cart.ts'
import type { EvaluationScope } from '../evaluation-scope.ts'
import {
  compileFormula,
  evaluateFormula,
  type FormulaFault,
  formulaAmount,
  formulaPercent,
  formulaUnits,
  isFault,
} from '../formula/index.ts'
import { Ratio } from '../money.ts'
import type { ApplicableEntry, Step, UnitLimit } from '../schema/index.ts'

/**
 * A value of a discount: the result of its formula, or the static value when there is no formula or it cannot be
 * calculated.
 */
export interface Setting<T> {
  readonly value: T
  readonly is_dynamic: boolean
  /** For a value that differs per line: evaluates the formula on a line. Null otherwise. */
  readonly valueOnLine: ((line: Line) => T) | null
}

interface Source {
  /** Name of the field in the discount or the entry. */
  field: string
  formula: string | null | undefined
  scope: EvaluationScope
  trace: Step[] | null
  /** The value is computed per line. Otherwise formulas cannot refer to a line (docs/reference/formulas.md#operands). */
  is_per_line?: boolean
}

/** In minor units; decimals are rounded before use. */
export const amountSetting = (staticValue: number | null | undefined, source: Source): Setting<number> =>
  settingOf(wholeAmount(staticValue ?? 0), source, formulaAmount)

/** A missing price is null, not 0: with 0, a formula without a result would make everything free. */
export const priceSetting = (staticValue: number | null | undefined, source: Source): Setting<number | null> =>
  settingOf<number | null>(wholeLimit(staticValue), source, formulaAmount)

export const percentSetting = (staticValue: number | null | undefined, source: Source): Setting<Ratio> =>
  settingOf(parsePercent(staticValue ?? 0), source, formulaPercent)

export const unitsSetting = (staticValue: number | null | undefined, source: Source): Setting<number> =>
  settingOf(staticValue ?? 0, source, formulaUnits)

/** Converts the result of a formula to a value of its field. */
type Convert<T> = (result: Ratio | FormulaFault) => T | FormulaFault

function settingOf<T>(staticValue: T, source: Source, convert: Convert<T>): Setting<T> {
  if (source.formula == null) return { value: staticValue, is_dynamic: false, valueOnLine: null }
  const formula = compileFormula(source.formula)
  if (source.is_per_line === true && !isFault(formula) && formula.per_line) {
    return {
      value: staticValue,
      is_dynamic: true,
      valueOnLine: (line) => calculateFormula(source, line, convert) ?? staticValue,
    }
  }
  const value = calculateFormula(source, null, convert)
  return value === null
    ? { value: staticValue, is_dynamic: false, valueOnLine: null }
    : { value, is_dynamic: true, valueOnLine: null }
}

/** Null when there is no formula, or it cannot be calculated here. */
function calculateFormula<T>(
  { field, formula: text, scope, trace }: Source,
  line: Line | null,
  convert: Convert<T>,
): T | null {
  const formula = text == null ? null : compileFormula(text)
  if (formula === null) return null
  const result = isFault(formula) ? formula : evaluateFormula(formula, line === null ? scope : { ...scope, line })
  const value = convert(result)
  trace?.push({
    step: 'formula',
    field,
    formula: text as string,
    ...(line === null ? {} : { line: line.item.index }),
    ...(isFault(result) ? { fault: result.fault } : { value: Ratio.toText(result) }),
  })
  return isFault(value) ? null : value
}

const wholeAmount = (amount: number): number =>
  Number.isInteger(amount) ? amount : Ratio.toInteger(Ratio.fromDecimal(amount))

/** An optional limit in whole minor units. */
export const wholeLimit = (limit: number | null | undefined): number | null =>
  limit == null ? null : wholeAmount(limit)

/** Cached: few different percentages are in use, so each is parsed once. */
function parsePercent(percent: number): Ratio {
  let ratio = percentages.get(percent)
  if (ratio === undefined) {
    ratio = Ratio.fromDecimal(percent)
    if (percentages.size < percentagesMax) percentages.set(percent, ratio)
  }
  return ratio
}
const percentages = new Map<number, Ratio>()
const percentagesMax = 10_000

/** The new unit price that an entry sets, or null. */
export function priceOf(
  entry: ApplicableEntry,
  scope: EvaluationScope,
  line: Line,
  trace: Step[] | null,
): number | null {
  const source = { field: 'price', formula: entry.price_formula, scope, trace }
  return calculateFormula(source, line, formulaAmount) ?? wholeLimit(entry.price)
}

/** A lifetime limit of an entry: by its formula, else its static value; null when neither is set. */
export function limitOf(
  entry: ApplicableEntry,
  limit: UnitLimit,
  scope: EvaluationScope,
  line: Line,
  trace: Step[] | null,
): number | null {
  const source = { field: limit, formula: entry[`${limit}_formula`], scope, trace }
  return calculateFormula(source, line, formulaUnits) ?? entry[limit] ?? null
}
