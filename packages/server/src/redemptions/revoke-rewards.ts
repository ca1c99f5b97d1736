import { toSimpleCustomer } from '../audience/customers/customer.ts'
import type { Ctx } from '../core/context.ts'
import type { RewardRedemptionRow } from '../core/db/tables.ts'
import { emitMany } from '../core/events/emit.ts'
import { toSimpleCampaign } from '../incentives/campaigns/campaign.ts'
import { changeGift } from '../incentives/vouchers/change-gift.ts'
import { findVoucher, getVoucher } from '../incentives/vouchers/store.ts'
import { switchVoucher } from '../incentives/vouchers/update.ts'
import { type StoredVoucher, toSimpleVoucher, voucherBalanceOf } from '../incentives/vouchers/voucher.ts'
import { findCard, momentNow } from '../loyalty/points/card.ts'
import { applyBalanceChanges } from '../loyalty/points/cascade.ts'
import { applyDueChanges } from '../loyalty/points/due-changes.ts'
import { emitPointsAdded, emitTransaction } from '../loyalty/points/events.ts'
import { debit } from '../loyalty/points/ledger.ts'
import { lockAndLoadMembers, saveMembers } from '../loyalty/points/unit-of-work.ts'
import { toRewardAssignment } from '../loyalty/reward-assignments/reward-assignment.ts'
import { countRewards } from '../loyalty/rewards/count-rewards.ts'
import { rewardRedemptionEvent, type StoredRewardRedemption } from '../loyalty/rewards/reward-redemption.ts'
import { simpleReward } from './rewarded.ts'
import type { Rollback, RolledBackPart } from './rollback-changes.ts'
import type { RollbackFacts } from './rollback-load.ts'
import type { RedeemedReward } from './schema.ts'

/**
 * Revokes the rewards of the redemptions that are rolled back, as far as they are unused
 * (docs/reference/loyalty-programs.md#rollback-cancellation-and-deletion): discount vouchers without redemptions are disabled, and
 * cards lose what the reward credited, at most their balance.
 */
export async function revokeRewards(ctx: Ctx, facts: RollbackFacts, { parts }: Rollback): Promise<void> {
  for (const part of parts) {
    if (part.voucher?.type !== 'LOYALTY_CARD') continue
    const rewardRedemptions = await markRolledBack(ctx, part)
    for (const row of rewardRedemptions) {
      const issued = row.issued === null ? undefined : await findVoucher(ctx, row.issued.voucher_id)
      if (issued !== undefined) await revoke(ctx, issued, row.issued?.amount ?? null)
      await emitRolledBack(ctx, facts, part, row)
    }
    await countRewards(
      ctx,
      rewardRedemptions.map(({ reward_id }) => reward_id),
      -1,
    )
  }
}

/** Marks the rewards of one redemption as rolled back, and returns them. */
async function markRolledBack(
  { db, project_id, now }: Ctx,
  { redemption, voucher }: RolledBackPart,
): Promise<StoredRewardRedemption[]> {
  return db
    .updateTable('reward_redemptions')
    .set({ state: 'ROLLEDBACK', updated_at: now })
    .where('project_id', '=', project_id)
    .where('source_id', '=', redemption.id)
    .where('voucher_id', '=', (voucher as StoredVoucher).id)
    .where('state', '<>', 'ROLLEDBACK')
    .returningAll()
    .execute()
}

async function revoke(ctx: Ctx, issued: StoredVoucher, amount: number | null): Promise<void> {
  if (issued.type === 'LOYALTY_CARD') return removePoints(ctx, issued, amount ?? 0)
  const voucher = await getVoucher(ctx, issued.id, { lock: 'update' })
  if (voucher.type === 'GIFT_VOUCHER') {
    const removable = Math.min(voucherBalanceOf(voucher), amount ?? 0)
    if (removable > 0)
      await changeGift(ctx, voucher, { amount: -removable }, { source: 'Automation', operation_type: 'AUTOMATIC' })
  } else if (voucher.redeemed_quantity === 0) {
    await switchVoucher(ctx, voucher, false)
  }
}

async function removePoints(ctx: Ctx, { id, holder_id }: StoredVoucher, amount: number): Promise<void> {
  if (holder_id === null) return
  const work = await lockAndLoadMembers(ctx, [holder_id])
  await applyDueChanges(work)
  const card = findCard(work, id)
  const removable = card === undefined ? 0 : Math.min(voucherBalanceOf(card.voucher), amount)
  if (card === undefined || removable === 0) return
  const moment = momentNow(ctx)
  const posted = debit(work, { card, points: removable, moment, type: 'POINTS_REMOVAL', source: 'Automation' })
  emitTransaction(work, card, posted)
  emitPointsAdded(work, card, posted)
  await applyBalanceChanges(work, [id], moment, { isIncreased: false })
  await saveMembers(work)
}

async function emitRolledBack(
  ctx: Ctx,
  { customer, campaigns }: RollbackFacts,
  { redemption, voucher }: RolledBackPart,
  row: StoredRewardRedemption,
): Promise<void> {
  const campaign = campaigns.get(row.campaign_id)
  const reward = redemption.reward as RedeemedReward | null
  if (customer === null || campaign === undefined || reward === null || voucher === null) return
  const issued = row.issued === null ? undefined : await findVoucher(ctx, row.issued.voucher_id)
  const assignment = await findAssignment(ctx, row.reward_assignment_id)
  await emitMany(ctx, [
    rewardRedemptionEvent('rolledback', row, {
      customer: toSimpleCustomer(customer),
      voucher: toSimpleVoucher(voucher),
      campaign: toSimpleCampaign(campaign),
      reward: simpleReward(reward, {
        voucher: issued ?? null,
        product: reward.product ?? null,
        sku: reward.sku ?? null,
      }),
      reward_assignment: assignment ?? { id: row.reward_assignment_id, object: 'reward_assignment' },
    }),
  ])
}

/** Undefined if it was deleted since. */
async function findAssignment({ db, project_id }: Ctx, id: RewardRedemptionRow['reward_assignment_id']) {
  const row = await db
    .selectFrom('reward_assignments')
    .where('project_id', '=', project_id)
    .where('id', '=', id)
    .selectAll()
    .executeTakeFirst()
  return row === undefined ? undefined : toRewardAssignment(row)
}
