import type { Ctx } from '../../core/context.ts'
import { ApiError } from '../../core/http/errors.ts'
import { setOnly } from '../../rules/terms/validity.ts'
import { createCampaign } from '../campaigns/create.ts'
import type { CreateCampaign } from '../campaigns/schema.ts'
import { getCampaign } from '../campaigns/store.ts'
import { createTier } from '../promotions/create-tiers.ts'
import type { PromotionTierBody } from '../promotions/schema.ts'
import { provideResources } from './provide.ts'
import { type Rename, renamedDiscount } from './references.ts'
import type {
  AddPromotionTierFromTemplate,
  CampaignSetup,
  CreateCampaignFromTemplate,
  PromotionTierSetup,
  TemplateCampaign,
} from './schema.ts'
import type { StoredTemplate } from './store.ts'

/**
 * Creates a campaign from a template, with the resources it needs
 * (docs/reference/campaign-templates.md#what-the-use-of-a-template-makes).
 */
export async function setUpCampaign(
  ctx: Ctx,
  { campaign_type, content }: StoredTemplate,
  body: CreateCampaignFromTemplate,
): Promise<CampaignSetup> {
  const { created_resources, rename, rule_ids } = await provideResources(ctx, content)
  const { voucher: overrides, type, join_once, auto_join, use_voucher_metadata_schema, metadata, ...clearable } = body
  const { voucher, ...settings } = content.campaign
  const campaign = await createCampaign(ctx, {
    ...settings,
    ...clearable,
    ...setOnly({ type, join_once, auto_join, use_voucher_metadata_schema, metadata }),
    campaign_type,
    voucher: voucherOf(voucher, overrides, rename),
    validation_rules: rule_ids,
  } as CreateCampaign)
  return { object: 'campaign_setup', campaign, created_resources }
}

function voucherOf(
  { discount, redemption, ...voucher }: TemplateCampaign['voucher'],
  overrides: CreateCampaignFromTemplate['voucher'],
  rename: Rename,
): NonNullable<CreateCampaign['voucher']> {
  return {
    ...voucher,
    ...(discount === undefined ? {} : { discount: renamedDiscount(discount, rename) }),
    redemption: { ...redemption, ...overrides?.redemption },
    ...setOnly({ code_config: overrides?.code_config, code: overrides?.code }),
  }
}

/** Adds a tier with the discount of the template to a promotion. */
export async function setUpTier(
  ctx: Ctx,
  { campaign_type, content }: StoredTemplate,
  { campaign_id, ...body }: AddPromotionTierFromTemplate,
): Promise<PromotionTierSetup> {
  // Lock the promotion first: every change of a promotion locks its campaign, then the configuration. Another order could
  // deadlock.
  const promotion = await getCampaign(ctx, campaign_id, { lock: 'update' })
  const { metadata, start_date, expiration_date, validity_timeframe, validity_day_of_week, validity_hours, voucher } =
    content.campaign
  if (campaign_type !== 'DISCOUNT_COUPONS' || voucher.discount === undefined)
    throw new ApiError('campaign_type_is_not_supported_by_campaign_template', {
      details: `A promotion tier cannot be made of a ${campaign_type} template`,
    })
  const { created_resources, rename, rule_ids } = await provideResources(ctx, content)
  const promotionTier = await createTier(ctx, promotion, {
    ...setOnly({ banner: content.banner }),
    ...setOnly({ start_date, expiration_date, validity_timeframe, validity_day_of_week, validity_hours }),
    metadata,
    ...body,
    action: { discount: renamedDiscount(voucher.discount, rename) },
    validation_rules: rule_ids,
  } as PromotionTierBody)
  return { object: 'promotion_tier_setup', promotion_tier: promotionTier, created_resources }
}
