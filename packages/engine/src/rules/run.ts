import type { Line } from '../cart.ts'
import type { EvaluationScope } from '../evaluation-scope.ts'
import type { ReasonKey } from '../reasons.ts'
import type { Step } from '../schema/index.ts'
import type { ItemsRule, Need, SubRule } from './names.ts'
import type { Matcher } from './references.ts'

/** Null is "not known yet": it depends on what the redeemable at hand will do. */
export type Truth = boolean | null

export type Missing = 'missing_customer' | 'missing_order' | 'missing_amount' | 'missing_order_items'

/** One evaluation: what it looks at, where it is, and the first "no" that counts. */
export interface Run {
  readonly scene: EvaluationScope
  /** Bits of the domains that are looked at here. */
  readonly domains: number
  readonly omit: ((name: string) => boolean) | null
  readonly omits_missing_order: boolean
  /** Takes the keys of rules that were left out, where somebody wants them. */
  readonly omitted: string[] | null
  readonly trace: Step[] | null
  rule_id: string
  reported: Node | null
  missing: Missing | null
  /** The line that sub-rules look at, and the pick it belongs to. */
  line: Line | null
  picker: Picker | null
  /** The price that the cheapest, or most expensive, lines of the pick have. */
  extreme: number
  /** Sums over the pick: not a number until somebody asks. */
  quantity_sum: number
  amount_sum: number
}

export type Expression = (run: Run) => Truth

/** A rule of the tree, ready to be asked. */
export interface Node {
  readonly key: string
  readonly sent_name: string
  /** The name that an alias stands for. */
  readonly name: string
  readonly property: string | null
  readonly conditions: Record<string, unknown>
  /** The bit of its domain, and what a violation is called there. */
  readonly domain: number
  readonly violation: ReasonKey
  /** The shop's own words: the rule's, else those of the nearest rule around it, else those of the whole. */
  readonly text: string | null
  readonly needs: Need | null
  readonly is_counter: boolean
  readonly turns: SubRule['turns'] | null
  /** Sub-rules that logic names. */
  readonly subs: readonly Node[]
  readonly picker: Picker | null
  decide(run: Run): Truth
  /** What was compared, for people; an ordinary evaluation never asks. */
  actual(run: Run): unknown
}

/** How a rule about items picks lines. */
export interface Picker {
  readonly quantifier: ItemsRule['quantifier']
  /** Where the cheapest or most expensive lines are looked for. */
  readonly isInPool: Matcher
  readonly matches: Matcher
  readonly sub: Expression | null
  /** The lines that it covers are included in the discount. */
  readonly includes: boolean
  /** A sub-rule that stands alone: all lines are picked. */
  readonly is_bare: boolean
}
