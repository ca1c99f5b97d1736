import { Discount, FreeText, Instant, Int, Maybe, Metadata, Name, Nullable, OneOf } from '@guerdon/engine/schema'
import { type Static, Type } from 'typebox'
import { clientReply } from '../../audience/customers/client-view.ts'
import { limits } from '../../core/lib/limits.ts'
import { DateQuery, FilterQuery, listOf, PageQuery } from '../../core/query/list.ts'
import { CategoryChoice } from '../../rules/categories/assign.ts'
import { Category } from '../../rules/categories/schema.ts'
import { DiscountBody } from '../../rules/terms/discount.ts'
import { ValidityBody, ValidityView } from '../../rules/terms/validity.ts'
import { ValidationRuleAssignmentList } from '../../rules/validation-rules/schema.ts'

const Count = Int({ minimum: 0 })
const CategoryId = Nullable(Type.String({ description: 'Null also when the category is gone.' }))

/**
 * A discount that needs no code (docs/reference/promotions.md#promotion-tier-object). Unset members are omitted, except
 * those that can be null.
 */
export const PromotionTier = Type.Object({
  id: Type.String({ description: '`promo_` and 24 characters.' }),
  name: Name,
  banner: Type.Optional(FreeText),
  action: Type.Optional(Type.Object({ discount: Discount })),
  metadata: Metadata,
  hierarchy: Int({ minimum: 1 }),
  promotion_id: Type.String({ description: 'The id of the campaign, as `campaign_id`.' }),
  campaign_id: Type.String(),
  campaign: Type.Object({
    id: Type.String(),
    ...ValidityView,
    start_date: Nullable(Instant),
    expiration_date: Nullable(Instant),
    active: Type.Boolean(),
    category_id: CategoryId,
    object: Type.Literal('campaign'),
  }),
  active: Type.Boolean(),
  ...ValidityView,
  summary: Type.Object({
    redemptions: Type.Object({ total_redeemed: Count }),
    orders: Type.Object({ total_amount: Count, total_discount_amount: Count }),
  }),
  validation_rule_assignments: ValidationRuleAssignmentList,
  category_id: CategoryId,
  categories: Type.Array(Category),
  created_at: Instant,
  updated_at: Type.Optional(Instant),
  object: Type.Literal('promotion_tier'),
})
export type PromotionTier = Static<typeof PromotionTier>

const settings = {
  banner: Maybe(FreeText),
  action: Type.Optional(
    Type.Object(
      { discount: Type.Optional(DiscountBody) },
      { description: 'A tier without a discount counts as disabled.' },
    ),
  ),
  metadata: Type.Optional(Metadata),
  hierarchy: Type.Optional(
    Type.Unsafe<number>({
      ...Int(),
      description: 'Its place among the tiers of its campaign, counted from 1: the others make room. Last unless said.',
    }),
  ),
  ...ValidityBody,
  ...CategoryChoice,
  validation_rules: Maybe(
    Type.Array(Name, {
      maxItems: limits.promotion_tier_rules_max,
      description: 'Ids of rules; on update they replace those that are assigned.',
    }),
  ),
  validation_rule_assignments: Maybe(
    Type.Object(
      { data: Maybe(Type.Array(Type.Object({ rule_id: Name }), { maxItems: limits.promotion_tier_rules_max })) },
      { description: 'Read where `validation_rules` is missing, so that an answer can be sent back.' },
    ),
  ),
}

export const PromotionTierBody = Type.Object(
  { name: Name, active: Maybe(Type.Boolean({ default: true })), ...settings },
  { examples: [{ name: 'Ten off', action: { discount: { type: 'PERCENT', percent_off: 10 } } }] },
)
export type PromotionTierBody = Static<typeof PromotionTierBody>

export const UpdatePromotionTier = Type.Object({
  name: Type.Optional(Name),
  ...settings,
  unset_metadata_fields: Type.Optional(Type.Array(Type.String(), { maxItems: limits.metadata_definitions_max })),
})
export type UpdatePromotionTier = Static<typeof UpdatePromotionTier>

export const PromotionTierList = listOf('tiers', PromotionTier, { total: true, cursor: true })
export type PromotionTierList = Static<typeof PromotionTierList>

const isAvailable = Type.Optional(
  Type.Boolean({ description: 'True: only tiers that could be redeemed at this moment, as far as time is concerned.' }),
)

export const PromotionTierQuery = Type.Object({
  ...PageQuery({ order: ['-created_at', 'created_at', 'updated_at', '-updated_at'] }),
  is_available: isAvailable,
})
export type PromotionTierQuery = Static<typeof PromotionTierQuery>

const { starting_after_id } = PageQuery({ order: ['-created_at'] })

/** Returns all tiers of a campaign unless the client pages, so no property has a default. */
export const CampaignTierQuery = Type.Object({
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: limits.page_size_max })),
  page: Type.Optional(Type.Integer({ minimum: 1, maximum: limits.page_max })),
  starting_after_id,
  is_available: isAvailable,
})
export type CampaignTierQuery = Static<typeof CampaignTierQuery>

const HierarchyMode = OneOf(['MANUAL'])

/** Tiers that are applied together, in the order of their ids (docs/reference/promotions.md#promotion-stack-endpoints). */
export const PromotionStack = Type.Object({
  id: Type.String({ description: '`stack_` and 24 characters.' }),
  name: Name,
  tiers: Type.Object({ ids: Type.Array(Type.String()), hierarchy_mode: HierarchyMode }),
  campaign_id: Type.String(),
  category_id: CategoryId,
  categories: Type.Array(Category),
  created_at: Instant,
  updated_at: Type.Optional(Instant),
  object: Type.Literal('promotion_stack'),
})
export type PromotionStack = Static<typeof PromotionStack>

const StackTiers = Type.Object({
  ids: Type.Array(Name, {
    minItems: 1,
    maxItems: limits.stack_tiers_max,
    uniqueItems: true,
    description: 'Tiers of the campaign, in the order in which they are applied.',
  }),
  hierarchy_mode: Type.Optional(HierarchyMode),
})

export const PromotionStackBody = Type.Object({
  name: Name,
  tiers: StackTiers,
  category_id: CategoryChoice.category_id,
})
export type PromotionStackBody = Static<typeof PromotionStackBody>

export const UpdatePromotionStack = Type.Partial(PromotionStackBody)
export type UpdatePromotionStack = Static<typeof UpdatePromotionStack>

export const PromotionStackList = listOf('data', PromotionStack, { total: true })

export const PromotionStackQuery = Type.Object({
  ...PageQuery({ order: ['-created_at', 'created_at', 'updated_at', '-updated_at', 'name', '-name'] }),
  created_at: DateQuery.created_at,
  updated_at: DateQuery.updated_at,
  ...FilterQuery,
})
export type PromotionStackQuery = Static<typeof PromotionStackQuery>

/** The same on the client side (docs/reference/client-side.md#answers). */
export const ClientPromotionTierList = clientReply(PromotionTierList)
