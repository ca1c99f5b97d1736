import { FreeText, Instant, Maybe, Name, Nullable, OneOf } from '@guerdon/engine/schema'
import { type Static, Type } from 'typebox'
import { CursorQuery, FilterQuery, listOf } from '../../core/query/list.ts'
import { ValidityView } from '../../rules/terms/validity.ts'
import { StoredValidationRule } from '../../rules/validation-rules/schema.ts'
import { Campaign, CampaignVoucher, CampaignVoucherBody, CreateCampaign } from '../campaigns/schema.ts'
import { PromotionTier, PromotionTierBody } from '../promotions/schema.ts'

const TemplateType = OneOf(['DISCOUNT_COUPONS', 'GIFT_VOUCHERS'])

/** Snapshot of a campaign from the creation of the template (docs/reference/campaign-templates.md#what-a-template-holds). */
export const TemplateCampaign = Type.Object({
  type: Campaign.properties.type,
  join_once: Type.Boolean(),
  auto_join: Type.Boolean(),
  use_voucher_metadata_schema: Type.Boolean(),
  description: Campaign.properties.description,
  metadata: Campaign.properties.metadata,
  ...ValidityView,
  activity_duration_after_publishing: Campaign.properties.activity_duration_after_publishing,
  voucher: Type.Pick(CampaignVoucher, ['type', 'discount', 'gift', 'redemption', 'code_config']),
})
export type TemplateCampaign = Static<typeof TemplateCampaign>

/** Snapshot of a validation rule from the creation of the template. */
export const TemplateRule = Type.Pick(StoredValidationRule, [
  'name',
  'rules',
  'bundle_rules',
  'error',
  'applicable_to',
  'type',
  'context_type',
])
export type TemplateRule = Static<typeof TemplateRule>

export const JsonTemplate = Type.Object({
  campaign_type: TemplateType,
  campaign: TemplateCampaign,
  validation_rule: Nullable(TemplateRule),
})
export type JsonTemplate = Static<typeof JsonTemplate>

export const CampaignTemplate = Type.Object({
  id: Type.String({ description: 'Time-ordered id, `camp_tpl_` and 18 hexadecimal digits.' }),
  name: Name,
  description: Type.Optional(FreeText),
  campaign_type: TemplateType,
  created_at: Instant,
  updated_at: Type.Optional(Instant),
  json_template: Type.Optional(JsonTemplate),
  object: Type.Literal('campaign_template'),
})
export type CampaignTemplate = Static<typeof CampaignTemplate>

export const CreateCampaignTemplate = Type.Object(
  {
    name: Name,
    description: Maybe(FreeText),
    campaign_id: Maybe(
      Type.String({ minLength: 1, description: 'The id or the name of a discount or gift card campaign.' }),
    ),
    promotion_tier_id: Maybe(Type.String({ minLength: 1, description: 'Instead of a campaign.' })),
  },
  { examples: [{ name: 'Seasonal sale', campaign_id: 'Spring sale' }] },
)
export type CreateCampaignTemplate = Static<typeof CreateCampaignTemplate>

export const UpdateCampaignTemplate = Type.Object({ name: Type.Optional(Name), description: Maybe(FreeText) })
export type UpdateCampaignTemplate = Static<typeof UpdateCampaignTemplate>

export const CopyCampaignTemplate = Type.Object({
  name: Name,
  description: Maybe(Type.String({ maxLength: 5_000, description: 'That of the original unless said; null: none.' })),
  destination_project_id: Type.String({ minLength: 1, description: 'May be the same project.' }),
})
export type CopyCampaignTemplate = Static<typeof CopyCampaignTemplate>

export const CampaignTemplateQuery = Type.Object({
  ...CursorQuery({ order: ['id', '-id'] }),
  include_total: Type.Optional(
    Type.Boolean({ default: false, description: 'Counts all templates of the project, whatever the filters.' }),
  ),
  ...FilterQuery,
})
export type CampaignTemplateQuery = Static<typeof CampaignTemplateQuery>

export const GetCampaignTemplateQuery = Type.Object({ expand: Type.Optional(OneOf(['json_template'])) })

export const CampaignTemplateList = listOf('data', CampaignTemplate, { total: 'optional', cursor: true })

const { code_config, redemption, code } = CampaignVoucherBody.properties

/**
 * Overrides for a campaign created from a template: an omitted member keeps the value of the template, null removes a
 * limit.
 */
export const CreateCampaignFromTemplate = Type.Object(
  {
    ...Type.Pick(CreateCampaign, [
      'name',
      'description',
      'type',
      'join_once',
      'auto_join',
      'use_voucher_metadata_schema',
      'vouchers_count',
      'start_date',
      'expiration_date',
      'validity_timeframe',
      'validity_day_of_week',
      'validity_hours',
      'activity_duration_after_publishing',
      'category',
      'category_id',
      'metadata',
    ]).properties,
    voucher: Maybe(Type.Object({ code_config, redemption, code })),
  },
  { examples: [{ name: 'Summer sale', vouchers_count: 1 }] },
)
export type CreateCampaignFromTemplate = Static<typeof CreateCampaignFromTemplate>

export const AddPromotionTierFromTemplate = Type.Object({
  campaign_id: Type.String({ minLength: 1, description: 'The id or the name of a promotion campaign.' }),
  ...Type.Pick(PromotionTierBody, [
    'name',
    'banner',
    'metadata',
    'hierarchy',
    'active',
    'start_date',
    'expiration_date',
    'validity_timeframe',
    'validity_day_of_week',
    'validity_hours',
    'category',
    'category_id',
  ]).properties,
})
export type AddPromotionTierFromTemplate = Static<typeof AddPromotionTierFromTemplate>

/** A resource that the use of a template created; resources that existed already are not listed. */
export const CreatedResource = Type.Object({
  id: Type.String(),
  object: OneOf(['validation_rules', 'product', 'sku', 'products_collection', 'segments', 'location']),
})
export type CreatedResource = Static<typeof CreatedResource>

export const CampaignSetup = Type.Object({
  object: Type.Literal('campaign_setup'),
  campaign: Campaign,
  created_resources: Type.Array(CreatedResource),
})
export type CampaignSetup = Static<typeof CampaignSetup>

export const PromotionTierSetup = Type.Object({
  object: Type.Literal('promotion_tier_setup'),
  promotion_tier: PromotionTier,
  created_resources: Type.Array(CreatedResource),
})
export type PromotionTierSetup = Static<typeof PromotionTierSetup>
