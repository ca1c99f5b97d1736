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

/** Redemptions that are rolled back together. */
export interface RolledBackReferrals {
  redemption_ids: readonly string[]
  /** The referral codes that they redeemed. */
  code_ids: ReadonlyArray<StoredVoucher['id']>
  /** The campaigns of all that they redeemed, by their ids. */
  campaigns: ReadonlyMap<string, StoredCampaign>
  customer_id: StoredCustomer['id'] | null
  /** Null also when the customer is deleted since. */
  customer: StoredCustomer | null
}

/**
 * Whoever was referred by redemptions that are rolled back is not any more (docs/reference/referrals.md#conversion): neither of
 * the two is counted, and what the shop has not handed over yet stays where it is. Rewards that were given otherwise are kept.
 */
export async function undoConversions(ctx: Ctx, rolledBack: RolledBackReferrals): Promise<void> {
  const { redemption_ids, code_ids } = rolledBack
  if (code_ids.length === 0) return
  const undone = await undoConversionsBy(ctx, redemption_ids)
  const shown = new Map((await listVouchersById(ctx, code_ids)).map((voucher) => [voucher.id as string, voucher]))
  const referrers = await discount(ctx, rolledBack, undone)
  for (const conversion of undone) await keepGoods(ctx, rolledBack, conversion, shown, referrers)
  await forgetReferees(ctx, rolledBack, shown)
}

/** Takes conversions off the figures of both, and answers the referrers. Whoever is gone has none. */
async function discount(
  ctx: Ctx,
  { campaigns }: RolledBackReferrals,
  undone: readonly StoredConversion[],
): Promise<ReadonlyMap<string, StoredCustomer>> {
  if (undone.length === 0) return new Map()
  const ids = new Set(undone.flatMap(({ referrer_id, referee_id }) => [referrer_id, referee_id]))
  const people = new Map((await listCustomersById(ctx, [...ids], { lock: true })).map((one) => [one.id as string, one]))
  const events: NewEvent[] = []
  const customers = undone.flatMap(({ campaign_id, referrer_id, referee_id, related_object_id }) => {
    const campaign = campaigns.get(campaign_id)
    const referrer = people.get(referrer_id)
    const unreferred = people.has(referee_id) ? [{ id: referee_id, unreferred: related_object_id }] : []
    if (campaign === undefined || referrer === undefined) return unreferred
    const loyalty = { [campaign.name]: { referred_customers: -1 } }
    const after = { ...referrer, loyalty: addToLoyalty(referrer.loyalty, loyalty) }
    people.set(referrer_id, after) // who may have referred by several codes
    events.push({
      type: 'customer.loyalty.updated',
      entity_id: referrer_id,
      data: {
        customer: toSimpleCustomer(after),
        campaign: toSimpleCampaign(campaign),
        loyalty: after.loyalty,
        created_at: ctx.now,
      },
    })
    return [{ id: referrer_id, loyalty }, ...unreferred]
  })
  await saveCheckout(ctx, ctx.db, { customers, segment_checks: [...people.keys()], events })
  return people
}

/** Goods that nobody has handed over yet are not given: they are in stock again, and may be given at a later referral. */
async function keepGoods(
  ctx: Ctx,
  { campaigns }: RolledBackReferrals,
  conversion: StoredConversion,
  shown: ReadonlyMap<string, StoredVoucher>,
  people: ReadonlyMap<string, StoredCustomer>,
): Promise<void> {
  const kept = await cancelPending(ctx, conversion)
  const campaign = campaigns.get(conversion.campaign_id)
  const referrer = people.get(conversion.referrer_id)
  const code = shown.get(conversion.voucher_id)
  for (const row of kept) {
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
      // An assignment that was deleted since is known by its id alone.
      reward_assignment:
        assignment === undefined
          ? { id: row.reward_assignment_id, object: 'reward_assignment' }
          : toRewardAssignment(assignment),
    })
    await emitMany(ctx, [event])
  }
  const rewards = kept.map(({ reward_id }) => reward_id)
  await countRewards(ctx, rewards, -1)
}

async function cancelPending(
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

/** Whoever holds codes by nothing but redemptions that are rolled back does not hold them any more. */
async function forgetReferees(
  ctx: Ctx,
  { customer, customer_id, code_ids, campaigns }: RolledBackReferrals,
  shown: ReadonlyMap<string, StoredVoucher>,
): Promise<void> {
  if (customer_id === null) return
  const events = (await deleteRefereesOf(ctx, code_ids, customer_id)).flatMap((holder) => {
    const code = shown.get(holder.voucher_id)
    const campaign = campaigns.get(holder.campaign_id ?? '')
    if (code === undefined || campaign === undefined || customer === null) return []
    return [refereeEvent('deleted', holder, { campaign: toSimpleCampaign(campaign), code, customer })]
  })
  await emitMany(ctx, events)
}
