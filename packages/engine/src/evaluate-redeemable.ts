import { findBundles } from './bundles.ts'
import { calculatedOrder } from './calculated-order.ts'
import { type Cart, nextStep, totalOf } from './cart.ts'
import { coveredEntries } from './covered.ts'
import { applyTo, type Done } from './discounts/index.ts'
import type { Use } from './discounts/use.ts'
import { whyNotPayable, whyNotShown, whyNotUsable } from './eligibility.ts'
import type { Effect, EvaluationScope } from './evaluation-scope.ts'
import { withFailure } from './missing-step.ts'
import { notFound, reason, tooLarge } from './reasons.ts'
import { evaluateRules, type RuleOptions, violatedRules } from './rules/index.ts'
import { type Run, scopeFor } from './run.ts'
import type {
  Applicable,
  BundleResult,
  Inapplicable,
  KnownRedeemable,
  Reason,
  Redeemable,
  Step,
  ValidationRule,
} from './schema/index.ts'
import { coverageOf, lifetimeLimits, type SelectedEntry, select, unitKey } from './selection.ts'
import { calculationMode } from './stacking.ts'
import { ownEntry } from './values.ts'

/** How a redeemable is judged. A checkout asks for everything; qualification only asks what could be used. */
export interface EvaluationMode extends Pick<RuleOptions, 'omit' | 'omit_missing_order'> {
  /** Cards are shown without being spent: no reward is needed, an unknown order does no harm. */
  is_qualification?: boolean
  /** An incomplete bundle is reported and does no harm. */
  tolerates_missing_bundle?: boolean
}

export type EvaluatedRedeemable = { outcome: Applicable; cart: Cart | null } | { outcome: Inapplicable }

/** Judges one redeemable on the order as it stands, and calculates what it does to it. The run is not changed. */
export function evaluateRedeemable(run: Run, redeemable: Redeemable, manner: EvaluationMode = {}): EvaluatedRedeemable {
  const trace: Step[] | null = run.explain ? [] : null
  try {
    const ready = checkEligibility(run, redeemable, manner, trace)
    return 'reason' in ready ? refused(redeemable, ready, trace) : applied(run, ready, manner, trace)
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    return refused(redeemable, { reason: tooLarge() }, trace)
  }
}

/** Whether a redeemable passes all that can be checked without calculating it. */
export function passes(run: Run, redeemable: Redeemable, manner: EvaluationMode): boolean {
  try {
    return !('reason' in checkEligibility(run, redeemable, manner, null))
  } catch (error) {
    if (error instanceof RangeError) return false
    throw error
  }
}

interface Ready {
  redeemable: KnownRedeemable
  rules: readonly ValidationRule[]
  use: Use
  bundle: BundleResult | null
  /** Some rule can only be decided when the effect is known. */
  is_undecided: boolean
}

interface Refusal {
  reason: Reason
  bundle?: BundleResult | null
}

/** The checks of docs/reference/validity.md#order-of-checks, in their order; the first that fails decides. */
function checkEligibility(
  run: Run,
  redeemable: Redeemable,
  manner: EvaluationMode,
  trace: Step[] | null,
): Ready | Refusal {
  if (redeemable.kind === 'unknown') return { reason: notFound(redeemable.object, redeemable.id) }
  const scene = scopeFor(run, redeemable)
  const rules = redeemable.rules ?? none
  const unusable = whyNotUsable(redeemable, scene, trace)
  if (unusable !== null) return { reason: unusable }

  const mode = calculationMode(redeemable, run.facts.stacking_rules)
  const use: Use = { redeemable, scene, coverage: coverageOf(rules), mode, bundles: 1, blocked: run.blocked, trace }
  const unpayable = manner.is_qualification === true ? whyNotShown(redeemable) : whyNotPayable(run.cart, use)
  if (unpayable !== null) return { reason: unpayable }

  const judged = evaluateRules(rules, scene, { ...manner, trace })
  if (judged.reason !== null) return { reason: judged.reason }

  const bundle = findBundles(rules, run.cart, scene)
  if (bundle !== null) trace?.push({ step: 'bundle', quantity: bundle.quantity, limit: bundle.limit })
  if (bundle?.quantity === 0 && manner.tolerates_missing_bundle !== true) {
    return { reason: incompleteBundle(rules, redeemable), bundle }
  }
  const bundles = Math.max(1, bundle?.quantity ?? 1)
  const coverage = judged.picked.length === 0 ? use.coverage : coverageOf(rules, judged.picked)
  if (coverage !== use.coverage && manner.is_qualification !== true) {
    // Only now it is known which lines a card may pay: perhaps none.
    const unpayable = whyNotPayable(run.cart, { ...use, coverage, trace: null })
    if (unpayable !== null) return { reason: unpayable }
  }
  const bundleScene = bundle === null ? scene : { ...scene, bundle_quantity: bundle.quantity }
  return {
    redeemable,
    rules,
    use: { ...use, scene: bundleScene, coverage, bundles },
    bundle,
    is_undecided: judged.holds === null,
  }
}

const none: readonly ValidationRule[] = []

function incompleteBundle(rules: readonly ValidationRule[], redeemable: KnownRedeemable): Reason {
  const demanding = rules.filter(({ bundle_rules }) => bundle_rules != null)
  const text = demanding.find(({ error }) => error != null)?.error
  const ids = demanding.map(({ id }) => id)
  return reason('order_rules_violated', {
    details: violatedRules(ids, redeemable),
    ...(text == null ? {} : { error: text }),
  })
}

/** Calculates on a copy, so that a redeemable that fails in the end leaves no trace in the order. */
function applied(run: Run, ready: Ready, manner: EvaluationMode, trace: Step[] | null): EvaluatedRedeemable {
  const { redeemable, rules, use, bundle } = ready
  const cart = run.cart === null ? null : nextStep(run.cart)
  const done = manner.is_qualification === true && redeemable.kind === 'loyalty_card' ? {} : applyTo(cart, use)
  if ('key' in done) return refused(redeemable, { reason: done }, trace)

  if (ready.is_undecided) {
    const scene: EvaluationScope = { ...use.scene, effect: effectOn(cart, done) }
    const decided: Step[] | null = trace === null ? null : []
    const { reason } = evaluateRules(rules, scene, { ...manner, trace: decided })
    if (trace !== null && decided !== null) tellDecided(trace, decided)
    if (reason !== null) return refused(redeemable, { reason }, trace)
  }

  const order = cart === null ? null : calculatedOrder(cart, 'redeemable')
  const selected = done.reached?.selected ?? informationalSelection(run.cart, use)
  const units = done.reached?.counts_units === true ? countedUnits(done.reached.selected, use.scene) : null
  const outcome: Applicable = {
    status: 'APPLICABLE',
    object: redeemable.object,
    id: redeemable.id,
    ...(order === null ? {} : { order }),
    ...coveredEntries(run.cart, use.coverage, selected, use.scene),
    ...(done.discount === undefined ? {} : { discount: done.discount }),
    ...(redeemable.kind === 'gift_voucher'
      ? { gift: { balance: redeemable.gift.balance, credits: done.credits ?? 0 } }
      : {}),
    ...(done.points === undefined ? {} : { loyalty_card: { points: done.points } }),
    ...(bundle === null ? {} : { bundle }),
    has_effect: hasEffect(cart, redeemable, done),
    ...(units === null ? {} : { units }),
    discounted_goods: cart === null ? [] : discountedGoods(cart),
  }
  if (trace !== null) {
    const { object, id } = redeemable
    const amount = order?.total_applied_discount_amount ?? 0
    outcome.explanation = { object, id, status: 'APPLICABLE', amount, steps: trace }
  }
  return { outcome, cart }
}

/** Rules that waited for the effect are told where they were decided; the others have been told already. */
function tellDecided(trace: Step[], decided: readonly Step[]): void {
  for (const step of decided) {
    if (step.step !== 'rule') continue
    const told = trace.findIndex((one) => one.step === 'rule' && one.rule_id === step.rule_id && one.key === step.key)
    const before = trace[told]
    if (before?.step === 'rule' && before.passed === step.passed) continue
    if (before !== undefined) trace.splice(told, 1)
    trace.push(step)
  }
}

function refused(redeemable: Redeemable, { reason, bundle }: Refusal, trace: Step[] | null): { outcome: Inapplicable } {
  const { object, id } = redeemable
  const { key, message } = reason
  const explanation =
    trace === null
      ? {}
      : {
          explanation: {
            object,
            id,
            status: 'INAPPLICABLE' as const,
            reason: { key, message },
            steps: withFailure(trace, key),
          },
        }
  return {
    outcome: { status: 'INAPPLICABLE', object, id, reason, ...(bundle == null ? {} : { bundle }), ...explanation },
  }
}

function effectOn(cart: Cart | null, { credits, points }: Done): Effect {
  const discount = cart === null ? 0 : appliedBy(cart)
  const total = cart === null || cart.amount === null ? null : totalOf(cart)
  return { total, discount, credits: credits ?? 0, points: points ?? 0 }
}

const appliedBy = (cart: Cart): number =>
  cart.lines.reduce((sum, { applied_discount }) => sum + applied_discount, cart.applied_discount)

/** Whether anything came of it; what cannot be calculated counts as something (docs/reference/discounts.md#no-effect). */
function hasEffect(cart: Cart | null, redeemable: KnownRedeemable, { credits, points }: Done): boolean {
  if (redeemable.kind === 'loyalty_card' && redeemable.reward?.type !== 'COIN') return true
  if ((credits ?? 0) > 0 || (points ?? 0) > 0) return true
  if (cart === null || cart.amount === null) return true
  return (
    appliedBy(cart) > 0 || cart.lines.some((line) => line.applied_quantity !== 0 || line.applied_discount_quantity > 0)
  )
}

/** Where the discount is on the order, its rules still say which lines they name. */
const informationalSelection = (cart: Cart | null, { coverage, scene }: Use): SelectedEntry[] =>
  cart === null || !coverage.is_defined ? [] : select(cart, coverage, scene)

/** Units to count against lifetime limits. */
function countedUnits(
  selected: readonly SelectedEntry[],
  scene: EvaluationScope,
): NonNullable<Applicable['units']> | null {
  const counted: Record<string, Record<string, number>> = {}
  for (const { entry, lines } of selected) {
    if (entry === null) continue
    for (const limit of lifetimeLimits(entry, scene)) {
      for (const { line, discounted_units } of lines) {
        if (discounted_units === 0) continue
        const key = unitKey(entry, line, limit)
        counted[limit] ??= {}
        const ofLimit = counted[limit]
        ofLimit[key] = (ownEntry(ofLimit, key) ?? 0) + discounted_units
      }
    }
  }
  return Object.keys(counted).length === 0 ? null : counted
}

function discountedGoods(cart: Cart): string[] {
  const goods = new Set<string>()
  for (const line of cart.lines) {
    if (line.applied_discount > 0 || line.applied_discount_quantity > 0 || line.applied_quantity > 0)
      goods.add(line.item.good)
  }
  return [...goods]
}
