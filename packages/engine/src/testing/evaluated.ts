import { assert } from '../assert.ts'
import { type EvaluateOptions, evaluate } from '../evaluate.ts'
import type { CalculatedItem, CalculatedOrder, Facts, Outcome, Verdict } from '../schema/index.ts'
import { brokenInVerdict } from './identities.ts'

/** Evaluates facts that cannot be changed, and checks all sums of the verdict. */
export function evaluated(facts: Facts, options: EvaluateOptions = {}): Verdict {
  const verdict = evaluate(frozen(facts), options)
  const broken = brokenInVerdict(verdict)
  assert(broken.length === 0, broken.join('; '))
  return verdict
}

/** An object that throws when somebody writes to it or to anything inside. */
export function frozen<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value
  for (const inner of Object.values(value)) frozen(inner)
  return Object.freeze(value)
}

/** What each redeemable took off, or why it did not, in the order of processing. */
export const taken = ({ redeemables }: Verdict): Array<number | string | undefined> =>
  redeemables.map((outcome) =>
    outcome.status === 'APPLICABLE' ? outcome.order?.total_applied_discount_amount : outcome.reason.key,
  )

export const applicable = (outcome: Outcome | undefined): Extract<Outcome, { status: 'APPLICABLE' }> => {
  assert(outcome?.status === 'APPLICABLE', `not applicable: ${JSON.stringify(outcome)}`)
  return outcome
}

/** The order of a verdict that has one. */
export function orderOf({ order, redeemables }: Verdict): CalculatedOrder {
  assert(order !== undefined, `no order: ${JSON.stringify(redeemables)}`)
  return order
}

/** One field of every line; a line that does not have it shows undefined. */
export const ofLines = <K extends keyof CalculatedItem>(verdict: Verdict, field: K): Array<CalculatedItem[K]> =>
  orderOf(verdict).items.map((item) => item[field])

export const discounts = (verdict: Verdict): number[] =>
  ofLines(verdict, 'discount_amount').map((amount) => amount ?? 0)
