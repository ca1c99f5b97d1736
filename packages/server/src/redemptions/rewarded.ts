import { toSimpleCustomer } from '../audience/customers/customer.ts'
import { RewardUnavailableError } from '../checkout/decision/decide.ts'
import type { Ctx } from '../core/context.ts'
import type { NewEvent } from '../core/events/emit.ts'
import type { SimpleReward } from '../core/events/shapes.ts'
import { ApiError } from '../core/http/errors.ts'
import { newId } from '../core/lib/ids.ts'
import { type StoredVoucher, toSimpleVoucher, toVoucher } from '../incentives/vouchers/voucher.ts'
import { simpleCampaign } from '../loyalty/points/campaign-view.ts'
import { issueReward } from '../loyalty/points/issue.ts'
import { toRewardAssignment } from '../loyalty/reward-assignments/reward-assignment.ts'
import { toGivenReward } from '../loyalty/rewards/reward.ts'
import { rewardRedemptionEvent, type StoredRewardRedemption } from '../loyalty/rewards/reward-redemption.ts'
import { simpleRedemption } from './events.ts'
import type { Redeemed, RedeemedPart, Rewarded } from './redeemed-part.ts'
import type { RedeemedReward } from './schema.ts'

/**
 * Issues the rewards that a request redeems points for, and adds them to the redemption rows
 * (docs/reference/rewards.md#redeem-a-reward).
 */
export async function giveRewards(ctx: Ctx, redeemed: Redeemed): Promise<void> {
  for (const part of redeemed.children) {
    const reward = part.row.reward as RedeemedReward | null
    if (reward === null || part.code === null) continue
    part.rewarded = await issue(ctx, redeemed, part, reward)
    const { voucher, product, sku } = part.rewarded.issued
    part.row.reward = {
      ...reward,
      ...(voucher === null ? {} : { voucher: toVoucher(ctx, voucher) }),
      ...(product === null ? {} : { product }),
      ...(sku === null ? {} : { sku }),
    }
  }
}

async function issue(
  ctx: Ctx,
  { checkout, redeemer }: Redeemed,
  { row, code }: RedeemedPart,
  redeemedReward: RedeemedReward,
): Promise<Rewarded> {
  const { rewards, reward_assignments } = checkout.rows.configuration
  const reward = rewards.get(redeemedReward.id)
  const assignment = reward_assignments.get(redeemedReward.assignment_id ?? '')
  if (reward === undefined || assignment === undefined || redeemer.customer === null || code === null)
    throw new RewardUnavailableError(
      new ApiError('not_found', { resource_type: 'reward', resource_id: redeemedReward.id }),
    )
  const issued = await issueReward(ctx, { customer: redeemer.customer, reward }).catch((error: unknown) => {
    throw error instanceof ApiError ? new RewardUnavailableError(error) : error
  })
  return {
    row: {
      id: newId('reward_redemption', Date.parse(ctx.now)),
      state: reward.type === 'MATERIAL' ? 'PENDING' : 'COMPLETED',
      voucher_id: code.voucher.id,
      campaign_id: row.campaign_id as StoredRewardRedemption['campaign_id'],
      customer_id: redeemer.customer.id,
      reward_id: reward.id,
      reward_assignment_id: assignment.id,
      source_id: row.id,
      source_type: 'redemption',
      issued: issued.kept,
      created_at: ctx.now,
      updated_at: null,
    },
    reward,
    assignment,
    issued,
  }
}

/** The events of an issued reward: for the customer, and for the state of the reward redemption. */
export function rewardEvents({ checkout, redeemer, order }: Redeemed, part: RedeemedPart): NewEvent[] {
  const { rewarded, row, candidate, code } = part
  if (rewarded === null || code === null || redeemer.customer === null || candidate.campaign === null) return []
  const customer = toSimpleCustomer(redeemer.customer)
  const voucher = toSimpleVoucher(code.after)
  const campaign = simpleCampaign(checkout.rows.configuration, candidate.campaign)
  const reward = simpleReward(row.reward as RedeemedReward, rewarded.issued)
  const parties = {
    customer,
    voucher,
    campaign,
    reward,
    reward_assignment: toRewardAssignment(rewarded.assignment),
    publication: rewarded.issued.publication,
  }
  return [
    {
      type: 'customer.rewarded',
      entity_id: redeemer.customer.id,
      data: {
        customer,
        holder: customer,
        voucher,
        campaign,
        redemption: simpleRedemption({ checkout, customer: redeemer.customer, order }, row, {
          candidate,
          voucher: code.after,
        }),
        reward,
        referral_tier: null,
        balance: rewarded.issued.balance,
        custom_event: null,
        customer_event: null,
      },
    },
    rewardRedemptionEvent('created', { ...rewarded.row, state: 'CREATED' }, parties),
    rewardRedemptionEvent(rewarded.row.state === 'PENDING' ? 'pending' : 'completed', rewarded.row, parties),
  ]
}

/** [RR], the form of a redeemed reward in events. */
export function simpleReward(
  reward: RedeemedReward,
  { voucher, product, sku }: { voucher: StoredVoucher | null; product: object | null; sku: object | null },
): SimpleReward {
  return toGivenReward(reward, { ...reward, voucher: voucher === null ? null : toSimpleVoucher(voucher), product, sku })
}
