import type { Applicable } from '@guerdon/engine/schema'
import type { Checkout } from '../checkout/decision/facts.ts'
import type { RedeemableCandidate } from '../checkout/decision/redeemables.ts'
import { categoriesOf } from '../checkout/decision/results.ts'
import { assignmentsOf, type ConfiguredCampaign, type ConfiguredTier } from '../core/configuration/configuration.ts'
import { toPromotionTier } from '../incentives/promotions/tier.ts'
import { toAssignment } from '../rules/validation-rules/assignment-view.ts'
import type { RedeemedTier } from './schema.ts'

/** A tier as the response to its redemption shows it: with its usage, this redemption included. */
export function redeemedTier(checkout: Checkout, candidate: RedeemableCandidate, { order }: Applicable): RedeemedTier {
  const { configuration, tier_usage } = checkout.rows
  const tier = candidate.tier as ConfiguredTier
  const campaign = candidate.campaign as ConfiguredCampaign
  const before = tier_usage[tier.id] ?? { redemptions: 0, orders_amount: 0, discounted_amount: 0 }
  const { categories } = configuration
  const tierCategory = tier.category_id === null ? null : (categories.get(tier.category_id) ?? null)
  const campaignCategory = campaign.category_id === null ? undefined : categories.get(campaign.category_id)
  const view = toPromotionTier(
    {
      ...tier,
      category: tierCategory,
      campaign_active: campaign.active,
      campaign_category_id: campaignCategory?.id ?? null,
      campaign_start_date: campaign.start_date,
      campaign_expiration_date: campaign.expiration_date,
      campaign_validity_timeframe: campaign.validity_timeframe,
      campaign_validity_day_of_week: campaign.validity_day_of_week,
      campaign_validity_hours: campaign.validity_hours,
    },
    assignmentsOf(configuration, tier.id).map(toAssignment),
    {
      redemptions: before.redemptions + 1,
      orders_amount: before.orders_amount + (order?.amount ?? 0),
      discounted_amount: before.discounted_amount + (order?.total_applied_discount_amount ?? 0),
    },
  )
  return checkout.request.expand?.has('category') === true
    ? { ...view, categories: categoriesOf(checkout, candidate) }
    : view
}
