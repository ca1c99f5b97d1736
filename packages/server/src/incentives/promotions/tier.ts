import type { Selectable } from 'kysely'
import type { CampaignRow, CategoryRow, PromotionTierRow } from '../../core/db/tables.ts'
import type { Usage } from '../../core/db/usage.ts'
import type { SimplePromotionTier } from '../../core/events/shapes.ts'
import { listed } from '../../core/query/list.ts'
import { toCategory } from '../../rules/categories/store.ts'
import { setOnly, type ValidityState } from '../../rules/terms/validity.ts'
import type { ValidationRuleAssignment } from '../../rules/validation-rules/schema.ts'
import type { PromotionTier } from './schema.ts'

/** A tier with fields of its campaign, and its category, which is null once it is deleted. */
export type StoredTier = Selectable<PromotionTierRow> & {
  [Limit in keyof ValidityState as `campaign_${Limit}`]: Selectable<CampaignRow>[Limit]
} & {
  campaign_active: boolean
  campaign_category_id: CategoryRow['id'] | null
  category: Selectable<CategoryRow> | null
}

/** A tier as the API returns it, with its rules and its redemptions net of rollbacks. */
export function toPromotionTier(
  tier: StoredTier,
  assignments: ValidationRuleAssignment[],
  usage: Pick<Usage, 'redemptions' | 'orders_amount' | 'discounted_amount'>,
): PromotionTier {
  const { banner, discount, campaign_id, category, updated_at } = tier
  return {
    id: tier.id,
    name: tier.name,
    ...(banner === null ? {} : { banner }),
    ...(discount === null ? {} : { action: { discount } }),
    metadata: tier.metadata,
    hierarchy: tier.hierarchy,
    promotion_id: campaign_id,
    campaign_id,
    campaign: campaignOf(tier),
    active: tier.active,
    ...setOnly(tierValidityOf(tier)),
    summary: {
      redemptions: { total_redeemed: usage.redemptions },
      orders: { total_amount: usage.orders_amount, total_discount_amount: usage.discounted_amount },
    },
    validation_rule_assignments: listed('data', assignments, { total: assignments.length }),
    category_id: category?.id ?? null,
    categories: category === null ? [] : [toCategory(category)],
    created_at: tier.created_at,
    ...(updated_at === null ? {} : { updated_at }),
    object: 'promotion_tier',
  }
}

/** [SPT], the short form in events. */
export function toSimplePromotionTier(
  tier: Pick<StoredTier, 'id' | 'name' | 'banner' | 'campaign_id' | 'metadata'>,
): SimplePromotionTier {
  const { id, name, banner, campaign_id, metadata } = tier
  return { id, name, banner, campaign: { id: campaign_id }, metadata }
}

function campaignOf(tier: StoredTier): PromotionTier['campaign'] {
  const { start_date, expiration_date, ...limits } = campaignValidityOf(tier)
  return {
    id: tier.campaign_id,
    start_date,
    expiration_date,
    ...setOnly(limits),
    active: tier.campaign_active,
    category_id: tier.campaign_category_id,
    object: 'campaign',
  }
}

type OwnLimits = Pick<StoredTier, keyof ValidityState>

export const tierValidityOf = (tier: OwnLimits): ValidityState => ({
  start_date: tier.start_date,
  expiration_date: tier.expiration_date,
  validity_timeframe: tier.validity_timeframe,
  validity_day_of_week: tier.validity_day_of_week,
  validity_hours: tier.validity_hours,
})

type CampaignLimits = Pick<StoredTier, `campaign_${keyof ValidityState}`>

export const campaignValidityOf = (tier: CampaignLimits): ValidityState => ({
  start_date: tier.campaign_start_date,
  expiration_date: tier.campaign_expiration_date,
  validity_timeframe: tier.campaign_validity_timeframe,
  validity_day_of_week: tier.campaign_validity_day_of_week,
  validity_hours: tier.campaign_validity_hours,
})
