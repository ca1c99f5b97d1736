import { Amount, Maybe, OneOf, PointsExpirationRules } from '@guerdon/engine/schema'
import { type Static, Type } from 'typebox'
import { NumericText } from '../../core/http/numeric-text.ts'
import { PageQuery } from '../../core/query/list.ts'
import { CampaignVoucherBody, CreateCampaign, UpdateCampaign } from '../../incentives/campaigns/schema.ts'
import { CreatePublication } from '../../incentives/publications/schema.ts'
import { VoucherQuery } from '../../incentives/vouchers/schema.ts'
import { CategoryChoice } from '../../rules/categories/assign.ts'
import { ValidityBody } from '../../rules/terms/validity.ts'

export const LoyaltyProgramQuery = Type.Object({
  ...PageQuery({ order: ['-created_at', 'created_at', 'updated_at', '-updated_at'] }),
  expand: Type.Optional(OneOf(['category', 'access_settings_assignments'])),
})
export type LoyaltyProgramQuery = Static<typeof LoyaltyProgramQuery>

const { properties: created } = CreateCampaign

/**
 * The body that creates a loyalty program; members of other campaign types are ignored
 * (docs/reference/loyalty-programs.md#list-programs).
 */
export const NewLoyaltyProgram = Type.Object(
  {
    name: created.name,
    campaign_type: Maybe(OneOf(['LOYALTY_PROGRAM'])),
    type: created.type,
    voucher: Maybe(
      Type.Object({
        ...Type.Pick(CampaignVoucherBody, ['type', 'redemption', 'code_config']).properties,
        loyalty_card: Maybe(Type.Object({ points: Amount, expiration_rules: Maybe(PointsExpirationRules) })),
      }),
    ),
    vouchers_count: created.vouchers_count,
    description: created.description,
    auto_join: created.auto_join,
    use_voucher_metadata_schema: created.use_voucher_metadata_schema,
    ...ValidityBody,
    activity_duration_after_publishing: created.activity_duration_after_publishing,
    ...CategoryChoice,
    metadata: created.metadata,
    loyalty_tiers_expiration: created.loyalty_tiers_expiration,
  },
  {
    examples: [
      {
        name: 'Green Club',
        type: 'AUTO_UPDATE',
        auto_join: true,
        voucher: {
          type: 'LOYALTY_CARD',
          loyalty_card: { points: 0, expiration_rules: { period_type: 'MONTH', period_value: 12 } },
        },
      },
    ],
  },
)
export type NewLoyaltyProgram = Static<typeof NewLoyaltyProgram>

export const CreateLoyaltyProgram = NumericText(NewLoyaltyProgram)

const { properties: updated } = UpdateCampaign

/** Members that are not sent stay unchanged. The name and the one-card-per-customer setting cannot be changed. */
export const LoyaltyProgramChanges = Type.Object(
  {
    description: updated.description,
    ...ValidityBody,
    activity_duration_after_publishing: updated.activity_duration_after_publishing,
    auto_join: updated.auto_join,
    type: updated.type,
    ...CategoryChoice,
    metadata: updated.metadata,
    unset_metadata_fields: Maybe(updated.unset_metadata_fields),
    loyalty_card: Type.Optional(
      Type.Object({ points: Type.Optional(Amount), expiration_rules: Maybe(PointsExpirationRules) }),
    ),
    loyalty_tiers_expiration: updated.loyalty_tiers_expiration,
    options: updated.options,
  },
  { examples: [{ description: 'For everybody who likes trees', loyalty_card: { points: 50 } }] },
)
export type LoyaltyProgramChanges = Static<typeof LoyaltyProgramChanges>

export const UpdateLoyaltyProgram = NumericText(LoyaltyProgramChanges)

export const LoyaltyMemberQuery = Type.Pick(VoucherQuery, [
  'limit',
  'page',
  'order',
  'starting_after_id',
  'customer',
  'created_at',
  'updated_at',
  'code',
  'ids',
])
export type LoyaltyMemberQuery = Static<typeof LoyaltyMemberQuery>

/** The customer who joins, and the card to publish. */
export const CreateLoyaltyMember = Type.Object(Type.Omit(CreatePublication, ['campaign']).properties, {
  examples: [{ customer: { source_id: 'customer-1', name: 'Ann Example' }, channel: 'Email' }],
})
export type CreateLoyaltyMember = Static<typeof CreateLoyaltyMember>
