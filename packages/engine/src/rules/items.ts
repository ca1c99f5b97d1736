import type { Line } from '../cart.ts'
import { priceOf, type SubRule } from './names.ts'
import type { Picker, RuleRun } from './run.ts'

/**
 * Whether a rule about items holds (docs/reference/rules.md#lines-and-references). Sub-rules are evaluated per line, all of
 * them on the same line.
 */
export function evaluateItems(picker: Picker, run: RuleRun): boolean {
  const { reported, missing } = run
  openPick(picker, run)
  const holds = quantifierHolds(picker, run)
  // A failed sub-rule is reported only when it made the rule fail.
  if (holds || picker.quantifier === 'none') [run.reported, run.missing] = [reported, missing]
  return holds
}

function quantifierHolds(picker: Picker, run: RuleRun): boolean {
  const { quantifier } = picker
  const oneIsEnough = quantifier === 'any' || quantifier === 'none'
  let isAnyPicked = false
  for (const line of linesOf(run)) {
    if (line.quantity <= 0) continue
    if (!isPicked(picker, line, run)) {
      if (quantifier === 'every') return false
      continue
    }
    isAnyPicked = true
    const holds = holdsOn(line, picker, run)
    if (oneIsEnough && holds) return quantifier === 'any'
    if (!oneIsEnough && !holds) return false
  }
  return quantifier === 'none' || (quantifier !== 'any' && isAnyPicked)
}

/** The picked lines on which the sub-rules hold. */
export const coveredLines = (picker: Picker, run: RuleRun): Line[] => {
  if (picker.quantifier === 'none' || !evaluateItems(picker, run)) return []
  return pickedLines(picker, run).filter((line) => holdsOn(line, picker, run))
}

export function pickedLines(picker: Picker, run: RuleRun): Line[] {
  openPick(picker, run)
  return linesOf(run).filter((line) => line.quantity > 0 && isPicked(picker, line, run))
}

function holdsOn(line: Line, { subExpression }: Picker, run: RuleRun): boolean {
  run.line = line
  return subExpression === null || subExpression(run) === true
}

/** A sum over all picked lines, computed once and cached in the run. */
export function sumOf(sum: NonNullable<SubRule['sum']>, run: RuleRun): number {
  if (Number.isNaN(run[sum.field])) {
    let total = 0
    for (const line of linesOf(run))
      if (line.quantity > 0 && run.picker !== null && isPicked(run.picker, line, run)) total += sum.of(line)
    run[sum.field] = total
  }
  return run[sum.field]
}

function openPick(picker: Picker, run: RuleRun): void {
  run.picker = picker
  run.quantity_sum = Number.NaN
  run.amount_sum = Number.NaN
  run.extreme = Number.NaN
  const { quantifier } = picker
  if (quantifier !== 'cheapest' && quantifier !== 'most_expensive') return
  const sign = quantifier === 'cheapest' ? 1 : -1
  for (const line of linesOf(run)) {
    const price = line.quantity > 0 ? priceOf(line) : undefined
    if (price === undefined || price * sign >= run.extreme * sign || !picker.isInPool(line.item, run.scope)) continue
    run.extreme = price
  }
}

function isPicked({ quantifier, isInPool, matches }: Picker, line: Line, { scope, extreme }: RuleRun): boolean {
  scope.work.spend(1)
  const isExtreme = quantifier === 'cheapest' || quantifier === 'most_expensive'
  if (isExtreme && priceOf(line) !== extreme) return false
  return isInPool(line.item, scope) && matches(line.item, scope)
}

export const linesOf = ({ scope }: RuleRun): readonly Line[] => scope.cart?.lines ?? []
