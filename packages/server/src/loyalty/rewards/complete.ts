import type { Selectable } from 'kysely'
import { toSimpleCustomer } from '../../audience/customers/customer.ts'
import { findCustomerById } from '../../audience/customers/store.ts'
import { findProduct } from '../../catalogue/products/store.ts'
import { findSku } from '../../catalogue/skus/store.ts'
import type { Ctx } from '../../core/context.ts'
import type { RewardRedemptionRow } from '../../core/db/tables.ts'
import { emitMany } from '../../core/events/emit.ts'
import { invalidPayload, notFound } from '../../core/http/errors.ts'
import { toSimpleCampaign } from '../../incentives/campaigns/campaign.ts'
import { findCampaign } from '../../incentives/campaigns/store.ts'
import { listVouchersById } from '../../incentives/vouchers/store.ts'
import { toSimpleVoucher } from '../../incentives/vouchers/voucher.ts'
import { toRewardAssignment } from '../reward-assignments/reward-assignment.ts'
import { findRewardAssignment } from '../reward-assignments/store.ts'
import { findPricingTier, updateRewardRedemption } from './redemption-store.ts'
import { type StoredReward, toGivenReward } from './reward.ts'
import { type RewardRedemptionParties, rewardRedemptionEvent, toRewardRedemption } from './reward-redemption.ts'
import type { CompletedRewardRedemption, MaterialReward } from './schema.ts'

type StoredRedemption = Selectable<RewardRedemptionRow>

/**
 * Confirms that the shop has handed over a material reward (docs/reference/rewards.md#redeem-a-reward). The caller has locked
 * the redemption exclusively.
 */
export async function completeRewardRedemption(
  ctx: Ctx,
  reward: StoredReward,
  redemption: StoredRedemption,
): Promise<CompletedRewardRedemption> {
  const { id, state } = redemption
  if (state !== 'PENDING')
    throw invalidPayload(`Reward redemption ${id} is ${state}; only a PENDING one can be completed`)
  const parties = await partiesOf(ctx, reward, redemption)
  const completed = await updateRewardRedemption(ctx, id, 'COMPLETED')
  await emitMany(ctx, [rewardRedemptionEvent('completed', completed, parties)])
  return toRewardRedemption(completed)
}

async function partiesOf(
  ctx: Ctx,
  reward: StoredReward,
  redemption: StoredRedemption,
): Promise<RewardRedemptionParties> {
  const holder = await findCustomerById(ctx, redemption.customer_id)
  const [voucher] = await listVouchersById(ctx, [redemption.voucher_id])
  const campaign = await findCampaign(ctx, redemption.campaign_id)
  // A redemption whose customer, card or campaign was deleted counts as deleted, too.
  if (holder === undefined || voucher === undefined || campaign === undefined)
    throw notFound('reward_redemption', redemption.id)

  const { reward_assignment_id, source_id, source_type } = redemption
  const assignment = await findRewardAssignment(ctx, reward_assignment_id)
  const customer = toSimpleCustomer(holder)
  return {
    customer,
    voucher: toSimpleVoucher(voucher),
    campaign: toSimpleCampaign(campaign),
    reward: toGivenReward(reward, {
      customer,
      assignment_id: reward_assignment_id,
      loyalty_tier_id: source_type === 'redemption' ? await findPricingTier(ctx, source_id) : null,
      ...(await goodsOf(ctx, reward)),
    }),
    // Of an assignment deleted since, only the id is known.
    reward_assignment:
      assignment === undefined
        ? { id: reward_assignment_id, object: 'reward_assignment' }
        : toRewardAssignment(assignment),
  }
}

async function goodsOf(ctx: Ctx, { type, parameters }: StoredReward) {
  if (type !== 'MATERIAL') return {}
  const { id, sku_id } = (parameters as MaterialReward).product
  return {
    product: (await findProduct(ctx, id)) ?? null,
    sku: sku_id === null ? null : ((await findSku(ctx, sku_id)) ?? null),
  }
}
