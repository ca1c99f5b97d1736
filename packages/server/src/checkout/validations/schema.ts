import {
  Amount,
  AppliedDiscount,
  CoveredEntries,
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
  StackingRules,
} from '@guerdon/engine/schema'
import { type Static, Type } from 'typebox'
import { clientReply } from '../../audience/customers/client-view.ts'
import { warnings } from '../../core/http/warnings.ts'
import { limits } from '../../core/lib/limits.ts'
import { FilterQuery } from '../../core/query/list.ts'
import { Category } from '../../rules/categories/schema.ts'
import {
  CalculatedOrderView,
  CategoryInResult,
  checkout,
  checkoutWithoutSession,
  ExplanationView,
  GiftBody,
  RedeemableResult,
  RefusalView,
  RewardBody,
  redeemables,
  SessionBody,
  SessionView,
  ValidationOptions,
} from '../decision/schema.ts'

const sample = {
  order: { items: [{ source_id: 'mug', quantity: 2, price: 1250 }] },
  customer: { source_id: 'customer-1' },
}

export const ValidationBody = Type.Object(
  { redeemables, ...checkout, options: Maybe(ValidationOptions) },
  {
    examples: [{ redeemables: [{ object: 'voucher', id: 'SPRING-10' }], ...sample, options: { explain: true } }],
  },
)
export type ValidationBody = Static<typeof ValidationBody>

/** The result of a validation of several redeemables. */
export const Validation = Type.Object({
  id: Type.String({ description: '`valid_` and 24 letters and digits.' }),
  valid: Type.Boolean(),
  redeemables: Type.Array(RedeemableResult),
  skipped_redeemables: Type.Optional(Type.Array(RedeemableResult)),
  inapplicable_redeemables: Type.Optional(Type.Array(RedeemableResult)),
  order: Type.Optional(CalculatedOrderView),
  tracking_id: Type.Optional(Type.String()),
  session: Type.Optional(SessionView),
  stacking_rules: StackingRules,
  ...warnings,
})
export type Validation = Static<typeof Validation>

export const VoucherValidationBody = Type.Object(
  { ...checkout, gift: Maybe(GiftBody), reward: Maybe(RewardBody), options: Maybe(ValidationOptions) },
  { examples: [sample] },
)
export type VoucherValidationBody = Static<typeof VoucherValidationBody>

/** The result for one voucher; an invalid one has `reason` and `error` (docs/reference/validations.md#one-voucher). */
export const VoucherValidation = Type.Object({
  valid: Type.Boolean(),
  code: Type.String(),
  applicable_to: Type.Optional(CoveredEntries),
  inapplicable_to: Type.Optional(CoveredEntries),
  tracking_id: Type.Optional(Type.String()),
  session: Type.Optional(SessionView),
  order: Type.Optional(CalculatedOrderView),
  discount: Type.Optional(AppliedDiscount),
  gift: Type.Optional(Type.Object({ amount: Amount, balance: Amount, effect: GiftEffect })),
  loyalty: Type.Optional(Type.Object({ points_cost: Amount })),
  reward: Type.Optional(
    Type.Object({ id: Type.String(), assignment_id: Type.Optional(Type.String()), points: Amount }),
  ),
  start_date: Type.Optional(Instant),
  expiration_date: Type.Optional(Instant),
  metadata: Metadata,
  campaign: Type.Optional(Type.String()),
  campaign_id: Type.Optional(Type.String()),
  categories: Type.Optional(Type.Array(CategoryInResult)),
  reason: Type.Optional(Type.String()),
  error: Type.Optional(RefusalView),
  explanation: Type.Optional(ExplanationView),
  ...warnings,
})
export type VoucherValidation = Static<typeof VoucherValidation>

export const PromotionTierValidationBody = Type.Object(
  { ...checkout, options: Maybe(ValidationOptions) },
  { examples: [sample] },
)
export type PromotionTierValidationBody = Static<typeof PromotionTierValidationBody>

/** The result for one promotion tier; an invalid one has `reason` and `error` (docs/reference/validations.md#promotion-tiers). */
export const PromotionTierValidation = Type.Object({
  valid: Type.Boolean(),
  applicable_to: Type.Optional(CoveredEntries),
  inapplicable_to: Type.Optional(CoveredEntries),
  tracking_id: Type.Optional(Type.String()),
  session: Type.Optional(SessionView),
  order: Type.Optional(CalculatedOrderView),
  reason: Type.Optional(Type.String()),
  error: Type.Optional(
    Type.Object(
      { ...Type.Partial(RefusalView).properties, message: Type.String() },
      { description: "The refusal, or nothing but the shop's own words where a rule has some." },
    ),
  ),
  id: Type.String(),
  name: Name,
  banner: Type.Optional(FreeText),
  discount: Type.Optional(
    Type.Union([AppliedDiscount, Discount], { description: 'What is given; of an invalid tier, what it is set to.' }),
  ),
  start_date: Type.Optional(Instant),
  expiration_date: Type.Optional(Instant),
  campaign: Type.Object({
    id: Type.String(),
    start_date: Type.Optional(Instant),
    expiration_date: Type.Optional(Instant),
    active: Type.Boolean(),
    categories: Type.Optional(Type.Array(Category)),
    object: Type.Literal('campaign'),
  }),
  hierarchy: Int({ minimum: 1 }),
  discount_amount: Type.Optional(Amount),
  applied_discount_amount: Type.Optional(Amount),
  metadata: Metadata,
  category_id: Type.Optional(Nullable(Type.String())),
  categories: Type.Optional(Type.Array(CategoryInResult)),
  explanation: Type.Optional(ExplanationView),
  object: Type.Literal('promotion_tier'),
})
export type PromotionTierValidation = Static<typeof PromotionTierValidation>

/** The answer to the validation of one promotion tier. */
export const PromotionTierAnswer = Type.Object({ ...PromotionTierValidation.properties, ...warnings })

export const PromotionValidationBody = Type.Object(
  { ...checkoutWithoutSession, options: Maybe(ValidationOptions) },
  { examples: [sample] },
)
export type PromotionValidationBody = Static<typeof PromotionValidationBody>

export const PromotionValidationQuery = Type.Object({
  audienceRulesOnly: Type.Optional(Type.Boolean({ description: 'Of the rules, only those about the customer count.' })),
  ...FilterQuery,
})
export type PromotionValidationQuery = Static<typeof PromotionValidationQuery>

/** The promotion tiers that apply to an order, by hierarchy. */
export const PromotionValidation = Type.Object({
  valid: Type.Boolean({ description: 'Whether there is any.' }),
  tracking_id: Type.Optional(Type.String()),
  promotions: Type.Array(PromotionTierValidation),
  ...warnings,
})
export type PromotionValidation = Static<typeof PromotionValidation>

const LineQuery = Type.Object({
  source_id: Type.Optional(Name),
  related_object: Type.Optional(OneOf(['product', 'sku'])),
  product_id: Type.Optional(Name),
  sku_id: Type.Optional(Name),
  quantity: Type.Optional(Amount),
  price: Type.Optional(Int()),
  amount: Type.Optional(Int()),
})

const { type, key, ttl, ttl_unit } = SessionBody.properties

const byQuery = {
  amount: Type.Optional(Int()),
  item: Type.Optional(
    Type.Array(LineQuery, { maxItems: limits.order_items_max, description: '`item[0][product_id]=prod_1`' }),
  ),
  order: Type.Optional(Type.Object({ metadata: Type.Optional(Metadata) })),
  metadata: Type.Optional(Metadata),
  customer: Type.Optional(
    Type.Union([Name, Type.Object({ source_id: Type.Optional(Name), metadata: Type.Optional(Metadata) })], {
      description: 'An id or a source id, or `customer[source_id]` and `customer[metadata][…]`.',
    }),
  ),
  tracking_id: checkout.tracking_id,
}

/** The body of a validation as a query string (docs/reference/client-side.md#single-vouchers-and-tiers). */
export const VoucherValidationByQuery = Type.Object({
  code: Type.String({ minLength: 1, maxLength: 1_000, description: 'White space in it is left out.' }),
  ...byQuery,
  session_type: type,
  session_key: key,
  session_ttl: ttl,
  session_ttl_unit: ttl_unit,
})
export type VoucherValidationByQuery = Static<typeof VoucherValidationByQuery>

export const PromotionValidationByQuery = Type.Object(byQuery)
export type PromotionValidationByQuery = Static<typeof PromotionValidationByQuery>

/** The same on the client side (docs/reference/client-side.md#answers). */
export const ClientValidation = clientReply(Validation)

/** The same on the client side (docs/reference/client-side.md#answers). */
export const ClientVoucherValidation = clientReply(VoucherValidation)

/** The same on the client side (docs/reference/client-side.md#answers). */
export const ClientPromotionValidation = clientReply(PromotionValidation)
