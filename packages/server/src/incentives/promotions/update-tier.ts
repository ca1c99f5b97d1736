import type { Ctx } from '../../core/context.ts'
import { emit } from '../../core/events/emit.ts'
import { invalidPayload } from '../../core/http/errors.ts'
import { loadMetadataRules } from '../../definitions/metadata-schemas/rules.ts'
import { chosenCategory } from '../../rules/categories/assign.ts'
import { validityAfter, validityColumns } from '../../rules/terms/validity.ts'
import { toSimpleCampaign } from '../campaigns/campaign.ts'
import { refuseProtected } from '../campaigns/store.ts'
import { withoutKeys } from '../vouchers/update.ts'
import { getRules, replaceRules, ruleIdsIn } from './assign-rules.ts'
import { moveToPlace } from './hierarchy.ts'
import type { PromotionTier, UpdatePromotionTier } from './schema.ts'
import { showTier } from './show-tiers.ts'
import type { StoredTier } from './tier.ts'
import { tierDiscount } from './tier-discount.ts'
import { getTier, listTierIds, type TierInCampaign, updateHierarchy, updateTier } from './tier-store.ts'

/** Updates the fields that were sent. A new place moves the other tiers; a list of rules replaces the assigned ones. */
export async function changeTier(
  ctx: Ctx,
  { campaign, tier }: TierInCampaign,
  body: UpdatePromotionTier,
): Promise<PromotionTier> {
  refuseProtected(campaign)
  const ruleIds = ruleIdsIn(body)
  const rules = ruleIds && (await getRules(ctx, ruleIds))
  const { name, banner, hierarchy } = body
  const categoryId = await chosenCategory(ctx, body)
  const discount = await tierDiscount(ctx, body)
  const validity = validityAfter(tier, body, invalidPayload)
  const metadata = await metadataAfter(ctx, tier, body)

  await updateTier(ctx, tier.id, {
    name,
    banner,
    category_id: categoryId,
    discount: discount && JSON.stringify(discount),
    ...validityColumns(validity),
    metadata: JSON.stringify(metadata),
  })
  if (hierarchy !== undefined)
    await updateHierarchy(ctx, moveToPlace(await listTierIds(ctx, campaign.id), tier.id, hierarchy))
  if (rules !== undefined) await replaceRules(ctx, tier.id, rules)

  const promotionTier = await showTier(ctx, await getTier(ctx, tier.id))
  await emit(ctx, 'campaign.promotion_tier.updated', campaign.id, {
    campaign: toSimpleCampaign(campaign),
    promotion_tier: promotionTier,
  })
  return promotionTier
}

/** Enables or disables a tier; no effect if it already has that state. */
export async function switchTier(
  ctx: Ctx,
  { campaign, tier }: TierInCampaign,
  active: boolean,
): Promise<PromotionTier> {
  if (tier.active === active) return showTier(ctx, tier)
  await updateTier(ctx, tier.id, { active })
  const promotionTier = await showTier(ctx, await getTier(ctx, tier.id))
  await emit(ctx, `campaign.promotion_tier.${active ? 'enabled' : 'disabled'}`, campaign.id, {
    campaign: toSimpleCampaign(campaign),
    promotion_tier: promotionTier,
  })
  return promotionTier
}

/** Merges metadata key by key, then removes the keys to unset (docs/reference/vouchers.md#metadata). */
async function metadataAfter(
  ctx: Ctx,
  { metadata: stored }: StoredTier,
  { metadata: sent, unset_metadata_fields = [] }: UpdatePromotionTier,
): Promise<Record<string, unknown>> {
  const merged = sent === undefined ? stored : (await loadMetadataRules(ctx, 'promotion_tier')).merged(stored, sent)
  return withoutKeys(merged, unset_metadata_fields)
}
