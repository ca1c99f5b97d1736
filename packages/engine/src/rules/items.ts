import type { Line } from '../cart.ts'
import { priceOf, type SubRule } from './names.ts'
import type { Picker, Run } from './run.ts'

/**
 * Whether a rule about items holds (docs/reference/rules.md#lines-and-references). The sub-rules are asked line by line, all of
 * them of the same line.
 */
export function decideItems(picker: Picker, run: Run): boolean {
  const { reported, missing } = run
  openPick(picker, run)
  const holds = quantified(picker, run)
  // A sub-rule is to blame where it was expected to hold, and nobody where it did not matter.
  if (holds || picker.quantifier === 'none') [run.reported, run.missing] = [reported, missing]
  return holds
}

function quantified(picker: Picker, run: Run): boolean {
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

/** The lines that a rule picked and on which its sub-rules hold. */
export const coveredLines = (picker: Picker, run: Run): Line[] => {
  if (picker.quantifier === 'none' || !decideItems(picker, run)) return []
  return pickedLines(picker, run).filter((line) => holdsOn(line, picker, run))
}

export function pickedLines(picker: Picker, run: Run): Line[] {
  openPick(picker, run)
  return linesOf(run).filter((line) => line.quantity > 0 && isPicked(picker, line, run))
}

function holdsOn(line: Line, { sub }: Picker, run: Run): boolean {
  run.line = line
  return sub === null || sub(run) === true
}

/** The sum of something over all picked lines; added up once, however many lines ask. */
export function sumOf(sum: NonNullable<SubRule['sum']>, run: Run): number {
  if (Number.isNaN(run[sum.field])) {
    let total = 0
    for (const line of linesOf(run))
      if (line.quantity > 0 && run.picker !== null && isPicked(run.picker, line, run)) total += sum.of(line)
    run[sum.field] = total
  }
  return run[sum.field]
}

function openPick(picker: Picker, run: Run): void {
  run.picker = picker
  run.quantity_sum = Number.NaN
  run.amount_sum = Number.NaN
  run.extreme = Number.NaN
  const { quantifier } = picker
  if (quantifier !== 'cheapest' && quantifier !== 'most_expensive') return
  const sign = quantifier === 'cheapest' ? 1 : -1
  for (const line of linesOf(run)) {
    const price = line.quantity > 0 ? priceOf(line) : undefined
    if (price === undefined || price * sign >= run.extreme * sign || !picker.isInPool(line.item, run.scene)) continue
    run.extreme = price
  }
}

function isPicked({ quantifier, isInPool, matches }: Picker, line: Line, { scene, extreme }: Run): boolean {
  const isExtreme = quantifier === 'cheapest' || quantifier === 'most_expensive'
  if (isExtreme && priceOf(line) !== extreme) return false
  return isInPool(line.item, scene) && matches(line.item, scene)
}

export const linesOf = ({ scene }: Run): readonly Line[] => scene.cart?.lines ?? []
