import { type StoredCustomer, toSimpleCustomer } from '../../audience/customers/customer.ts'
import { listCustomersById } from '../../audience/customers/store.ts'
import { findProduct } from '../../catalogue/products/store.ts'
import { findSku } from '../../catalogue/skus/store.ts'
import { saveCheckout } from '../../checkout/decision/save.ts'
import type { Ctx } from '../../core/context.ts'
import { emitMany, type NewEvent } from '../../core/events/emit.ts'
import { toSimpleCampaign } from '../../incentives/campaigns/campaign.ts'
import type { StoredCampaign } from '../../incentives/campaigns/store.ts'
import { listVouchersById } from '../../incentives/vouchers/store.ts'
import { type StoredVoucher, toSimpleVoucher } from '../../incentives/vouchers/voucher.ts'
import { addToLoyalty } from '../points/unit-of-work.ts'
import { toRewardAssignment } from '../reward-assignments/reward-assignment.ts'
import { findRewardAssignment } from '../reward-assignments/store.ts'
import { countRewards } from '../rewards/count-rewards.ts'
import { toGivenReward } from '../rewards/reward.ts'
import { rewardRedemptionEvent, type StoredRewardRedemption } from '../rewards/reward-redemption.ts'
import type { MaterialReward } from '../rewards/schema.ts'
import { findReward } from '../rewards/store.ts'
import { deleteGrant, deleteRefereesOf, type StoredConversion, undoConversionsBy } from './conversion-store.ts'
import { refereeEvent } from './referee-event.ts'

/** The redemptions of one rollback. */
export interface RolledBackReferrals {
  redemption_ids: readonly string[]
  /** The referral codes among what they redeemed. */
  code_ids: ReadonlyArray<StoredVoucher['id']>
  /** The campaigns of everything that they redeemed, by id. */
  campaigns: ReadonlyMap<string, StoredCampaign>
  customer_id: StoredCustomer['id'] | null
  /** Null also if the customer was deleted since. */
  customer: StoredCustomer | null
}

/**
 * Undoes the conversions by rolled back redemptions (docs/reference/referrals.md#conversion): referrer and referee are no
 * longer counted, and material rewards that the shop has not handed over yet are canceled. Other rewards are kept.
 */
export async function undoConversions(ctx: Ctx, rolledBack: RolledBackReferrals): Promise<void> {
  const { redemption_ids, code_ids } = rolledBack
  if (code_ids.length === 0) return
  const conversions = await undoConversionsBy(ctx, redemption_ids)
  const codes = new Map((await listVouchersById(ctx, code_ids)).map((voucher) => [voucher.id as string, voucher]))
  const referrers = await subtractReferrals(ctx, rolledBack, conversions)
  for (const conversion of conversions) await cancelMaterialRewards(ctx, rolledBack, conversion, codes, referrers)
  await removeReferees(ctx, rolledBack, codes)
}

/** Subtracts conversions from the counters of referrers and referees, and returns the customers by id, without deleted ones. */
async function subtractReferrals(
  ctx: Ctx,
  { campaigns }: RolledBackReferrals,
  conversions: readonly StoredConversion[],
): Promise<ReadonlyMap<string, StoredCustomer>> {
  if (conversions.length === 0) return new Map()
  const ids = new Set(conversions.flatMap(({ referrer_id, referee_id }) => [referrer_id, referee_id]))
  const customersById = new Map(
    (await listCustomersById(ctx, [...ids], { lock: true })).map((customer) => [customer.id as string, customer]),
  )
  const events: NewEvent[] = []
  const customers = conversions.flatMap(({ campaign_id, referrer_id, referee_id, related_object_id }) => {
    const campaign = campaigns.get(campaign_id)
    const referrer = customersById.get(referrer_id)
    const unreferred = customersById.has(referee_id) ? [{ id: referee_id, unreferred: related_object_id }] : []
    if (campaign === undefined || referrer === undefined) return unreferred
    const loyalty = { [campaign.name]: { referred_customers: -1 } }
    const updatedReferrer = { ...referrer, loyalty: addToLoyalty(referrer.loyalty, loyalty) }
    customersById.set(referrer_id, updatedReferrer) // a referrer may have several of the codes
    events.push({
      type: 'customer.loyalty.updated',
      entity_id: referrer_id,
      data: {
        customer: toSimpleCustomer(updatedReferrer),
        campaign: toSimpleCampaign(campaign),
        loyalty: updatedReferrer.loyalty,
        created_at: ctx.now,
      },
    })
    return [{ id: referrer_id, loyalty }, ...unreferred]
  })
  await saveCheckout(ctx, ctx.db, { customers, segment_checks: [...customersById.keys()], events })
  return customersById
}

/** Cancels material rewards that are not handed over yet: they are in stock again, and a later referral may issue them. */
async function cancelMaterialRewards(
  ctx: Ctx,
  { campaigns }: RolledBackReferrals,
  conversion: StoredConversion,
  codes: ReadonlyMap<string, StoredVoucher>,
  customersById: ReadonlyMap<string, StoredCustomer>,
): Promise<void> {
  const canceledRows = await cancelPendingRedemptions(ctx, conversion)
  const campaign = campaigns.get(conversion.campaign_id)
  const referrer = customersById.get(conversion.referrer_id)
  const code = codes.get(conversion.voucher_id)
  for (const row of canceledRows) {
    await deleteGrant(ctx, row.reward_assignment_id, row.customer_id)
    const reward = await findReward(ctx, row.reward_id)
    if (reward === undefined || campaign === undefined || referrer === undefined || code === undefined) continue
    const { id, sku_id } = (reward.parameters as MaterialReward).product
    const assignment = await findRewardAssignment(ctx, row.reward_assignment_id)
    const customer = toSimpleCustomer(referrer)
    const event = rewardRedemptionEvent('rolledback', row, {
      customer,
      voucher: toSimpleVoucher(code),
      campaign: toSimpleCampaign(campaign),
      reward: toGivenReward(reward, {
        customer,
        assignment_id: row.reward_assignment_id,
        product: (await findProduct(ctx, id)) ?? null,
        sku: sku_id === null ? null : ((await findSku(ctx, sku_id)) ?? null),
      }),
      // Of an assignment deleted since, only the id is known.
      reward_assignment:
        assignment === undefined
          ? { id: row.reward_assignment_id, object: 'reward_assignment' }
          : toRewardAssignment(assignment),
    })
    await emitMany(ctx, [event])
  }
  const rewards = canceledRows.map(({ reward_id }) => reward_id)
  await countRewards(ctx, rewards, -1)
}

async function cancelPendingRedemptions(
  { db, project_id, now }: Ctx,
  { related_object_id, voucher_id }: StoredConversion,
): Promise<StoredRewardRedemption[]> {
  return db
    .updateTable('reward_redemptions')
    .set({ state: 'ROLLEDBACK', updated_at: now })
    .where('project_id', '=', project_id)
    .where('source_id', '=', related_object_id)
    .where('voucher_id', '=', voucher_id)
    .where('state', '=', 'PENDING')
    .returningAll()
    .execute()
}

/** Removes the customer as a holder of codes that only the rolled back redemptions had assigned. */
async function removeReferees(
  ctx: Ctx,
  { customer, customer_id, code_ids, campaigns }: RolledBackReferrals,
  codes: ReadonlyMap<string, StoredVoucher>,
): Promise<void> {
  if (customer_id === null) return
  const events = (await deleteRefereesOf(ctx, code_ids, customer_id)).flatMap((holder) => {
    const code = codes.get(holder.voucher_id)
    const campaign = campaigns.get(holder.campaign_id ?? '')
    if (code === undefined || campaign === undefined || customer === null) return []
    return [refereeEvent('deleted', holder, { campaign: toSimpleCampaign(campaign), code, customer })]
  })
  await emitMany(ctx, events)
}
