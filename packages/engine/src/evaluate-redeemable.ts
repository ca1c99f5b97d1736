import { findBundles } from './bundles.ts'
import { calculatedOrder } from './calculated-order.ts'
import { type Cart, copyForNextRedeemable, totalOf } from './cart.ts'
import { coveredEntries } from './covered.ts'
import { type ApplicationResult, applyTo } from './discounts/index.ts'
import type { Use } from './discounts/use.ts'
import { whyNotPayable, whyNotShown, whyNotUsable } from './eligibility.ts'
import type { Effect, EvaluationScope } from './evaluation-scope.ts'
import { withFailure } from './missing-step.ts'
import { notFound, reason, tooLarge, tooMuchWork } from './reasons.ts'
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
import { WorkExceeded } from './work.ts'

/** How a redeemable is evaluated. A checkout runs every check; qualification only asks what could be used. */
export interface EvaluationMode extends Pick<RuleOptions, 'omit' | 'omit_missing_order' | 'omit_missing_units'> {
  /** Cards are listed, not spent: no reward is required, and the order may be unknown. */
  is_qualification?: boolean
  /** An incomplete bundle is reported instead of refused. */
  tolerates_missing_bundle?: boolean
}

export type EvaluatedRedeemable = { outcome: Applicable; cart: Cart | null } | { outcome: Inapplicable }

/** Checks one redeemable against the current order and calculates its effect. The run is not mutated. */
export function evaluateRedeemable(
  run: Run,
  redeemable: Redeemable,
  evaluationMode: EvaluationMode = {},
): EvaluatedRedeemable {
  const trace: Step[] | null = run.explain ? [] : null
  try {
    const eligibility = checkEligibility(run, redeemable, evaluationMode, trace)
    return 'reason' in eligibility
      ? refuse(redeemable, eligibility, trace)
      : apply(run, eligibility, evaluationMode, trace)
  } catch (error) {
    if (error instanceof WorkExceeded) return refuse(redeemable, { reason: tooMuchWork() }, trace)
    if (!(error instanceof RangeError)) throw error
    return refuse(redeemable, { reason: tooLarge() }, trace)
  }
}

/** Whether a redeemable passes every check that does not need its effect. */
export function isEligible(run: Run, redeemable: Redeemable, evaluationMode: EvaluationMode): boolean {
  try {
    return !('reason' in checkEligibility(run, redeemable, evaluationMode, null))
  } catch (error) {
    if (error instanceof RangeError || error instanceof WorkExceeded) return false
    throw error
  }
}

interface EligibleRedeemable {
  redeemable: KnownRedeemable
  rules: readonly ValidationRule[]
  use: Use
  bundle: BundleResult | null
  /** Some rule depends on the effect and has no result yet. */
  is_undecided: boolean
}

interface Refusal {
  reason: Reason
  bundle?: BundleResult | null
}

/** Runs the checks in the order of docs/reference/validity.md#order-of-checks; the first failure is the reason. */
function checkEligibility(
  run: Run,
  redeemable: Redeemable,
  evaluationMode: EvaluationMode,
  trace: Step[] | null,
): EligibleRedeemable | Refusal {
  if (redeemable.kind === 'unknown') return { reason: notFound(redeemable.object, redeemable.id) }
  const scope = scopeFor(run, redeemable)
  scope.work.spend(stepsPerRedeemable + stepsPerLine * (run.cart?.lines.length ?? 0))
  const rules = redeemable.rules ?? noRules
  const unusable = whyNotUsable(redeemable, scope, trace)
  if (unusable !== null) return { reason: unusable }

  const mode = calculationMode(redeemable, run.facts.stacking_rules)
  const use: Use = { redeemable, scope, coverage: coverageOf(rules), mode, bundles: 1, blocked: run.blocked, trace }
  const unpayable = evaluationMode.is_qualification === true ? whyNotShown(redeemable) : whyNotPayable(run.cart, use)
  if (unpayable !== null) return { reason: unpayable }

  const rulesResult = evaluateRules(rules, scope, { ...evaluationMode, trace })
  if (rulesResult.reason !== null) return { reason: rulesResult.reason }

  const bundle = findBundles(rules, run.cart, scope)
  if (bundle !== null) trace?.push({ step: 'bundle', quantity: bundle.quantity, limit: bundle.limit })
  if (bundle?.quantity === 0 && evaluationMode.tolerates_missing_bundle !== true) {
    return { reason: incompleteBundle(rules, redeemable), bundle }
  }
  const bundles = Math.max(1, bundle?.quantity ?? 1)
  const coverage = rulesResult.picked.length === 0 ? use.coverage : coverageOf(rules, rulesResult.picked)
  if (coverage !== use.coverage && evaluationMode.is_qualification !== true) {
    // The lines that a card may pay depend on the rules, so they are known only now: there may be none.
    const unpayable = whyNotPayable(run.cart, { ...use, coverage, trace: null })
    if (unpayable !== null) return { reason: unpayable }
  }
  const bundleScope = bundle === null ? scope : { ...scope, bundle_quantity: bundle.quantity }
  return {
    redeemable,
    rules,
    use: { ...use, scope: bundleScope, coverage, bundles },
    bundle,
    is_undecided: rulesResult.holds === null,
  }
}

const noRules: readonly ValidationRule[] = []
/** To copy the order, to apply a discount to it, and to show the result. */
const [stepsPerRedeemable, stepsPerLine] = [50, 10]

function incompleteBundle(rules: readonly ValidationRule[], redeemable: KnownRedeemable): Reason {
  const rulesWithBundle = rules.filter(({ bundle_rules }) => bundle_rules != null)
  const text = rulesWithBundle.find(({ error }) => error != null)?.error
  const ids = rulesWithBundle.map(({ id }) => id)
  return reason('order_rules_violated', {
    details: violatedRules(ids, redeemable),
    ...(text == null ? {} : { error: text }),
  })
}

/** Calculates on a copy: a redeemable that is refused later leaves the order unchanged. */
function apply(
  run: Run,
  eligible: EligibleRedeemable,
  evaluationMode: EvaluationMode,
  trace: Step[] | null,
): EvaluatedRedeemable {
  const { redeemable, rules, use } = eligible
  const cart = run.cart === null ? null : copyForNextRedeemable(run.cart)
  const result =
    evaluationMode.is_qualification === true && redeemable.kind === 'loyalty_card' ? {} : applyTo(cart, use)
  if ('key' in result) return refuse(redeemable, { reason: result }, trace)

  if (eligible.is_undecided) {
    const scope: EvaluationScope = { ...use.scope, effect: effectOn(cart, result) }
    const secondPassSteps: Step[] | null = trace === null ? null : []
    const { reason } = evaluateRules(rules, scope, { ...evaluationMode, trace: secondPassSteps })
    if (trace !== null && secondPassSteps !== null) replaceDecidedSteps(trace, secondPassSteps)
    if (reason !== null) return refuse(redeemable, { reason }, trace)
  }

  return { outcome: applicable(run.cart, cart, eligible, result, trace), cart }
}

/** The answer about an applied redeemable; `before` is the order without it. */
function applicable(
  before: Cart | null,
  cart: Cart | null,
  { redeemable, use, bundle }: EligibleRedeemable,
  result: ApplicationResult,
  trace: Step[] | null,
): Applicable {
  const { object, id } = redeemable
  const { discount, credits = 0, points, reached } = result
  const order = cart === null ? null : calculatedOrder(cart, 'redeemable')
  const selected = reached?.selected ?? informationalSelection(before, use)
  const units = reached?.counts_units === true ? countDiscountedUnits(reached.selected, use.scope) : null
  const outcome: Applicable = {
    status: 'APPLICABLE',
    object,
    id,
    ...(order === null ? {} : { order }),
    ...coveredEntries(before, use.coverage, selected, use.scope),
    ...(discount === undefined ? {} : { discount }),
    ...(redeemable.kind === 'gift_voucher' ? { gift: { balance: redeemable.gift.balance, credits } } : {}),
    ...(points === undefined ? {} : { loyalty_card: { points } }),
    ...(bundle === null ? {} : { bundle }),
    has_effect: hasEffect(cart, redeemable, result),
    ...(units === null ? {} : { units }),
    discounted_goods: cart === null ? [] : discountedGoods(cart),
  }
  if (trace === null) return outcome
  const amount = order?.total_applied_discount_amount ?? 0
  return { ...outcome, explanation: { object, id, status: 'APPLICABLE', amount, steps: trace } }
}

/** Replaces the steps of rules that were undecided in the first pass by those of the second; unchanged steps stay. */
function replaceDecidedSteps(trace: Step[], secondPassSteps: readonly Step[]): void {
  for (const step of secondPassSteps) {
    if (step.step !== 'rule') continue
    const position = trace.findIndex(
      (earlier) => earlier.step === 'rule' && earlier.rule_id === step.rule_id && earlier.key === step.key,
    )
    const firstPassStep = trace[position]
    if (firstPassStep?.step === 'rule' && firstPassStep.passed === step.passed) continue
    if (firstPassStep !== undefined) trace.splice(position, 1)
    trace.push(step)
  }
}

function refuse(redeemable: Redeemable, { reason, bundle }: Refusal, trace: Step[] | null): { outcome: Inapplicable } {
  const { object, id } = redeemable
  const { key, message } = reason
  const outcome: Inapplicable = { status: 'INAPPLICABLE', object, id, reason, ...(bundle == null ? {} : { bundle }) }
  if (trace === null) return { outcome }
  const steps = withFailure(trace, key)
  return {
    outcome: { ...outcome, explanation: { object, id, status: 'INAPPLICABLE', reason: { key, message }, steps } },
  }
}

function effectOn(cart: Cart | null, { credits = 0, points = 0 }: ApplicationResult): Effect {
  const discount = cart === null ? 0 : appliedDiscountOf(cart)
  const total = cart === null || cart.amount === null ? null : totalOf(cart)
  return { total, discount, credits, points }
}

const appliedDiscountOf = (cart: Cart): number =>
  cart.lines.reduce((sum, { applied_discount }) => sum + applied_discount, cart.applied_discount)

/**
 * Whether the redeemable had an effect; an order that cannot be calculated counts as one
 * (docs/reference/discounts.md#no-effect).
 */
function hasEffect(
  cart: Cart | null,
  redeemable: KnownRedeemable,
  { credits = 0, points = 0 }: ApplicationResult,
): boolean {
  if (redeemable.kind === 'loyalty_card' && redeemable.reward?.type !== 'COIN') return true
  if (credits > 0 || points > 0) return true
  if (cart === null || cart.amount === null) return true
  return (
    appliedDiscountOf(cart) > 0 ||
    cart.lines.some((line) => line.applied_quantity !== 0 || line.applied_discount_quantity > 0)
  )
}

/** For an order-level discount: the lines that its rules name, for information only. */
const informationalSelection = (cart: Cart | null, { coverage, scope }: Use): SelectedEntry[] =>
  cart === null || !coverage.is_defined ? [] : select(cart, coverage, scope)

/** Discounted units by lifetime limit and key. */
function countDiscountedUnits(
  selected: readonly SelectedEntry[],
  scope: EvaluationScope,
): NonNullable<Applicable['units']> | null {
  const unitsByLimit: Record<string, Record<string, number>> = {}
  for (const { entry, lines } of selected) {
    if (entry === null) continue
    for (const limit of lifetimeLimits(entry, scope)) {
      for (const { line, discounted_units } of lines) {
        if (discounted_units === 0) continue
        const key = unitKey(entry, line, limit)
        unitsByLimit[limit] ??= {}
        const unitsByKey = unitsByLimit[limit]
        unitsByKey[key] = (ownEntry(unitsByKey, key) ?? 0) + discounted_units
      }
    }
  }
  return Object.keys(unitsByLimit).length === 0 ? null : unitsByLimit
}

function discountedGoods(cart: Cart): string[] {
  const goods = new Set<string>()
  for (const line of cart.lines) {
    if (line.applied_discount > 0 || line.applied_discount_quantity > 0 || line.applied_quantity > 0)
      goods.add(line.item.good)
  }
  return [...goods]
}
