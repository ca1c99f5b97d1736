import type { EvaluationScope } from '../evaluation-scope.ts'
import type { KnownRedeemable, Step } from '../schema/index.ts'
import type { Coverage, SelectedEntry } from '../selection.ts'

/** All that a discount needs to know about its use. */
export interface Use<R extends KnownRedeemable = KnownRedeemable> {
  readonly redeemable: R
  readonly scene: EvaluationScope
  readonly coverage: Coverage
  /**
   * Whether percentages are taken of what is still to pay, or of the order as it came in
   * (docs/reference/discounts.md#calculation-modes).
   */
  readonly mode: 'INITIAL_AMOUNT' | 'DISCOUNTED_AMOUNT'
  /** Complete sets that multiply the discount; 1 without bundle rules. */
  readonly bundles: number
  /** Goods that may not be discounted again. */
  readonly blocked: ReadonlySet<string> | null
  /** Steps of the explanation, when one is wanted. */
  readonly trace: Step[] | null
}

/** Lines that a redeemable reached. */
export interface Reached {
  readonly selected: readonly SelectedEntry[]
  /** The units selected are the units discounted; they count against lifetime limits. */
  readonly counts_units: boolean
}
