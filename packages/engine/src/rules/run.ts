import type { Line } from '../cart.ts'
import type { EvaluationScope } from '../evaluation-scope.ts'
import type { ReasonKey } from '../reasons.ts'
import type { Step } from '../schema/index.ts'
import type { ItemsRule, Need, SubRule } from './names.ts'
import type { Matcher } from './references.ts'

/** Null is "unknown": the result depends on the effect of the current redeemable. */
export type Truth = boolean | null

export type Missing = 'missing_customer' | 'missing_order' | 'missing_amount' | 'missing_order_items'

/** The state of one evaluation: its input, the current position, and the first failure. */
export interface RuleRun {
  readonly scope: EvaluationScope
  /** Bits of the domains that are evaluated. */
  readonly domains: number
  readonly omit: ((name: string) => boolean) | null
  readonly omits_missing_order: boolean
  readonly omits_missing_units: boolean
  /** While set, a sub-rule about a quantity holds if a larger quantity would satisfy it. */
  counts_missing_units: boolean
  /** Collects the keys of omitted rules; null when not requested. */
  readonly omitted: string[] | null
  readonly trace: Step[] | null
  /** The rules that have a step in `trace`. */
  readonly traced: Set<string> | null
  rule_id: string
  rule_name: string | undefined
  reported: Node | null
  missing: Missing | null
  /** The line on which sub-rules are evaluated, and its picker. */
  line: Line | null
  picker: Picker | null
  /** The price of the cheapest, or most expensive, picked lines. */
  extreme: number
  /** Cached sums over the picked lines; NaN until first needed. */
  quantity_sum: number
  amount_sum: number
}

export type Expression = (run: RuleRun) => Truth

/** A compiled rule of a tree. */
export interface Node {
  readonly key: string
  readonly sent_name: string
  /** The canonical name, with aliases resolved. */
  readonly name: string
  readonly property: string | null
  readonly conditions: Record<string, unknown>
  /** The bit of the rule's domain, and the key of its violation. */
  readonly domain: number
  readonly violation: ReasonKey
  /** The configured error message: the rule's own, else that of the nearest enclosing rule, else that of the whole tree. */
  readonly text: string | null
  readonly needs: Need | null
  readonly is_counter: boolean
  readonly modifier: SubRule['modifier'] | null
  /** Sub-rules named by `logic`. */
  readonly subRules: readonly Node[]
  readonly picker: Picker | null
  decide(run: RuleRun): Truth
  /** The compared value, for explanations only. */
  actual(run: RuleRun): unknown
}

/** The line selection of a rule about items. */
export interface Picker {
  readonly quantifier: ItemsRule['quantifier']
  /** The lines among which the cheapest or most expensive are searched. */
  readonly isInPool: Matcher
  readonly matches: Matcher
  readonly subExpression: Expression | null
  /** Covered lines are included in the discount. */
  readonly includes: boolean
  /** A sub-rule without a parent: picks all lines. */
  readonly is_bare: boolean
}
