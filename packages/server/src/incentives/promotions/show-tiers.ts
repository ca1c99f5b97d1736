import type { Ctx } from '../../core/context.ts'
import { netUsageOf } from '../../core/db/usage.ts'
import { listAssignmentsOf } from '../../rules/validation-rules/assignment-store.ts'
import type { PromotionTier } from './schema.ts'
import type { StoredTier } from './tier.ts'
import { toPromotionTier } from './tier.ts'

/** Tiers as the API returns them. One query loads the rules of all tiers, another their redemptions. */
export async function showTiers(ctx: Ctx, tiers: readonly StoredTier[]): Promise<PromotionTier[]> {
  if (tiers.length === 0) return []
  const ids = tiers.map(({ id }) => id)
  const assignments = await listAssignmentsOf(ctx, 'promotion_tier', ids)
  const byTier = Map.groupBy(assignments, ({ related_object_id }) => related_object_id)
  const usageByTier = await netUsageOf(ctx.db, ctx.project_id, ids)
  return tiers.map((tier) => toPromotionTier(tier, byTier.get(tier.id) ?? [], usageByTier(tier.id)))
}

export async function showTier(ctx: Ctx, tier: StoredTier): Promise<PromotionTier> {
  const [view] = await showTiers(ctx, [tier])
  return view as PromotionTier
}
