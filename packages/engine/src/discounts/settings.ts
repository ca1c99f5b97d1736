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

/** A value of a discount: what its formula gives, or what is written when there is none or it cannot be calculated. */
export interface Setting<T> {
  readonly value: T
  readonly is_dynamic: boolean
  /** The value differs from line to line: asks the formula again, on a line. */
  readonly on: ((line: Line) => T) | null
}

interface Source {
  /** As it is called in the discount or the entry. */
  field: string
  formula: string | null | undefined
  scene: EvaluationScope
  trace: Step[] | null
  /**
   * The value is computed line by line. Elsewhere there is no line for a formula to look at
   * (docs/reference/formulas.md#operands).
   */
  is_per_line?: boolean
}

/** Minor units; decimals are rounded before anything is calculated with them. */
export const amountSetting = (written: number | null | undefined, source: Source): Setting<number> =>
  settingOf(wholeAmount(written ?? 0), source, formulaAmount)

/** A price that nobody gave is none: were it 0, a formula without a result would give everything away. */
export const priceSetting = (written: number | null | undefined, source: Source): Setting<number | null> =>
  settingOf<number | null>(wholeLimit(written), source, formulaAmount)

export const percentSetting = (written: number | null | undefined, source: Source): Setting<Ratio> =>
  settingOf(percentAsWritten(written ?? 0), source, formulaPercent)

export const unitsSetting = (written: number | null | undefined, source: Source): Setting<number> =>
  settingOf(written ?? 0, source, formulaUnits)

/** Turns the result of a formula into a value of its field. */
type Convert<T> = (result: Ratio | FormulaFault) => T | FormulaFault

function settingOf<T>(written: T, source: Source, convert: Convert<T>): Setting<T> {
  if (source.formula == null) return { value: written, is_dynamic: false, on: null }
  const formula = compileFormula(source.formula)
  if (source.is_per_line === true && !isFault(formula) && formula.per_line) {
    return { value: written, is_dynamic: true, on: (line) => calculated(source, line, convert) ?? written }
  }
  const value = calculated(source, null, convert)
  return value === null ? { value: written, is_dynamic: false, on: null } : { value, is_dynamic: true, on: null }
}

/** Null when there is no formula, or none that can be calculated here. */
function calculated<T>(
  { field, formula: text, scene, trace }: Source,
  line: Line | null,
  convert: Convert<T>,
): T | null {
  const formula = text == null ? null : compileFormula(text)
  if (formula === null) return null
  const result = isFault(formula) ? formula : evaluateFormula(formula, line === null ? scene : { ...scene, line })
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

/** A limit that may be absent. */
export const wholeLimit = (limit: number | null | undefined): number | null =>
  limit == null ? null : wholeAmount(limit)

/** There are few different percentages in the world, and each is read once. */
function percentAsWritten(percent: number): Ratio {
  let ratio = percentages.get(percent)
  if (ratio === undefined) {
    ratio = Ratio.fromDecimal(percent)
    if (percentages.size < percentagesMax) percentages.set(percent, ratio)
  }
  return ratio
}
const percentages = new Map<number, Ratio>()
const percentagesMax = 10_000

/** The new price of a unit: the entry's own, or null. */
export function priceOf(
  entry: ApplicableEntry,
  scene: EvaluationScope,
  line: Line,
  trace: Step[] | null,
): number | null {
  const source = { field: 'price', formula: entry.price_formula, scene, trace }
  return calculated(source, line, formulaAmount) ?? wholeLimit(entry.price)
}

/** A lifetime limit of an entry: by its formula, else as written; null when neither says anything. */
export function limitOf(
  entry: ApplicableEntry,
  limit: UnitLimit,
  scene: EvaluationScope,
  line: Line,
  trace: Step[] | null,
): number | null {
  const source = { field: limit, formula: entry[`${limit}_formula`], scene, trace }
  return calculated(source, line, formulaUnits) ?? entry[limit] ?? null
}
