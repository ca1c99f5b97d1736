import type { Ctx } from '../context.ts'
import { listAssignmentsOf } from '../validation-rules/assignment-store.ts'
import type { PromotionTier } from './schema.ts'
import { toPromotionTier } from './tier.ts'
import type { StoredTier } from './tier-store.ts'

/** Tiers as they are answered, each with its rules; one statement fetches the rules of all. */
export async function showTiers(ctx: Ctx, tiers: readonly StoredTier[]): Promise<PromotionTier[]> {
  if (tiers.length === 0) return []
  const assignments = await listAssignmentsOf(
    ctx,
    'promotion_tier',
    tiers.map(({ id }) => id),
  )
  const by_tier = Map.groupBy(assignments, ({ related_object_id }) => related_object_id)
  return tiers.map((tier) => toPromotionTier(tier, by_tier.get(tier.id) ?? []))
}

export async function showTier(ctx: Ctx, tier: StoredTier): Promise<PromotionTier> {
  const [shown] = await showTiers(ctx, [tier])
  return shown as PromotionTier
}
