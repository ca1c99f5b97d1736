import type { Cart, Line } from './cart.ts'
import type { CallerFacts, Catalogue, CustomerFacts, KnownRedeemable } from './schema/index.ts'
import type { Clock } from './time/index.ts'

type Metadata = Record<string, unknown>

/** What rules and formulas look at: the facts of the request, and the order as the redeemables before left it. */
export interface EvaluationScope {
  readonly clock: Clock
  readonly customer: CustomerFacts | null
  readonly caller: CallerFacts | null
  /** Of the redemption. */
  readonly metadata: Metadata | null
  readonly catalogue: Catalogue
  readonly cart: Cart | null
  /** Null where points are earned: nothing is redeemed there. */
  readonly redeemable: KnownRedeemable | null
  /** Metadata of a custom event that something is earned for. */
  readonly event_metadata: Metadata | null
  /** Numbers of the past by rule name, with what this request has accepted already, without the redeemable at hand. */
  readonly counters: Readonly<Record<string, number>>
  /** Complete sets of a bundle that were found. */
  readonly bundle_quantity: number
  /** What the redeemable at hand does to the order; null while that is not calculated yet. */
  readonly effect: Effect | null
}

export interface Effect {
  /** Still to pay afterwards; null when the amount of the order is unknown. */
  readonly total: number | null
  /** All that it takes off. */
  readonly discount: number
  readonly credits: number
  readonly points: number
}

/** The scene on one line of the order: where a value is computed line by line. */
export interface LineScene extends EvaluationScope {
  readonly line: Line
}
