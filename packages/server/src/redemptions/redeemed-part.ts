import type { Applicable, Verdict } from '@guerdon/engine/schema'
import type { Checkout } from '../checkout/decision/facts.ts'
import type { Candidate } from '../checkout/decision/redeemables.ts'
import type { ConfiguredReward, ConfiguredRewardAssignment } from '../core/configuration/configuration.ts'
import type { Issued } from '../loyalty/points/issue.ts'
import type { StoredRewardRedemption } from '../loyalty/rewards/reward-redemption.ts'
import type { RedeemingCustomer } from './redeemed-customer.ts'
import type { RedeemedOrder } from './redeemed-order.ts'
import type { RedeemedCode } from './redeemed-voucher.ts'
import type { StoredRedemption } from './redemption.ts'

/** What a request redeemed, as it will be stored; nothing is written yet. */
export interface Redeemed {
  it: Checkout
  verdict: Verdict
  who: RedeemingCustomer
  order: RedeemedOrder | null
  /** Null when only one thing was redeemed. */
  parent: StoredRedemption | null
  children: readonly RedeemedPart[]
  /** Under PARTIAL, what did not apply. */
  failed: readonly StoredRedemption[]
  /** The id of the event of an order that was paid, once it is told: what is earned by it names it. */
  paid_event_id: string | null
}

/** One thing that was redeemed: its row, and all that follows from it. */
export interface RedeemedPart {
  row: StoredRedemption
  candidate: Candidate
  outcome: Applicable
  /** Of a code. */
  code: RedeemedCode | null
  /** What points bought, once it is issued. */
  rewarded: Rewarded | null
}

/** What points bought. */
export interface Rewarded {
  row: StoredRewardRedemption
  reward: ConfiguredReward
  assignment: ConfiguredRewardAssignment
  issued: Issued
}
