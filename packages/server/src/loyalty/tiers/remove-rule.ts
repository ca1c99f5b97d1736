import type { Ctx } from '../../core/context.ts'
import { emit } from '../../core/events/emit.ts'
import { toSimpleCampaign } from '../../incentives/campaigns/campaign.ts'
import type { StoredCampaign } from '../../incentives/campaigns/store.ts'
import { toLoyaltyTier } from './loyalty-tier.ts'
import { deleteMappingsOf } from './store.ts'

/**
 * Removes an earning rule that is about to be deleted from the mappings of its program's tiers. The caller has locked the
 * program.
 */
export async function removeEarningRuleFromTiers(
  ctx: Ctx,
  campaign: StoredCampaign,
  earningRuleId: string,
): Promise<void> {
  for (const tier of await deleteMappingsOf(ctx, earningRuleId))
    await emit(ctx, 'campaign.loyalty_tier.updated', campaign.id, {
      campaign: toSimpleCampaign(campaign),
      loyalty_tier: toLoyaltyTier(tier),
    })
}
