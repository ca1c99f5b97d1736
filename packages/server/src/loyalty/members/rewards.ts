import type { Ctx } from '../../core/context.ts'
import { type StoredVoucher, voucherBalanceOf } from '../../incentives/vouchers/voucher.ts'
import { mappedReward } from '../tiers/mapped-reward.ts'
import { listAssignedRewards } from '../tiers/store.ts'
import type { MemberReward, MemberRewardQuery } from './schema.ts'
import { findMembership } from './store.ts'

/**
 * The rewards that the program of a card offers, at the prices of the holder's tier
 * (docs/reference/rewards.md#assignments-of-a-program).
 */
export async function listMemberRewards(
  ctx: Ctx,
  card: StoredVoucher,
  { affordable_only = false }: MemberRewardQuery,
): Promise<MemberReward[]> {
  if (card.campaign_id === null) return [] // a card without a campaign (docs/reference/vouchers.md#create-a-voucher)
  const membership = await findMembership(ctx, card.id)
  const assigned = await listAssignedRewards(ctx, card.campaign_id)
  return assigned.flatMap(({ reward: row, assignment: offer }): MemberReward[] => {
    const mapped = mappedReward(membership?.tier ?? null, row, offer)
    if (mapped === null || (affordable_only && mapped.points > voucherBalanceOf(card))) return []
    const { reward, assignment } = mapped
    return [{ reward, assignment, object: 'loyalty_reward' }]
  })
}
