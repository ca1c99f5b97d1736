import type { Cart, Line } from './cart.ts'
import type { CallerFacts, Catalogue, CustomerFacts, KnownRedeemable } from './schema/index.ts'
import type { Clock } from './time/index.ts'
import type { WorkMeter } from './work.ts'

type Metadata = Record<string, unknown>

/** Everything that rules and formulas can read: the facts of the request, and the order after the preceding redeemables. */
export interface EvaluationScope {
  readonly clock: Clock
  readonly customer: CustomerFacts | null
  readonly caller: CallerFacts | null
  /** Metadata of the redemption. */
  readonly metadata: Metadata | null
  readonly catalogue: Catalogue
  readonly cart: Cart | null
  /** Null when points are earned: there is no redemption. */
  readonly redeemable: KnownRedeemable | null
  /** Metadata of the custom event that earns points. */
  readonly event_metadata: Metadata | null
  /** Usage counters by rule name, including what this request has accepted so far, excluding the current redeemable. */
  readonly counters: Readonly<Record<string, number>>
  /** Number of complete bundles in the order. */
  readonly bundle_quantity: number
  /** Effect of the current redeemable on the order; null until it is calculated. */
  readonly effect: Effect | null
  /** Ends an evaluation that takes too long. */
  readonly work: WorkMeter
}

export interface Effect {
  /** Amount to pay afterwards; null when the amount of the order is unknown. */
  readonly total: number | null
  /** Total discount of the redeemable. */
  readonly discount: number
  readonly credits: number
  readonly points: number
}

/** The scope for one order line, for values computed per line. */
export interface LineScope extends EvaluationScope {
  readonly line: Line
}
