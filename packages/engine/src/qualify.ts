import { allTooLarge, type EvaluateOptions, startRun } from './evaluate.ts'
import { evaluateRedeemable } from './evaluate-redeemable.ts'
import type { Facts, Outcome } from './schema/index.ts'

/**
 * Evaluates each redeemable alone on the order as sent (docs/reference/qualifications.md and
 * docs/reference/validations.md#promotion-tiers), for qualification and for lists of promotions. The order is parsed once
 * for all redeemables; stacking limits do not apply.
 */
export function qualify(facts: Facts, { explain = false, ...evaluationMode }: EvaluateOptions = {}): Outcome[] {
  const run = startRun(facts, explain)
  if (run === null) return allTooLarge(facts)
  return facts.redeemables.map((redeemable) => evaluateRedeemable(run, redeemable, evaluationMode).outcome)
}
