import type { Ctx } from '../../core/context.ts'
import { emitMany, type NewEvent } from '../../core/events/emit.ts'
import { ApiError, invalidPayload, under } from '../../core/http/errors.ts'
import { newId } from '../../core/lib/ids.ts'
import { limits } from '../../core/lib/limits.ts'
import { loadMetadataRules } from '../../definitions/metadata-schemas/rules.ts'
import { chosenCategory } from '../../rules/categories/assign.ts'
import { always, validityAfter, validityColumns } from '../../rules/terms/validity.ts'
import type { StoredValidationRule } from '../../rules/validation-rules/schema.ts'
import { toSimpleCampaign } from '../campaigns/campaign.ts'
import type { StoredCampaign } from '../campaigns/store.ts'
import { refuseProtected } from '../campaigns/store.ts'
import { assignToTier, getRules, ruleIdsIn } from './assign-rules.ts'
import { moveToPlace } from './hierarchy.ts'
import type { PromotionTier, PromotionTierBody } from './schema.ts'
import { showTiers } from './show-tiers.ts'
import { tierDiscount } from './tier-discount.ts'
import { insertTiers, listTierIds, listTiersById, type NewTier, updateHierarchy } from './tier-store.ts'

/** Adds a tier to a promotion that the caller has locked. */
export async function createTier(ctx: Ctx, campaign: StoredCampaign, body: PromotionTierBody): Promise<PromotionTier> {
  refuseProtected(campaign)
  if (campaign.campaign_type !== 'PROMOTION')
    throw new ApiError('invalid_campaign', { details: `Campaign ${campaign.id} is not a promotion campaign` })
  const [tier] = await createTiers(ctx, campaign, [body])
  return tier as PromotionTier
}

/**
 * Adds tiers, one after another, to a promotion that no other transaction can change meanwhile; returns them by
 * hierarchy.
 */
export async function createTiers(
  ctx: Ctx,
  campaign: StoredCampaign,
  bodies: readonly PromotionTierBody[],
  /** Of the body with this index, in the request. */
  pathOf: (index: number) => string = () => '',
): Promise<PromotionTier[]> {
  if (bodies.length === 0) return []
  const before = await listTierIds(ctx, campaign.id)
  if (before.length + bodies.length > limits.promotion_tiers_max)
    throw invalidPayload(`A campaign must NOT have more than ${limits.promotion_tiers_max} promotion tiers`)
  const rules = await getRules(
    ctx,
    bodies.flatMap((body) => ruleIdsIn(body) ?? []),
  )
  const drafts = await newTiers(ctx, campaign, bodies, pathOf)
  const order = drafts.reduce((order, { tier, place }) => moveToPlace(order, tier.id, place), before)

  await insertTiers(
    ctx,
    drafts.map(({ tier }) => ({ ...tier, hierarchy: order.indexOf(tier.id) + 1 })),
  )
  if (before.length > 0) await updateHierarchy(ctx, order)
  for (const [index, { tier }] of drafts.entries())
    await assignToTier(
      ctx,
      tier.id,
      (ruleIdsIn(bodies[index] as PromotionTierBody) ?? []).map((id) => rules.get(id) as StoredValidationRule),
    )

  const ids = drafts.map(({ tier }) => tier.id)
  const tiers = await showTiers(ctx, await listTiersById(ctx, ids))
  await emitCreated(ctx, campaign, tiers)
  return tiers
}

interface DraftTier {
  tier: Omit<NewTier, 'hierarchy'>
  place: number | undefined
}

/** The rows of new tiers without their hierarchy; refuses the request if any of them is invalid. */
async function newTiers(
  ctx: Ctx,
  campaign: StoredCampaign,
  bodies: readonly PromotionTierBody[],
  pathOf: (index: number) => string,
): Promise<DraftTier[]> {
  const drafts: DraftTier[] = []
  const metadataRules = await loadMetadataRules(ctx, 'promotion_tier')
  for (const [index, body] of bodies.entries()) {
    const path = pathOf(index)
    const categoryId = await chosenCategory(ctx, body)
    const discount = await tierDiscount(ctx, body, path)
    const validity = validityAfter(always, body, under(path, invalidPayload))
    const metadata = body.metadata ?? {}
    metadataRules.check(metadata, { isNew: true, property: `${path}.metadata` })
    drafts.push({
      tier: {
        id: newId('promotion_tier', Date.parse(ctx.now)),
        campaign_id: campaign.id,
        name: body.name,
        banner: body.banner ?? null,
        discount: discount === undefined ? null : JSON.stringify(discount),
        metadata: JSON.stringify(metadata),
        active: body.active ?? true,
        ...validityColumns(validity),
        category_id: categoryId ?? null,
      },
      place: body.hierarchy,
    })
  }
  return drafts
}

async function emitCreated(ctx: Ctx, campaign: StoredCampaign, tiers: readonly PromotionTier[]): Promise<void> {
  const simple = toSimpleCampaign(campaign)
  await emitMany(
    ctx,
    tiers.map(
      (promotionTier): NewEvent => ({
        type: 'campaign.promotion_tier.created',
        entity_id: campaign.id,
        data: { campaign: simple, promotion_tier: promotionTier },
      }),
    ),
  )
}
