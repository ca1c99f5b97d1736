import { calculatedOrder } from './calculated-order.ts'
import { type EvaluationMode, evaluateRedeemable, isEligible } from './evaluate-redeemable.ts'
import { withFailure } from './missing-step.ts'
import { type ReasonKey, reason, tooLarge } from './reasons.ts'
import { accept, openRun, type Run } from './run.ts'
import type { Facts, KnownRedeemable, Outcome, Redeemable, Skipped, Step, Verdict } from './schema/index.ts'
import {
  arrange,
  type Candidate,
  classify,
  newStackingCapacity,
  type StackingCapacity,
  skipsWithoutEffect,
} from './stacking.ts'

export interface EvaluateOptions extends EvaluationMode {
  /** Adds an explanation to each outcome. */
  explain?: boolean
}

/**
 * Evaluates the redeemables of a request on its order (docs/reference/stacking.md#order-of-application): eligible → stacked
 * → applied → totalled. Deterministic: the same facts give the same verdict, byte for byte. A refusal is part of the
 * verdict, never an exception.
 *
 * An order of 320.00 with [gift credits 15.00, 15 %, 20.00 off] gives 15.00, 45.75 and 20.00; 239.25 are left to pay.
 * /
 */
export function evaluate(facts: Facts, { explain = false, ...evaluationMode }: EvaluateOptions = {}): Verdict {
  const run = startRun(facts, explain)
  if (run === null) return { valid: false, redeemables: facts.redeemables.map(outcomeTooLarge) }
  const { stacking_rules: rules, redeemables, is_promotion_stack } = facts
  const candidates = redeemables.map((redeemable) => classify(redeemable, rules))
  const isExclusive = candidates.some(
    ({ redeemable, group }) => group === 'exclusive' && isEligible(run, redeemable, evaluationMode),
  )
  const isStack = is_promotion_stack === true
  const excluded = isExclusive && !isStack ? candidates.filter(isBlockedByExclusive) : []
  const sequence = isStack
    ? candidates
    : arrange(
        candidates.filter((candidate) => !excluded.includes(candidate)),
        rules,
        isExclusive,
      )

  const outcomes = evaluateInSequence(run, sequence, isStack ? null : newStackingCapacity(rules), evaluationMode)
  for (const { redeemable } of excluded) outcomes.push(skippedOutcome(redeemable, 'exclusion_rules_not_met', explain))
  return verdictOf(run, outcomes)
}

/**
 * Evaluates each redeemable alone on the order as sent (docs/reference/qualifications.md and
 * docs/reference/validations.md#promotion-tiers), for qualification and for lists of promotions. The order is parsed once
 * for all redeemables; stacking limits do not apply.
 */
export function qualify(facts: Facts, { explain = false, ...evaluationMode }: EvaluateOptions = {}): Outcome[] {
  return facts.redeemables.map(openQualification(facts, { explain, ...evaluationMode }))
}

/** The same for callers that evaluate one redeemable after another, and pause between them. */
export function openQualification(
  facts: Facts,
  { explain = false, ...evaluationMode }: EvaluateOptions = {},
): (redeemable: Redeemable) => Outcome {
  const run = startRun(facts, explain)
  if (run === null) return outcomeTooLarge
  return (redeemable) => {
    run.scope.work.restart()
    return evaluateRedeemable(run, redeemable, evaluationMode).outcome
  }
}

/**
 * An unknown redeemable has no category, so exclusive categories do not block it: it is reported as not found
 * (docs/reference/stacking.md#order-of-application, step 1).
 */
const isBlockedByExclusive = ({ redeemable, group }: Candidate): boolean =>
  group === 'common' && redeemable.kind !== 'unknown'

/** Null when an amount of the order is too large to be exact. */
function startRun(facts: Facts, explain: boolean): Run | null {
  try {
    return openRun(facts, explain)
  } catch (error) {
    if (error instanceof RangeError) return null
    throw error
  }
}

const outcomeTooLarge = ({ object, id }: Redeemable): Outcome => ({
  status: 'INAPPLICABLE',
  object,
  id,
  reason: tooLarge(),
})

/**
 * Evaluates the redeemables in sequence, each on the order after its predecessors. Stacking limits are checked before
 * validity.
 */
function evaluateInSequence(
  run: Run,
  candidates: readonly Candidate[],
  capacity: StackingCapacity | null,
  evaluationMode: EvaluationMode,
): Outcome[] {
  const { explain } = run
  const { stacking_rules: rules } = run.facts
  let hasFailed = false
  return candidates.map((candidate) => {
    const { redeemable } = candidate
    if (hasFailed && rules.redeemables_application_mode === 'ALL') {
      return skippedOutcome(redeemable, 'preceding_validation_failed', explain)
    }
    const exceededLimit = capacity?.whyNot(candidate) ?? null
    if (exceededLimit !== null) {
      const { key, used, allowed } = exceededLimit
      const step = (): Step => ({ step: 'limit', limit: limitNames[key] ?? key, used, allowed, passed: false })
      return skippedOutcome(redeemable, key, explain, explain ? [step()] : [])
    }
    const evaluation = evaluateRedeemable(run, redeemable, evaluationMode)
    if (!('cart' in evaluation)) {
      hasFailed = true
      return evaluation.outcome
    }
    const { outcome, cart } = evaluation
    if (!outcome.has_effect && skipsWithoutEffect(redeemable, rules)) {
      return skippedOutcome(redeemable, 'no_effect', explain, outcome.explanation?.steps)
    }
    accept(run, redeemable as KnownRedeemable, outcome, cart)
    capacity?.take(candidate)
    return outcome
  })
}

/** The stacking rule that caused a skip. */
const limitNames: Partial<Record<ReasonKey, string>> = {
  applicable_redeemables_limit_exceeded: 'applicable_redeemables_limit',
  applicable_redeemables_per_category_limit_exceeded: 'applicable_redeemables_per_category_limit',
  applicable_exclusive_redeemables_limit_exceeded: 'applicable_exclusive_redeemables_limit',
  applicable_exclusive_redeemables_per_category_limit_exceeded: 'applicable_exclusive_redeemables_per_category_limit',
}

function skippedOutcome({ object, id }: Redeemable, key: ReasonKey, explain: boolean, steps: Step[] = []): Skipped {
  const outcome: Skipped = { status: 'SKIPPED', object, id, reason: reason(key) }
  if (explain) {
    const { message } = outcome.reason
    outcome.explanation = { object, id, status: 'SKIPPED', reason: { key, message }, steps: withFailure(steps, key) }
  }
  return outcome
}

/** Skipped redeemables do not make a request invalid; in mode ALL one inapplicable redeemable does. */
function verdictOf(run: Run, redeemables: Outcome[]): Verdict {
  const isAll = run.facts.stacking_rules.redeemables_application_mode === 'ALL'
  const hasStatus = (status: Outcome['status']): boolean => redeemables.some((outcome) => outcome.status === status)
  const valid = hasStatus('APPLICABLE') && !(isAll && hasStatus('INAPPLICABLE'))
  if (!valid || run.cart === null) return { valid, redeemables }
  const { lines } = run.cart
  const hasFree = lines.some(({ free_quantity }) => free_quantity > 0)
  return {
    valid,
    redeemables,
    order: calculatedOrder(run.cart, 'request'),
    ...(hasFree ? { free_quantities: lines.map(({ free_quantity }) => free_quantity) } : {}),
  }
}
