import type { Cart, Line } from '../cart.ts'
import type { EvaluationScope } from '../evaluation-scope.ts'
import { memoize } from '../memoize.ts'
import { reason, tooMuchWork } from '../reasons.ts'
import type { Catalogue, KnownRedeemable, Reason, Step, ValidationRule } from '../schema/index.ts'
import type { Entry } from '../selection.ts'
import { WorkExceeded } from '../work.ts'
import { type CompileContext, compileTree, type Tree, textOf } from './compile.ts'
import { type Availability, available } from './domains.ts'
import { coveredLines } from './items.ts'
import type { Need } from './names.ts'
import type { Expression, Missing, Node, Picker, RuleRun, Truth } from './run.ts'
import { stepOf } from './trace.ts'

export type { Availability } from './domains.ts'
export { defaultLogic } from './logic.ts'
export type { Truth } from './run.ts'

export interface RuleOptions {
  /** Whether a rule is omitted, by name; an omitted rule counts as true (qualification, docs/reference/qualifications.md). */
  omit?: (name: string) => boolean
  /** Omits rules that need an order, an amount or lines when the request has none. */
  omit_missing_order?: boolean
  /** Omits rules about goods that fail only because the order has too few units of them. */
  omit_missing_units?: boolean
  /** Receives one step per rule named by `logic`; it does not change the result. */
  trace?: Step[] | null
  /** Where the rules are evaluated; rules of domains that are not available there are false. */
  available?: Availability
}

/** The result of the rules of a redeemable. */
export interface RulesResult {
  /** Null while the result depends on the effect of the redeemable, which the scope does not have yet. */
  readonly holds: Truth
  /** Why the rules do not hold. */
  readonly reason: Reason | null
  /** Lines that rules which hold add to the covered lines. */
  readonly picked: readonly Entry[]
}

/**
 * Evaluates all rules. The rules of the campaign come first; the first failed rule gives key and message, and all failed
 * rules are listed.
 */
export function evaluateRules(
  rules: readonly ValidationRule[],
  scope: EvaluationScope,
  options: RuleOptions = {},
): RulesResult {
  if (rules.length === 0) return passedResult
  const run = openRun(scope, options, null)
  let holds: Truth = true
  let failedRuleIds: string[] | null = null
  let firstFailure: Pick<RuleRun, 'reported' | 'missing'> | null = null
  for (const rule of rules) {
    const truth = evaluate(rule, run)
    if (truth === false || (truth === null && holds)) holds = truth
    if (truth !== false) continue
    failedRuleIds ??= []
    if (!failedRuleIds.includes(rule.id)) failedRuleIds.push(rule.id)
    firstFailure ??= { reported: run.reported, missing: run.missing }
  }
  if (failedRuleIds !== null && firstFailure !== null)
    return { holds: false, reason: violation(firstFailure, failedRuleIds, scope), picked: noEntries }
  const picked = pickedEntries(rules, scope, options)
  return holds && picked.length === 0 ? passedResult : { holds, reason: null, picked }
}

const noEntries: readonly Entry[] = []
const passedResult: RulesResult = { holds: true, reason: null, picked: noEntries }

export interface RuleResult {
  /** Null while the result depends on the effect of the redeemable. */
  holds: Truth
  /** Why the rule does not hold. */
  reason?: Reason
  /** Top-level keys of omitted rules, in the order of `logic`. */
  omitted: string[]
}

/** Evaluates one rule and lists what was omitted, for callers that report each assignment separately. */
export function evaluateRule(rule: ValidationRule, scope: EvaluationScope, options: RuleOptions = {}): RuleResult {
  const omitted: string[] = []
  const run = openRun(scope, options, omitted)
  let holds: Truth
  try {
    holds = evaluate(rule, run)
  } catch (error) {
    if (error instanceof WorkExceeded) return { holds: false, reason: tooMuchWork(), omitted }
    throw error
  }
  return holds === false ? { holds, reason: violation(run, [rule.id], scope), omitted } : { holds, omitted }
}

/** The counters that the rules compare: only these have to be loaded. */
export function countersOf(rules: readonly ValidationRule[]): Set<string> {
  const nodes = rules.flatMap((rule) => compileRule(rule).nodes)
  return new Set(nodes.filter(({ is_counter }) => is_counter).map(({ name }) => name))
}

/** More faults than anybody corrects at once. */
const faultsMax = 50

/**
 * Faults of a tree of rules as texts for `details`; empty when it is valid. The metadata types are needed to refuse
 * geopoints, which rules cannot compare.
 */
export function checkRules(
  rules: unknown,
  { metadata_types = null }: { metadata_types?: Catalogue['metadata_types'] } = {},
): string[] {
  const faults: string[] = []
  const reportFault: CompileContext['reportFault'] = (fault, suggestion) => {
    if (faults.length < faultsMax) faults.push(fault + (suggestion?.() ?? ''))
  }
  const context: CompileContext = { reportFault, rules_count: 0, metadata_types }
  compileTree(rules, { depth: 1, text: null, parent: null }, context, evaluateNode)
  return faults
}

/**
 * Lines that rules include in the discount by `….discount_applicable`: one entry per good
 * (docs/reference/rules.md#what-entries-cover).
 */
function pickedEntries(
  rules: readonly ValidationRule[],
  scope: EvaluationScope,
  { omit_missing_units = false }: RuleOptions,
): readonly Entry[] {
  if (!rules.some((rule) => compileRule(rule).nodes.some(isIncluding))) return noEntries
  const entries = new Map<string, Entry & { line_indices: Set<number> }>()
  for (const rule of rules) {
    for (const node of compileRule(rule).nodes) {
      if (!isIncluding(node)) continue
      for (const { item } of coveredByRule(node.picker, openRun(scope, { omit_missing_units }, null))) {
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

/** The covered lines; of a rule that is omitted for missing units, those it would cover with enough units. */
function coveredByRule(picker: Picker, run: RuleRun): Line[] {
  const lines = coveredLines(picker, run)
  return lines.length === 0 && run.omits_missing_units ? withMissingUnits(run, () => coveredLines(picker, run)) : lines
}

const isIncluding = (node: Node): node is Node & { picker: Picker } => node.picker?.includes === true

/** A rule, compiled on first use. */
const compileRule = memoize(({ rules, error }: ValidationRule): Tree => {
  const context: CompileContext = { reportFault: () => {}, rules_count: 0, metadata_types: null }
  return compileTree(rules, { depth: 1, text: textOf(error), parent: null }, context, evaluateNode) ?? emptyTree
})

const emptyTree: Tree = { expression: () => true, nodes: [] }

function openRun(scope: EvaluationScope, options: RuleOptions, omitted: string[] | null): RuleRun {
  return {
    scope,
    domains: available[options.available ?? 'redemption'],
    omit: options.omit ?? null,
    omits_missing_order: options.omit_missing_order ?? false,
    omits_missing_units: options.omit_missing_units ?? false,
    counts_missing_units: false,
    omitted,
    trace: options.trace ?? null,
    traced: options.trace == null ? null : new Set(),
    rule_id: '',
    rule_name: undefined,
    reported: null,
    missing: null,
    line: null,
    picker: null,
    extreme: Number.NaN,
    quantity_sum: Number.NaN,
    amount_sum: Number.NaN,
  }
}

function evaluate(rule: ValidationRule, run: RuleRun): Truth {
  run.rule_id = rule.id
  run.rule_name = rule.name ?? undefined
  run.reported = null
  run.missing = null
  return compileRule(rule).expression(run)
}

/** Evaluates a top-level rule: it must be available here, not omitted, and have the data it needs. */
function evaluateNode(node: Node): Expression {
  return (run) => {
    const missing = node.needs === null ? null : whatIsMissing(node.needs, run.scope.cart, run.scope)
    const isAvailable = (run.domains & node.domain) !== 0
    const isOmittedUnseen = isAvailable && isOmitted(node, missing, run)
    const { reported } = run
    const decided = isOmittedUnseen || (isAvailable && missing === null && node.decide(run))
    const lacksUnits = decided === false && isAvailable && missing === null && lacksOnlyUnits(node, run)
    if (lacksUnits) run.reported = reported
    const isOmittedHere = isOmittedUnseen || lacksUnits
    const truth = isOmittedHere || decided
    if (truth === false && run.reported === null) {
      run.reported = node
      run.missing = missing
    }
    if (isOmittedHere && run.omitted !== null && !run.omitted.includes(node.key)) run.omitted.push(node.key)
    if (run.trace !== null) traceNode(node, run, isOmittedHere ? null : truth)
    return truth
  }
}

function isOmitted(node: Node, missing: Missing | null, run: RuleRun): boolean {
  if (run.omit?.(node.name)) return true
  return run.omits_missing_order && missing !== null && missing !== 'missing_customer'
}

/** Whether a rule that failed would hold if the order had more units of the lines it has. */
const lacksOnlyUnits = ({ picker, decide }: Node, run: RuleRun): boolean =>
  run.omits_missing_units &&
  picker !== null &&
  picker.quantifier !== 'none' &&
  withMissingUnits(run, () => decide(run) === true)

function withMissingUnits<T>(run: RuleRun, work: () => T): T {
  run.counts_missing_units = true
  const result = work()
  run.counts_missing_units = false
  return result
}

function whatIsMissing(needs: Need, cart: Cart | null, { customer }: EvaluationScope): Missing | null {
  if (needs === 'customer') return customer === null ? 'missing_customer' : null
  if (cart === null) return 'missing_order'
  if (needs === 'amount') return cart.amount === null ? 'missing_amount' : null
  return needs === 'lines' && cart.lines.length === 0 ? 'missing_order_items' : null
}

/**
 * Adds the step of a rule once, even if `logic` names it twice. Building the step evaluates the rule again, so the reported
 * failure is restored afterwards.
 */
function traceNode(node: Node, run: RuleRun, passed: Truth): void {
  const { trace, traced, rule_id, reported, missing } = run
  const name = `${rule_id} ${node.key}`
  if (traced?.has(name)) return
  traced?.add(name)
  trace?.push(stepOf(node, run, passed))
  run.reported = reported
  run.missing = missing
}

function violation(
  { reported, missing }: Pick<RuleRun, 'reported' | 'missing'>,
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

/** Lists the failed rules, as `details` of an error. */
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
