import type { Ctx } from '../../core/context.ts'
import { listed } from '../../core/query/list.ts'
import { availableOnly } from './available.ts'
import type { CampaignTierQuery, PromotionTierList, PromotionTierQuery } from './schema.ts'
import { showTiers } from './show-tiers.ts'
import { listTiers, listTiersIn } from './tier-store.ts'

/** A page of the tiers of the project, or of one campaign if given. */
export async function showTierPage(
  ctx: Ctx,
  query: PromotionTierQuery | (CampaignTierQuery & { campaign_id: string }),
): Promise<PromotionTierList> {
  const where = query.is_available === true ? await availableOnly(ctx) : []
  const { tiers, total, has_more } =
    'campaign_id' in query
      ? await listTiersIn(ctx, query.campaign_id, query, where)
      : await listTiers(ctx, query, where)
  const last = tiers.at(-1)
  return listed('tiers', await showTiers(ctx, tiers), {
    total,
    has_more,
    ...(has_more && last !== undefined ? { more_starting_after: last.id } : {}),
  })
}
