import type { Ctx } from '../../core/context.ts'
import { emit } from '../../core/events/emit.ts'
import { deleteAssignmentsOf } from '../../rules/validation-rules/unassign.ts'
import { toSimpleCampaign } from '../campaigns/campaign.ts'
import type { StoredCampaign } from '../campaigns/store.ts'
import { refuseProtected } from '../campaigns/store.ts'
import { emitStack } from './change-stacks.ts'
import { showTier } from './show-tiers.ts'
import { deleteStack, listStacksIn, updateStack } from './stack-store.ts'
import { deleteTier, listTierIds, type TierInCampaign, updateHierarchy } from './tier-store.ts'

/** Deletes a tier for good: removes its rule assignments, takes it out of its stacks and moves up the tiers after it. */
export async function removeTier(ctx: Ctx, { campaign, tier }: TierInCampaign): Promise<void> {
  refuseProtected(campaign)
  const promotionTier = await showTier(ctx, tier)
  await deleteAssignmentsOf(ctx, 'promotion_tier', [tier.id])
  await removeFromStacks(ctx, campaign, tier.id)
  await deleteTier(ctx, tier.id)
  await ctx.reactions.promotionTiersDeleted(ctx, [tier.id])
  await updateHierarchy(ctx, await listTierIds(ctx, campaign.id))
  await emit(ctx, 'campaign.promotion_tier.deleted', campaign.id, {
    campaign: toSimpleCampaign(campaign),
    promotion_tier: promotionTier,
  })
}

/** Deletes a stack that would be empty without the tier (docs/reference/promotions.md#promotion-tier-endpoints). */
async function removeFromStacks(ctx: Ctx, campaign: StoredCampaign, tierId: string): Promise<void> {
  for (const stack of await listStacksIn(ctx, campaign.id, { tier_id: tierId })) {
    const tierIds = stack.tier_ids.filter((id) => id !== tierId)
    if (tierIds.length === 0) {
      await deleteStack(ctx, stack.id)
      await emitStack(ctx, 'deleted', { campaign, stack })
    } else {
      const updatedStack = await updateStack(ctx, stack.id, { tier_ids: JSON.stringify(tierIds) })
      await emitStack(ctx, 'updated', { campaign, stack: updatedStack })
    }
  }
}

/**
 * Deletes the tiers and stacks of a promotion that is deleted for good, without events: those of the campaign cover them.
 * The tiers are locked before their assignments are deleted, so that no concurrent request assigns another rule.
 */
export async function deleteTiersAndStacksOf(ctx: Ctx, campaignId: string): Promise<void> {
  const tierIds = await listTierIds(ctx, campaignId, { lock: true })
  if (tierIds.length > 0) await deleteAssignmentsOf(ctx, 'promotion_tier', tierIds)
  for (const { id } of await listStacksIn(ctx, campaignId)) await deleteStack(ctx, id)
  for (const id of tierIds) await deleteTier(ctx, id)
  await ctx.reactions.promotionTiersDeleted(ctx, tierIds)
}
