import type { Cart } from '../cart.ts'
import type { EvaluationScope } from '../evaluation-scope.ts'
import { once } from '../once.ts'
import { reason } from '../reasons.ts'
import type { Catalogue, KnownRedeemable, Reason, Step, ValidationRule } from '../schema/index.ts'
import type { Entry } from '../selection.ts'
import { compileTree, type Reading, type Tree, textOf } from './compile.ts'
import { type Availability, available } from './domains.ts'
import { coveredLines } from './items.ts'
import type { Need } from './names.ts'
import type { Expression, Missing, Node, Picker, Run, Truth } from './run.ts'
import { stepOf } from './trace.ts'

export type { Availability } from './domains.ts'
export { defaultLogic } from './logic.ts'
export type { Truth } from './run.ts'

export interface RuleOptions {
  /** Names of rules that are left out: they count as true (qualification, docs/reference/qualifications.md). */
  omit?: (name: string) => boolean
  /** Rules that need an order, an amount or lines are left out where there are none. */
  omit_missing_order?: boolean
  /** Takes one step for each rule that logic names; the answer does not depend on it. */
  trace?: Step[] | null
  /** Where the rules are evaluated; those that have no meaning there are false. */
  available?: Availability
}

/** What rules say of a redeemable. */
export interface Judged {
  /** Null while it depends on the effect of the redeemable, which the scene does not have yet. */
  readonly holds: Truth
  /** Why they do not. */
  readonly reason: Reason | null
  /** Lines that rules which hold add to those the discount covers. */
  readonly picked: readonly Entry[]
}

/**
 * Whether all rules hold. The rules of the campaign come first; the first that fails gives key and text, and all that fail
 * are named.
 */
export function evaluateRules(
  rules: readonly ValidationRule[],
  scene: EvaluationScope,
  options: RuleOptions = {},
): Judged {
  if (rules.length === 0) return held
  const run = openRun(scene, options, null)
  let holds: Truth = true
  let failed: string[] | null = null
  let first: Pick<Run, 'reported' | 'missing'> | null = null
  for (const rule of rules) {
    const truth = evaluate(rule, run)
    if (truth === false || (truth === null && holds)) holds = truth
    if (truth !== false) continue
    failed ??= []
    if (!failed.includes(rule.id)) failed.push(rule.id)
    first ??= { reported: run.reported, missing: run.missing }
  }
  if (failed !== null && first !== null) return { holds: false, reason: violation(first, failed, scene), picked: none }
  const picked = pickedEntries(rules, scene)
  return holds && picked.length === 0 ? held : { holds, reason: null, picked }
}

const none: readonly Entry[] = []
const held: Judged = { holds: true, reason: null, picked: none }

export interface RuleResult {
  /** Null while it depends on the effect of the redeemable. */
  holds: Truth
  /** Why it does not. */
  reason?: Reason
  /** Top-level keys of rules that were left out, in the order of logic. */
  omitted: string[]
}

/** Whether one rule holds, and what was left out of it: the form for those who show each assignment by itself. */
export function evaluateRule(rule: ValidationRule, scene: EvaluationScope, options: RuleOptions = {}): RuleResult {
  const omitted: string[] = []
  const run = openRun(scene, options, omitted)
  const holds = evaluate(rule, run)
  return holds === false ? { holds, reason: violation(run, [rule.id], scene), omitted } : { holds, omitted }
}

/** Which numbers of the past the rules compare: nothing else has to be counted. */
export function countersOf(rules: readonly ValidationRule[]): Set<string> {
  const nodes = rules.flatMap((rule) => compileRule(rule).nodes)
  return new Set(nodes.filter(({ is_counter }) => is_counter).map(({ name }) => name))
}

/**
 * What is wrong with a tree of rules, in words for `details`; empty when nothing is. Types of metadata are needed to refuse
 * geopoints, which rules cannot compare.
 */
export function checkRules(
  rules: unknown,
  { metadata_types = null }: { metadata_types?: Catalogue['metadata_types'] } = {},
): string[] {
  const faults: string[] = []
  const reading: Reading = { refuse: (fault) => faults.push(fault), rules_count: 0, metadata_types }
  compileTree(rules, { depth: 1, text: null, parent: null }, reading, ask)
  return faults
}

/**
 * Lines that rules pick for the discount by `….discount_applicable`: one entry for each good
 * (docs/reference/rules.md#what-entries-cover).
 */
function pickedEntries(rules: readonly ValidationRule[], scene: EvaluationScope): readonly Entry[] {
  if (!rules.some((rule) => compileRule(rule).nodes.some(isIncluding))) return none
  const entries = new Map<string, Entry & { line_indices: Set<number> }>()
  for (const rule of rules) {
    for (const node of compileRule(rule).nodes) {
      if (!isIncluding(node)) continue
      for (const { item } of coveredLines(node.picker, openRun(scene, {}, null))) {
        const { sku, product, good, index } = item
        const { id = null, source_id = null } = sku ?? product ?? {}
        const entry = entries.get(good) ?? {
          object: sku === null ? 'product' : 'sku',
          id,
          source_id,
          strict: true,
          effect: 'APPLY_TO_EVERY',
          line_indices: new Set<number>(),
        }
        entry.line_indices.add(index)
        entries.set(good, entry)
      }
    }
  }
  return [...entries.values()]
}

const isIncluding = (node: Node): node is Node & { picker: Picker } => node.picker?.includes === true

/** A rule as it is evaluated, prepared at its first use. */
const compileRule = once(({ rules, error }: ValidationRule): Tree => {
  const reading: Reading = { refuse: () => {}, rules_count: 0, metadata_types: null }
  return compileTree(rules, { depth: 1, text: textOf(error), parent: null }, reading, ask) ?? nothing
})

const nothing: Tree = { expression: () => true, nodes: [] }

function openRun(scene: EvaluationScope, options: RuleOptions, omitted: string[] | null): Run {
  return {
    scene,
    domains: available[options.available ?? 'redemption'],
    omit: options.omit ?? null,
    omits_missing_order: options.omit_missing_order ?? false,
    omitted,
    trace: options.trace ?? null,
    rule_id: '',
    reported: null,
    missing: null,
    line: null,
    picker: null,
    extreme: Number.NaN,
    quantity_sum: Number.NaN,
    amount_sum: Number.NaN,
  }
}

function evaluate(rule: ValidationRule, run: Run): Truth {
  run.rule_id = rule.id
  run.reported = null
  run.missing = null
  return compileRule(rule).expression(run)
}

/** A rule at the top level: available here, not left out, with all the data it needs, and then as it says. */
function ask(node: Node): Expression {
  return (run) => {
    const missing = node.needs === null ? null : whatIsMissing(node.needs, run.scene.cart, run.scene)
    const isAvailable = (run.domains & node.domain) !== 0
    const isLeftOut = isAvailable && isOmitted(node, missing, run)
    const truth = isLeftOut || (isAvailable && missing === null && node.decide(run))
    if (truth === false && run.reported === null) {
      run.reported = node
      run.missing = missing
    }
    if (isLeftOut && run.omitted !== null && !run.omitted.includes(node.key)) run.omitted.push(node.key)
    if (run.trace !== null) explain(node, run, isLeftOut ? null : truth)
    return truth
  }
}

function isOmitted(node: Node, missing: Missing | null, run: Run): boolean {
  if (run.omit?.(node.name)) return true
  return run.omits_missing_order && missing !== null && missing !== 'missing_customer'
}

function whatIsMissing(needs: Need, cart: Cart | null, { customer }: EvaluationScope): Missing | null {
  if (needs === 'customer') return customer === null ? 'missing_customer' : null
  if (cart === null) return 'missing_order'
  if (needs === 'amount') return cart.amount === null ? 'missing_amount' : null
  return needs === 'lines' && cart.lines.length === 0 ? 'missing_order_items' : null
}

/** A rule that logic names twice is told once. The telling asks again, which must not change who is to blame. */
function explain(node: Node, run: Run, passed: Truth): void {
  const { trace, rule_id, reported, missing } = run
  if (trace?.some((step) => step.step === 'rule' && step.rule_id === rule_id && step.key === node.key)) return
  trace?.push(stepOf(node, run, passed))
  run.reported = reported
  run.missing = missing
}

function violation(
  { reported, missing }: Pick<Run, 'reported' | 'missing'>,
  ruleIds: readonly string[],
  { redeemable }: EvaluationScope,
): Reason {
  const details =
    missing === 'missing_customer' ? 'Customer is required to validate rules' : violatedRules(ruleIds, redeemable)
  const text = reported?.text ?? null
  return reason(missing ?? reported?.violation ?? 'redemption_rules_violated', {
    details,
    ...(text === null ? {} : { error: { message: text } }),
  })
}

/** Names the rules that were not met, as `details` of an error. */
export function violatedRules(ruleIds: readonly string[], redeemable: KnownRedeemable | null): string {
  const label = redeemable === null ? 'Rule' : labels[redeemable.kind]
  return `${label} cannot be redeemed because of violated validation rules: ${ruleIds.join(', ')}`
}

const labels: Readonly<Record<KnownRedeemable['kind'], string>> = {
  discount_voucher: 'Discount Coupon',
  gift_voucher: 'Gift Card',
  loyalty_card: 'Loyalty Card',
  promotion_tier: 'Promotion Tier',
}
