import type { Applicable, Outcome } from '@guerdon/engine/schema'
import { type ConfiguredCampaign, type ConfiguredTier, categoryOf } from '../../core/configuration/configuration.ts'
import type { Ctx } from '../../core/context.ts'
import { type ApiError, notFound } from '../../core/http/errors.ts'
import type { StoredReplyResult } from '../../core/http/operation.ts'
import { getTier } from '../../incentives/promotions/tier-store.ts'
import { toCategory } from '../../rules/categories/store.ts'
import { setOnly } from '../../rules/terms/validity.ts'
import type { Checkout } from '../decision/facts.ts'
import type { RedeemableCandidate } from '../decision/redeemables.ts'
import type { RepeatedOrder } from '../decision/repeated-orders.ts'
import { readRequest } from '../decision/request.ts'
import { candidateOf, categoriesOf, explained, orderView, refusalView } from '../decision/results.ts'
import { trackingIdOf } from '../decision/tracked.ts'
import type { PromotionTierValidation, PromotionTierValidationBody } from './schema.ts'
import { validateSingle } from './validate-single.ts'

/**
 * Queries only for a tier that is not in the cached configuration: if a cached tier was deleted, the checkout itself finds out.
 */
export async function refuseUnknownTier(ctx: Ctx, id: string): Promise<void> {
  if (!ctx.configurations.cached(ctx.project_id).tiers.has(id)) await getTier(ctx, id)
}

/**
 * Validates one promotion tier on an order (docs/reference/validations.md#promotion-tiers). Changes nothing but the holds of a
 * session.
 */
export function validateTier(
  ctx: Ctx,
  id: string,
  body: PromotionTierValidationBody,
): Promise<PromotionTierValidation | StoredReplyResult | ApiError> {
  const request = readRequest(ctx, body, [{ object: 'promotion_tier', id }])
  return validateSingle(ctx, request, (checkout, outcome, session) => ({
    ...promotionTierView(ctx, checkout, outcome),
    ...(session === null ? {} : { session }),
  }))
}

/** A tier with its outcome. */
export function promotionTierView(
  ctx: Ctx,
  checkout: Checkout,
  outcome: Outcome,
  repeated: RepeatedOrder = (order) => order,
): PromotionTierValidation {
  const { tier, campaign } = knownTier(candidateOf(checkout, outcome), outcome.id)
  const { banner } = tier
  const common = {
    id: tier.id,
    name: tier.name,
    ...(banner === null ? {} : { banner }),
    campaign: campaignView(checkout, campaign),
    hierarchy: tier.hierarchy,
    metadata: tier.metadata,
    ...trackingIdOf(ctx, checkout),
    ...explained(outcome),
    object: 'promotion_tier' as const,
  }
  if (outcome.status === 'APPLICABLE') return { valid: true, ...validOf(checkout, tier, outcome, repeated), ...common }
  const { reason } = outcome
  const { discount } = tier
  return {
    valid: false,
    reason: reason.message,
    error: reason.error ?? refusalView(ctx, reason, candidateOf(checkout, outcome), outcome),
    ...(discount === null ? {} : { discount }),
    ...common,
  }
}

function knownTier(
  candidate: RedeemableCandidate | null,
  id: string,
): { tier: ConfiguredTier; campaign: ConfiguredCampaign } {
  const { tier = null, campaign = null } = candidate ?? {}
  if (tier === null || campaign === null) throw notFound('promotion_tier', id)
  return { tier, campaign }
}

function validOf(checkout: Checkout, tier: ConfiguredTier, outcome: Applicable, repeated: RepeatedOrder) {
  const { order, applicable_to, inapplicable_to, discount } = outcome
  const { total_discount_amount: discountAmount = 0, total_applied_discount_amount: appliedDiscountAmount = 0 } =
    order ?? {}
  return {
    applicable_to,
    inapplicable_to,
    ...(order === undefined ? {} : { order: orderView(checkout, repeated(order), []) }),
    ...(discount === undefined ? {} : { discount }),
    ...setOnly({ start_date: tier.start_date, expiration_date: tier.expiration_date }),
    ...(discountAmount === 0 ? {} : { discount_amount: discountAmount }),
    ...(appliedDiscountAmount === 0 ? {} : { applied_discount_amount: appliedDiscountAmount }),
    category_id: tier.category_id,
    ...(showsCategories(checkout) ? { categories: categoriesOf(checkout, { voucher: null, tier }) } : {}),
  }
}

function campaignView(checkout: Checkout, campaign: ConfiguredCampaign): PromotionTierValidation['campaign'] {
  const { id, start_date, expiration_date, active, category_id } = campaign
  const category = categoryOf(checkout.rows.configuration, { category_id, campaign_id: null })
  return {
    id,
    ...setOnly({ start_date, expiration_date }),
    active,
    ...(showsCategories(checkout) ? { categories: category === null ? [] : [toCategory(category)] } : {}),
    object: 'campaign',
  }
}

const showsCategories = ({ request }: Checkout): boolean => request.expand?.has('category') === true
