import type { Selectable } from 'kysely'
import type { RewardRedemptionRow } from '../../core/db/tables.ts'
import type { NewEvent } from '../../core/events/emit.ts'
import type {
  RewardRedemption,
  SimpleCampaign,
  SimpleCustomer,
  SimplePublication,
  SimpleReward,
  SimpleVoucher,
} from '../../core/events/shapes.ts'

/** An issued reward, without the project id, which the context has. */
export type StoredRewardRedemption = Omit<Selectable<RewardRedemptionRow>, 'project_id'>

/** [RRd] */
export function toRewardRedemption(row: StoredRewardRedemption): RewardRedemption {
  const { id, state, created_at, updated_at, voucher_id, campaign_id, customer_id } = row
  const { reward_assignment_id, source_id, source_type } = row
  return {
    id,
    state,
    created_at,
    updated_at,
    voucher_id,
    campaign_id,
    customer_id,
    reward_assignment_id,
    source_id,
    source_type,
  }
}

/** The objects that the events of a reward redemption contain, each in its short form. */
export interface RewardRedemptionParties {
  /** The customer who gets the reward and holds the card or the code. */
  customer: SimpleCustomer
  /** The card that paid, or the referral code. */
  voucher: SimpleVoucher
  campaign: SimpleCampaign
  reward: SimpleReward
  reward_assignment: object
  /** The publication of the issued code; only in the `completed` event. */
  publication?: SimplePublication | null
}

/**
 * The event for a change of state of a reward redemption; its entity is the customer
 * (docs/reference/loyalty-programs.md#events).
 */
export function rewardRedemptionEvent(
  change: 'created' | 'pending' | 'completed' | 'rolledback',
  row: StoredRewardRedemption,
  { customer, voucher, campaign, reward, reward_assignment, publication = null }: RewardRedemptionParties,
): NewEvent {
  const entityId = row.customer_id
  const data = {
    customer,
    holder: customer,
    voucher,
    campaign,
    reward_redemption: toRewardRedemption(row),
    reward,
    reward_assignment,
    source: { id: row.source_id, type: row.source_type },
    balance: null,
  }
  if (change === 'completed')
    return { type: 'customer.reward_redemptions.completed', entity_id: entityId, data: { ...data, publication } }
  return { type: `customer.reward_redemptions.${change}`, entity_id: entityId, data }
}
