import {
  Amount,
  Discount,
  FreeText,
  GiftEffect,
  Instant,
  Int,
  Maybe,
  Metadata,
  Name,
  Nullable,
  OneOf,
  PointsExpirationRules,
  TierExpiration,
} from '@guerdon/engine/schema'
import { type Static, Type } from 'typebox'
import { CampaignType, Full, VoucherType } from '../../core/events/shapes.ts'
import { Binary } from '../../core/http/multipart.ts'
import { limits } from '../../core/lib/limits.ts'
import { CursorQuery, FilterQuery, listOf, PageQuery } from '../../core/query/list.ts'
import { CategoryChoice } from '../../rules/categories/assign.ts'
import { Category } from '../../rules/categories/schema.ts'
import { DiscountBody } from '../../rules/terms/discount.ts'
import { Duration, ValidityBody, ValidityView } from '../../rules/terms/validity.ts'
import { ValidationRuleAssignmentList } from '../../rules/validation-rules/schema.ts'
import { PromotionTier, PromotionTierBody } from '../promotions/schema.ts'
import { ImportedVoucher } from '../vouchers/import-schema.ts'
import {
  CodeConfigBody,
  GiftCardBody,
  GiftCardChanges,
  LoyaltyCardBody,
  LoyaltyCardChanges,
  OwnSettings,
  RedemptionLimit,
} from '../vouchers/schema.ts'

export { CampaignType }

const Pool = OneOf(['AUTO_UPDATE', 'STATIC', 'STANDALONE'])
export const CampaignStatus = OneOf(['DONE', 'IN_PROGRESS', 'FAILED', 'DRAFT', 'MODIFYING'])

/** Reference to a custom event or campaign, by id or by name. */
const Reference = { id: Maybe(Name), name: Maybe(Name) }

/** How a referral counts and what the referee gets (docs/reference/referrals.md#referral-campaigns-and-codes). */
export const ReferralProgram = Type.Object({
  conversion_event_type: OneOf(['redemption', 'custom_event']),
  custom_event: Type.Optional(Type.Object({ id: Type.String(), name: Type.String() })),
  referee_reward: Type.Optional(
    Type.Object({
      related_object_parent: Type.Object({
        id: Type.String(),
        name: Type.String(),
        object: Type.Literal('CAMPAIGN'),
      }),
      type: OneOf(['LOYALTY_CARD', 'GIFT_VOUCHER']),
      amount: Int({ minimum: 1 }),
    }),
  ),
})
export type ReferralProgram = Static<typeof ReferralProgram>

export const ReferralProgramBody = Type.Object({
  conversion_event_type: Maybe(OneOf(['redemption', 'custom_event'])),
  custom_event: Maybe(Type.Object(Reference)),
  referee_reward: Maybe(
    Type.Object({
      related_object_parent: Type.Object(Reference),
      type: OneOf(['LOYALTY_CARD', 'GIFT_VOUCHER']),
      amount: Int({ minimum: 1 }),
    }),
  ),
})
export type ReferralProgramBody = Static<typeof ReferralProgramBody>

const CodeConfigView = Type.Object({
  length: Int(),
  charset: Type.String(),
  pattern: Type.String(),
  prefix: Type.Optional(Type.String()),
  postfix: Type.Optional(Type.String()),
})

/** The settings that the vouchers of a campaign share. */
export const CampaignVoucher = Type.Object({
  type: VoucherType,
  discount: Type.Optional(Discount),
  gift: Type.Optional(Type.Object({ amount: Amount, effect: Type.Optional(GiftEffect) })),
  loyalty_card: Type.Optional(Type.Object({ points: Amount, expiration_rules: Type.Optional(PointsExpirationRules) })),
  redemption: Type.Object({ quantity: Nullable(Int()) }),
  code_config: Type.Optional(CodeConfigView),
  is_referral_code: Type.Boolean(),
  ...ValidityView,
})

/**
 * A group of vouchers with the same settings, or a promotion. Unset members are omitted
 * (docs/reference/campaigns.md#campaign-object).
 */
export const Campaign = Type.Object({
  id: Type.String(),
  name: Type.String(),
  description: Type.Optional(Type.String()),
  campaign_type: CampaignType,
  type: Pool,
  voucher: Type.Optional(CampaignVoucher),
  promotion: Type.Optional(
    Type.Object({
      object: Type.Literal('list'),
      data_ref: Type.Literal('tiers'),
      tiers: Type.Array(PromotionTier),
      total: Int(),
      has_more: Type.Literal(false),
    }),
  ),
  referral_program: Type.Optional(ReferralProgram),
  loyalty_tiers_expiration: Type.Optional(TierExpiration),
  auto_join: Type.Boolean(),
  join_once: Type.Boolean(),
  use_voucher_metadata_schema: Type.Boolean(),
  ...ValidityView,
  activity_duration_after_publishing: Type.Optional(Type.String()),
  vouchers_count: Type.Optional(Int({ minimum: 0 })),
  active: Type.Boolean(),
  metadata: Type.Optional(Metadata),
  created_at: Instant,
  updated_at: Type.Optional(Instant),
  category: Type.Optional(Type.String()),
  category_id: Nullable(Type.String()),
  categories: Type.Array(Category),
  creation_status: CampaignStatus,
  vouchers_generation_status: CampaignStatus,
  protected: Type.Boolean(),
  validation_rules_assignments: Type.Optional(ValidationRuleAssignmentList),
  access_settings_assignments: listOf('data', Full, { total: true }),
  object: Type.Literal('campaign'),
})
export type Campaign = Static<typeof Campaign>

export const CampaignList = listOf('campaigns', Campaign, { total: true })

const settings = {
  description: Maybe(FreeText),
  join_once: Maybe(Type.Boolean()),
  auto_join: Maybe(Type.Boolean()),
  ...ValidityBody,
  activity_duration_after_publishing: Maybe(Duration),
  ...CategoryChoice,
  metadata: Maybe(Metadata),
}

export const CampaignVoucherBody = Type.Object({
  type: VoucherType,
  discount: Maybe(DiscountBody),
  gift: Maybe(GiftCardBody),
  loyalty_card: Maybe(LoyaltyCardBody),
  redemption: Maybe(RedemptionLimit),
  code_config: Maybe(CodeConfigBody),
  code: Maybe(Type.String({ maxLength: 1_000 })),
  is_referral_code: Maybe(Type.Boolean()),
})

export const CreateCampaign = Type.Object(
  {
    name: Name,
    campaign_type: Maybe(CampaignType),
    type: Maybe(Pool),
    ...settings,
    use_voucher_metadata_schema: Maybe(Type.Boolean()),
    voucher: Maybe(CampaignVoucherBody),
    referral_program: Maybe(ReferralProgramBody),
    promotion: Maybe(
      Type.Object({ tiers: Maybe(Type.Array(PromotionTierBody, { maxItems: limits.promotion_tiers_max })) }),
    ),
    loyalty_tiers_expiration: Maybe(TierExpiration),
    vouchers_count: Maybe(Int({ minimum: 0 })),
    validation_rules: Maybe(Type.Array(Name, { maxItems: 1 })),
  },
  {
    examples: [
      {
        name: 'Spring sale',
        campaign_type: 'DISCOUNT_COUPONS',
        vouchers_count: 1,
        voucher: { type: 'DISCOUNT_VOUCHER', discount: { type: 'PERCENT', percent_off: 10 } },
      },
    ],
  },
)
export type CreateCampaign = Static<typeof CreateCampaign>

/** Omitted members keep their value; null removes an optional one (docs/reference/campaigns.md#presence-and-null). */
export const UpdateCampaign = Type.Object({
  description: Maybe(FreeText),
  ...ValidityBody,
  activity_duration_after_publishing: Maybe(Duration),
  ...CategoryChoice,
  type: Type.Optional(Pool),
  join_once: Type.Optional(Type.Boolean()),
  auto_join: Type.Optional(Type.Boolean()),
  metadata: Type.Optional(Metadata),
  unset_metadata_fields: Type.Optional(Type.Array(Type.String(), { maxItems: limits.metadata_definitions_max })),
  discount: Type.Optional(DiscountBody),
  gift: Type.Optional(GiftCardChanges),
  loyalty_card: Type.Optional(LoyaltyCardChanges),
  referral_program: Type.Optional(ReferralProgramBody),
  loyalty_tiers_expiration: Type.Optional(TierExpiration),
  options: Maybe(Type.Object({ recalculate_tiers: Maybe(Type.Boolean()) })),
  default_voucher_redemption: Type.Optional(RedemptionLimit),
})
export type UpdateCampaign = Static<typeof UpdateCampaign>

export const CampaignQuery = Type.Object({
  ...PageQuery({ order: ['-created_at', 'created_at', 'updated_at', '-updated_at'] }),
  campaign_type: Type.Optional(CampaignType),
  campaign_status: Type.Optional(CampaignStatus),
  is_referral_code: Type.Optional(Type.Boolean()),
  expand: Type.Optional(OneOf(['category'])),
  ...FilterQuery,
})
export type CampaignQuery = Static<typeof CampaignQuery>

export const DeleteCampaignQuery = Type.Object({
  force: Type.Optional(Type.Boolean({ default: false, description: 'For good, instead of into the bin.' })),
})

export const AddVouchersQuery = Type.Object({
  vouchers_count: Type.Optional(Int({ minimum: 1 })),
})

export const AddVouchers = Type.Object({
  code: Maybe(Type.String({ maxLength: 1_000 })),
  code_config: Maybe(CodeConfigBody),
  ...OwnSettings,
})
export type AddVouchers = Static<typeof AddVouchers>

export const AddVoucherWithCode = Type.Object(OwnSettings)
export type AddVoucherWithCode = Static<typeof AddVoucherWithCode>

export const CampaignTransactionQuery = Type.Object({ ...CursorQuery({ order: ['-id', 'id'] }), ...FilterQuery })
export type CampaignTransactionQuery = Static<typeof CampaignTransactionQuery>

/** The empty response. */
export const Nothing = Type.Object({})

/** An omitted member takes the value of the campaign. */
export const ImportCampaignVouchers = Type.Array(ImportedVoucher, {
  minItems: 1,
  maxItems: limits.bulk_items_max,
  examples: [[{ code: 'SPRING-1' }, { code: 'SPRING-2', active: false, metadata: { season: 'spring' } }]],
})
export type ImportCampaignVouchers = Static<typeof ImportCampaignVouchers>

export const ImportCampaignVouchersCsv = Type.Object({
  file: Binary({
    description:
      'CSV in UTF-8 with a header row: `Code`, `Active`, `Category`, `Start Date`, `Expiration Date`, `Redeemed Quantity`, ' +
      'for gift cards `Gift Amount` and `Redeemed Amount`, for loyalty cards `Loyalty Points`; any other column is metadata.',
    examples: ['Code,Active\nSPRING-1,TRUE\nSPRING-2,FALSE\n'],
  }),
})
