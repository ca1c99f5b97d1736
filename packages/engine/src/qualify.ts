import { allTooLarge, type EvaluateOptions, startRun } from './evaluate.ts'
import { evaluateRedeemable } from './evaluate-redeemable.ts'
import type { Facts, Outcome } from './schema/index.ts'

/**
 * What each redeemable would do alone, on the order as it was sent (docs/reference/qualifications.md and
 * docs/reference/validations.md#promotion-tiers): for qualification and for lists of promotions. The order is read once for all
 * of them; stacking limits play no part.
 */
export function qualify(facts: Facts, { explain = false, ...manner }: EvaluateOptions = {}): Outcome[] {
  const run = startRun(facts, explain)
  if (run === null) return allTooLarge(facts)
  return facts.redeemables.map((redeemable) => evaluateRedeemable(run, redeemable, manner).outcome)
}
