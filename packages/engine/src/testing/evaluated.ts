import { assert } from '../assert.ts'
import { type EvaluateOptions, evaluate } from '../evaluate.ts'
import type { CalculatedItem, CalculatedOrder, Facts, Outcome, Verdict } from '../schema/index.ts'
import { brokenInVerdict } from './identities.ts'

/** Evaluates frozen facts, and checks all sums of the verdict. */
export function evaluateChecked(facts: Facts, options: EvaluateOptions = {}): Verdict {
  const verdict = evaluate(deepFreeze(facts), options)
  const broken = brokenInVerdict(verdict)
  assert(broken.length === 0, broken.join('; '))
  return verdict
}

/** Freezes an object recursively: every write throws. */
export function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value
  for (const inner of Object.values(value)) deepFreeze(inner)
  return Object.freeze(value)
}

/** The discount of each redeemable, or the key of its refusal, in the order of processing. */
export const discountsOrReasons = ({ redeemables }: Verdict): Array<number | string | undefined> =>
  redeemables.map((outcome) =>
    outcome.status === 'APPLICABLE' ? outcome.order?.total_applied_discount_amount : outcome.reason.key,
  )

export const applicable = (outcome: Outcome | undefined): Extract<Outcome, { status: 'APPLICABLE' }> => {
  assert(outcome?.status === 'APPLICABLE', `not applicable: ${JSON.stringify(outcome)}`)
  return outcome
}

/** The order of a verdict; fails when there is none. */
export function orderOf({ order, redeemables }: Verdict): CalculatedOrder {
  assert(order !== undefined, `no order: ${JSON.stringify(redeemables)}`)
  return order
}

/** One field of every line; undefined for lines without it. */
export const fieldOfLines = <K extends keyof CalculatedItem>(verdict: Verdict, field: K): Array<CalculatedItem[K]> =>
  orderOf(verdict).items.map((item) => item[field])

export const lineDiscounts = (verdict: Verdict): number[] =>
  fieldOfLines(verdict, 'discount_amount').map((amount) => amount ?? 0)
