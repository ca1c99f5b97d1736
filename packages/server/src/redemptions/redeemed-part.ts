import type { Applicable, Verdict } from '@guerdon/engine/schema'
import type { Checkout } from '../checkout/decision/facts.ts'
import type { RedeemableCandidate } from '../checkout/decision/redeemables.ts'
import type { ConfiguredReward, ConfiguredRewardAssignment } from '../core/configuration/configuration.ts'
import type { Issued } from '../loyalty/points/issue.ts'
import type { StoredRewardRedemption } from '../loyalty/rewards/reward-redemption.ts'
import type { RedeemingCustomer } from './redeemed-customer.ts'
import type { RedeemedOrder } from './redeemed-order.ts'
import type { RedeemedCode } from './redeemed-voucher.ts'
import type { StoredRedemption } from './redemption.ts'

/** The redemptions of a request as they will be stored; nothing is saved yet. */
export interface Redeemed {
  checkout: Checkout
  verdict: Verdict
  redeemer: RedeemingCustomer
  order: RedeemedOrder | null
  /** Null when only one redeemable was redeemed. */
  parent: StoredRedemption | null
  children: readonly RedeemedPart[]
  /** Under PARTIAL, the inapplicable redeemables. */
  failed: readonly StoredRedemption[]
  /** The id of the `customer.order.paid` event, once the events are built: earnings of the order refer to it. */
  paid_event_id: string | null
}

/** One redeemed voucher or tier: its row, and its changes. */
export interface RedeemedPart {
  row: StoredRedemption
  candidate: RedeemableCandidate
  outcome: Applicable
  /** Null for a tier. */
  code: RedeemedCode | null
  /** The reward, once it is issued. */
  rewarded: Rewarded | null
}

/** A reward that points were redeemed for. */
export interface Rewarded {
  row: StoredRewardRedemption
  reward: ConfiguredReward
  assignment: ConfiguredRewardAssignment
  issued: Issued
}
