import type { EvaluationScope } from '../evaluation-scope.ts'
import type { KnownRedeemable, Step } from '../schema/index.ts'
import type { Coverage, SelectedEntry } from '../selection.ts'

/** The context in which a discount is applied. */
export interface Use<R extends KnownRedeemable = KnownRedeemable> {
  readonly redeemable: R
  readonly scope: EvaluationScope
  readonly coverage: Coverage
  /**
   * Whether percentages apply to the amount to pay or to the initial amount
   * (docs/reference/discounts.md#calculation-modes).
   */
  readonly mode: 'INITIAL_AMOUNT' | 'DISCOUNTED_AMOUNT'
  /** Number of complete bundles, which multiplies the discount; 1 without bundle rules. */
  readonly bundles: number
  /** Goods that must not be discounted again. */
  readonly blocked: ReadonlySet<string> | null
  /** Steps of the explanation, when requested. */
  readonly trace: Step[] | null
}

/** Lines that a redeemable was applied to. */
export interface ReachedLines {
  readonly selected: readonly SelectedEntry[]
  /** The selected units are the discounted units, so they count against lifetime limits. */
  readonly counts_units: boolean
}
