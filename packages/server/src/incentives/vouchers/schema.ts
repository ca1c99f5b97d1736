import {
  Amount,
  Discount,
  FreeText,
  GiftEffect,
  Instant,
  InstantInput,
  Int,
  Maybe,
  Metadata,
  Name,
  Nullable,
  OneOf,
  OpenObject,
  PointsExpirationRules,
} from '@guerdon/engine/schema'
import { type Static, Type } from 'typebox'
import { LoyaltyPoints, Transaction, VoucherType } from '../../core/events/shapes.ts'
import { limits } from '../../core/lib/limits.ts'
import { CursorQuery, DateQuery, FilterQuery, listOf, PageQuery } from '../../core/query/list.ts'
import { CategoryChoice } from '../../rules/categories/assign.ts'
import { Category } from '../../rules/categories/schema.ts'
import { DiscountBody } from '../../rules/terms/discount.ts'
import { Timeframe, ValidityBody, ValidityHours } from '../../rules/terms/validity.ts'
import { ValidationRuleAssignmentList } from '../../rules/validation-rules/schema.ts'

export { LoyaltyPoints, VoucherType }

/** Credits of a gift card (docs/reference/vouchers.md#gift-card). */
export const GiftCredits = Type.Object({
  amount: Amount,
  subtracted_amount: Amount,
  balance: Amount,
  effect: Type.Optional(GiftEffect),
})
export type GiftCredits = Static<typeof GiftCredits>

const Asset = Type.Object({ id: Type.String(), url: Type.String() })

/**
 * A code with its discount or credits. Every member is present, null when unset, except those that are optional here
 * (docs/reference/vouchers.md#voucher-object).
 */
export const Voucher = Type.Object({
  id: Type.String(),
  code: Type.String(),
  campaign: Nullable(Type.String()),
  campaign_id: Nullable(Type.String()),
  category: Nullable(Type.String()),
  category_id: Nullable(Type.String()),
  categories: Type.Array(Category),
  type: VoucherType,
  discount: Nullable(Discount),
  gift: Nullable(GiftCredits),
  loyalty_card: Nullable(LoyaltyPoints),
  start_date: Nullable(Instant),
  expiration_date: Nullable(Instant),
  validity_timeframe: Nullable(Timeframe),
  validity_day_of_week: Nullable(Type.Array(Int())),
  validity_hours: Nullable(ValidityHours),
  active: Type.Boolean(),
  additional_info: Nullable(Type.String()),
  metadata: Metadata,
  assets: Type.Object({ qr: Asset, barcode: Asset }),
  is_referral_code: Type.Boolean(),
  created_at: Instant,
  updated_at: Nullable(Instant),
  holder_id: Type.Optional(Type.String()),
  referrer_id: Type.Optional(Type.String()),
  validation_rules_assignments: Type.Optional(ValidationRuleAssignmentList),
  publish: Type.Object({ object: Type.Literal('list'), count: Int({ minimum: 0 }), url: Type.String() }),
  redemption: Type.Object({
    quantity: Nullable(Int()),
    redeemed_quantity: Int({ minimum: 0 }),
    redeemed_amount: Type.Optional(Amount),
    redeemed_points: Type.Optional(Amount),
    object: Type.Literal('list'),
    url: Type.String(),
  }),
  object: Type.Literal('voucher'),
})
export type Voucher = Static<typeof Voucher>

const codeConfigProperties = {
  length: { type: 'integer', minimum: 1 },
  charset: { type: 'string' },
  prefix: { type: 'string' },
  postfix: { type: 'string' },
  pattern: { type: 'string', description: 'Each `#` becomes one random character; overrides `length`.' },
}

/** Settings for random codes (docs/reference/codes.md#code-configuration). */
export const CodeConfigBody = Type.Unsafe<object>({ type: 'object', properties: codeConfigProperties })

const ignoredBalance = Maybe(
  Type.Unsafe<number>({
    ...Amount,
    description: 'Not read: the service calculates it. Here so that an answer can be sent back.',
  }),
)
const giftCard = Type.Object({ amount: Amount, balance: ignoredBalance, effect: Maybe(GiftEffect) })
const loyaltyCard = Type.Object({
  points: Amount,
  balance: ignoredBalance,
  expiration_rules: Maybe(PointsExpirationRules),
})

/** The gift card in a body. Not validated here, because the error key depends on the resource; the server computes `balance`. */
export const GiftCardBody = OpenObject<object>(() => giftCard)

/** The loyalty card in a body, likewise. */
export const LoyaltyCardBody = OpenObject<object>(() => loyaltyCard)

const giftCardChanges = Type.Partial(giftCard)
const loyaltyCardChanges = Type.Partial(loyaltyCard)

/** A gift card in a body that completes it from the campaign. */
export const GiftCardChanges = OpenObject<object>(() => giftCardChanges)

/** A loyalty card, likewise. */
export const LoyaltyCardChanges = OpenObject<object>(() => loyaltyCardChanges)

/** How often a voucher can be redeemed; null: unlimited. */
export const RedemptionLimit = Type.Object({ quantity: Maybe(Int({ minimum: 1 })) })

const settings = {
  ...ValidityBody,
  ...CategoryChoice,
  active: Maybe(Type.Boolean()),
  additional_info: Maybe(FreeText),
  metadata: Type.Optional(Metadata),
}

/** The benefit of a new voucher. */
const definition = {
  discount: Maybe(DiscountBody),
  gift: Maybe(GiftCardBody),
  loyalty_card: Maybe(LoyaltyCardBody),
}

const creationFields = {
  ...definition,
  campaign: Maybe(Name),
  campaign_id: Maybe(Name),
  ...settings,
  redemption: Maybe(RedemptionLimit),
  validation_rules: Maybe(Type.Array(Name, { maxItems: limits.voucher_rules_max })),
}

export const CreateVoucher = Type.Object(
  {
    code: Maybe(Type.String({ maxLength: 1_000 })),
    code_config: Maybe(CodeConfigBody),
    type: VoucherType,
    ...creationFields,
  },
  { examples: [{ type: 'DISCOUNT_VOUCHER', discount: { type: 'PERCENT', percent_off: 10 } }] },
)
export type CreateVoucher = Static<typeof CreateVoucher>

export const CreateVoucherWithCode = Type.Object(
  { type: Maybe(VoucherType), ...creationFields },
  { examples: [{ type: 'GIFT_VOUCHER', gift: { amount: 5000 } }] },
)
export type CreateVoucherWithCode = Static<typeof CreateVoucherWithCode>

export const UpdateVoucher = Type.Object({
  ...settings,
  discount: Maybe(DiscountBody),
  unset_metadata_fields: Type.Optional(Type.Array(Type.String(), { maxItems: limits.metadata_definitions_max })),
})
export type UpdateVoucher = Static<typeof UpdateVoucher>

export const VoucherList = listOf('vouchers', Voucher, { total: true })

export const VoucherQuery = Type.Object({
  ...PageQuery({ order: ['-created_at', 'created_at', 'updated_at', '-updated_at', 'code', '-code'] }),
  created_at: DateQuery.created_at,
  updated_at: DateQuery.updated_at,
  category: Type.Optional(Type.String({ description: 'Name or id.' })),
  campaign: Type.Optional(Type.String({ description: 'Name of the campaign.' })),
  campaign_id: Type.Optional(Type.String()),
  customer: Type.Optional(Type.String({ description: 'Id or source id of the holder.' })),
  code: Type.Optional(Type.String()),
  ids: Type.Optional(
    Type.Array(Type.String(), { maxItems: limits.filter_values_max, description: 'Also separated by commas.' }),
  ),
  ...FilterQuery,
})
export type VoucherQuery = Static<typeof VoucherQuery>

/** What the client side shows of a voucher (docs/reference/client-side.md#list-vouchers). */
export const ClientVoucher = Type.Pick(Voucher, [
  'code',
  'active',
  'metadata',
  'assets',
  'start_date',
  'expiration_date',
  'created_at',
  'object',
])
export type ClientVoucher = Static<typeof ClientVoucher>

export const ClientVoucherList = listOf('vouchers', ClientVoucher, { total: true })

/** How a client-side request names the holder of a code. */
const holderNames = {
  customer: Type.Optional(Type.String({ minLength: 1, description: 'Id, source id or tracking id of the holder.' })),
  tracking_id: Type.Optional(Type.String({ minLength: 1, description: 'Instead of `customer`.' })),
}

export const ClientVoucherQuery = Type.Object({
  ...holderNames,
  ...Type.Pick(VoucherQuery, ['limit', 'page', 'order', 'created_at', 'updated_at', 'category', 'campaign']).properties,
})
export type ClientVoucherQuery = Static<typeof ClientVoucherQuery>

export const SetVoucherExpiration = Type.Object({ expiration_date: InstantInput, ...holderNames })
export type SetVoucherExpiration = Static<typeof SetVoucherExpiration>

export const DeleteVoucherQuery = Type.Object({
  force: Type.Optional(Type.Boolean({ default: false, description: 'For good, instead of into the bin.' })),
})

export const AdjustBalance = Type.Object({
  amount: Int(),
  source_id: Maybe(Name),
  reason: Maybe(FreeText),
})
export type AdjustBalance = Static<typeof AdjustBalance>

export const BalanceAnswer = Type.Object({
  amount: Int(),
  points: Type.Optional(Int()),
  total: Int(),
  balance: Int({ minimum: 0 }),
  type: OneOf(['gift_voucher', 'loyalty_card']),
  operation_type: OneOf(['MANUAL', 'AUTOMATIC']),
  object: Type.Literal('balance'),
  related_object: Type.Object({ type: Type.Literal('voucher'), id: Type.String() }),
})
export type BalanceAnswer = Static<typeof BalanceAnswer>

export const VoucherTransactionQuery = Type.Object(CursorQuery({ order: ['-id', 'id'] }))
export type VoucherTransactionQuery = Static<typeof VoucherTransactionQuery>

/** Settings that a voucher added to a campaign can override (docs/reference/campaigns.md#add-vouchers-to-a-campaign). */
export const OwnSettings = {
  ...CategoryChoice,
  start_date: ValidityBody.start_date,
  expiration_date: ValidityBody.expiration_date,
  active: Maybe(Type.Boolean()),
  additional_info: Maybe(FreeText),
  metadata: Type.Optional(Metadata),
  redemption: Maybe(RedemptionLimit),
}

export const TransactionList = listOf('data', Transaction, { cursor: true, total: 'optional' })
