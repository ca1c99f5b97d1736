import { calculatedOrder } from './calculated-order.ts'
import { type EvaluationMode, evaluateRedeemable, passes } from './evaluate-redeemable.ts'
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
  /** Each outcome carries an explanation. */
  explain?: boolean
}

/**
 * What the redeemables of a request do to its order (docs/reference/stacking.md#order-of-application): eligible → stacked →
 * applied → totalled. The same facts give the same verdict, byte for byte. A "no" is part of the verdict; nothing is thrown for
 * it.
 *
 * An order of 320.00 with [gift credits 15.00, 15 %, 20.00 off] gives 15.00, 45.75 and 20.00; 239.25 are left to pay.
 */
export function evaluate(facts: Facts, { explain = false, ...manner }: EvaluateOptions = {}): Verdict {
  const run = startRun(facts, explain)
  if (run === null) return { valid: false, redeemables: allTooLarge(facts) }
  const { stacking_rules: rules, redeemables, is_promotion_stack } = facts
  const candidates = redeemables.map((redeemable) => classify(redeemable, rules))
  const isExclusive = candidates.some(
    ({ redeemable, group }) => group === 'exclusive' && passes(run, redeemable, manner),
  )
  const isStack = is_promotion_stack === true
  const excluded = isExclusive && !isStack ? candidates.filter(isBlockedByExclusive) : []
  const walked = isStack
    ? candidates
    : arrange(
        candidates.filter((one) => !excluded.includes(one)),
        rules,
        isExclusive,
      )

  const outcomes = walk(run, walked, isStack ? null : newStackingCapacity(rules), manner)
  for (const { redeemable } of excluded) outcomes.push(skipped(redeemable, 'exclusion_rules_not_met', explain))
  return verdictOf(run, outcomes)
}

/**
 * What nobody knows has no category to be judged by: it is not found, whatever else is there
 * (docs/reference/stacking.md#order-of-application, step 1).
 */
const isBlockedByExclusive = ({ redeemable, group }: Candidate): boolean =>
  group === 'common' && redeemable.kind !== 'unknown'

/** Null when the amounts of the order are too large to be exact. */
export function startRun(facts: Facts, explain: boolean): Run | null {
  try {
    return openRun(facts, explain)
  } catch (error) {
    if (error instanceof RangeError) return null
    throw error
  }
}

export const allTooLarge = ({ redeemables }: Facts): Outcome[] =>
  redeemables.map(({ object, id }) => ({ status: 'INAPPLICABLE', object, id, reason: tooLarge() }))

/** One redeemable after the other, each on the order that those before it left. Limits come before validity. */
function walk(
  run: Run,
  candidates: readonly Candidate[],
  room: StackingCapacity | null,
  manner: EvaluationMode,
): Outcome[] {
  const { explain } = run
  const { stacking_rules: rules } = run.facts
  let hasFailed = false
  return candidates.map((candidate) => {
    const { redeemable } = candidate
    if (hasFailed && rules.redeemables_application_mode === 'ALL') {
      return skipped(redeemable, 'preceding_validation_failed', explain)
    }
    const full = room?.whyNot(candidate) ?? null
    if (full !== null) {
      const { key, used, allowed } = full
      const step = (): Step => ({ step: 'limit', limit: limitNames[key] ?? key, used, allowed, passed: false })
      return skipped(redeemable, key, explain, explain ? [step()] : [])
    }
    const considered = evaluateRedeemable(run, redeemable, manner)
    if (!('cart' in considered)) {
      hasFailed = true
      return considered.outcome
    }
    const { outcome, cart } = considered
    if (!outcome.has_effect && skipsWithoutEffect(redeemable, rules)) {
      return skipped(redeemable, 'no_effect', explain, outcome.explanation?.steps)
    }
    accept(run, redeemable as KnownRedeemable, outcome, cart)
    room?.take(candidate)
    return outcome
  })
}

/** The stacking rule behind a skip. */
const limitNames: Partial<Record<ReasonKey, string>> = {
  applicable_redeemables_limit_exceeded: 'applicable_redeemables_limit',
  applicable_redeemables_per_category_limit_exceeded: 'applicable_redeemables_per_category_limit',
  applicable_exclusive_redeemables_limit_exceeded: 'applicable_exclusive_redeemables_limit',
  applicable_exclusive_redeemables_per_category_limit_exceeded: 'applicable_exclusive_redeemables_per_category_limit',
}

function skipped({ object, id }: Redeemable, key: ReasonKey, explain: boolean, steps: Step[] = []): Skipped {
  const outcome: Skipped = { status: 'SKIPPED', object, id, reason: reason(key) }
  if (explain) {
    const { message } = outcome.reason
    outcome.explanation = { object, id, status: 'SKIPPED', reason: { key, message }, steps: withFailure(steps, key) }
  }
  return outcome
}

/** Skips do not make a request invalid; under ALL one inapplicable redeemable does. */
function verdictOf(run: Run, redeemables: Outcome[]): Verdict {
  const isAll = run.facts.stacking_rules.redeemables_application_mode === 'ALL'
  const has = (status: Outcome['status']): boolean => redeemables.some((outcome) => outcome.status === status)
  const valid = has('APPLICABLE') && !(isAll && has('INAPPLICABLE'))
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
