import {
  Amount,
  CalculatedItem,
  CalculatedOrder,
  Instant,
  Int,
  Metadata,
  Nullable,
  OneOf,
  variants,
} from '@guerdon/engine/schema'
import { type Static, Type } from 'typebox'

// The short forms of objects in events (docs/reference/events.md#short-forms; its abbreviation in brackets). Readers of
// events depend on them, so they change only by addition.

/** A complete object, as its own endpoint returns it. Loosely typed. */
export const Full = Type.Unsafe<object>({ type: 'object', additionalProperties: true })
export type Full = object

/** A day in the project's time zone: `2026-01-31`. */
export const CalendarDate = Type.Unsafe<string>({ type: 'string', format: 'date' })

export const Reference = Type.Object({ id: Type.String() })
export const NamedReference = Type.Object({ id: Type.String(), name: Type.String() })

export const VoucherType = OneOf(['DISCOUNT_VOUCHER', 'GIFT_VOUCHER', 'LOYALTY_CARD'])
export const CampaignType = OneOf([
  'DISCOUNT_COUPONS',
  'GIFT_VOUCHERS',
  'LOYALTY_PROGRAM',
  'REFERRAL_PROGRAM',
  'PROMOTION',
])

/** The caller that caused an event. `USER_PORTAL` occurs in imported data only. */
export const EventSource = Type.Object({
  channel: OneOf(['API', 'CLIENT_API', 'USER', 'USER_PORTAL', 'INTERNAL']),
  api_key: Type.Optional(Type.Object({ name: Type.String(), app_id: Type.String() })),
  user: Type.Optional(Reference),
  user_email: Type.Optional(Type.String({ description: 'Of a person who was signed in (`USER`).' })),
})
export type EventSource = Static<typeof EventSource>

/** [SE] */
export const SimpleEvent = Type.Object({
  id: Type.String(),
  type: Type.String(),
  category: OneOf(['ACTION', 'EFFECT']),
  entity_id: Type.String(),
  created_at: Instant,
  group_id: Type.String(),
})
export type SimpleEvent = Static<typeof SimpleEvent>

/** [SC] */
export const SimpleCustomer = Type.Object({
  id: Type.String(),
  name: Nullable(Type.String()),
  email: Nullable(Type.String()),
  source_id: Nullable(Type.String()),
  metadata: Metadata,
  object: Type.Literal('customer'),
})
export type SimpleCustomer = Static<typeof SimpleCustomer>

/** Points of a loyalty card (docs/reference/vouchers.md#loyalty-card). */
export const LoyaltyPoints = Type.Object({
  points: Amount,
  balance: Amount,
  pending_points: Type.Optional(Amount),
  expired_points: Type.Optional(Amount),
  subtracted_points: Type.Optional(Amount),
  next_expiration_date: Type.Optional(CalendarDate),
  next_expiration_points: Type.Optional(Amount),
})

const everyVoucher = {
  id: Type.String(),
  code: Type.String(),
  campaign: Nullable(Type.String()),
  campaign_id: Nullable(Type.String()),
  is_referral_code: Type.Boolean(),
  holder_id: Type.Optional(Type.String()),
  referrer_id: Type.Optional(Type.String()),
  category_id: Nullable(Type.String()),
  categories: Type.Array(Full),
  active: Type.Boolean(),
  created_at: Instant,
  updated_at: Type.Optional(Instant),
  redemption: Type.Object({
    quantity: Nullable(Int()),
    redeemed_quantity: Int(),
    redeemed_points: Type.Optional(Int()),
  }),
  start_date: Nullable(Instant),
  expiration_date: Nullable(Instant),
  metadata: Metadata,
  object: Type.Literal('voucher'),
}

/** [SV] The granted value depends on the type. */
export const SimpleVoucher = variants('type', [
  Type.Object({ ...everyVoucher, type: Type.Literal('DISCOUNT_VOUCHER'), discount: Full }),
  Type.Object({
    ...everyVoucher,
    type: Type.Literal('GIFT_VOUCHER'),
    gift: Type.Object({ amount: Int(), balance: Int(), effect: Type.Optional(Type.String()) }),
  }),
  Type.Object({
    ...everyVoucher,
    type: Type.Literal('LOYALTY_CARD'),
    loyalty_card: LoyaltyPoints,
  }),
])
export type SimpleVoucher = Static<typeof SimpleVoucher>

/** [SCa] */
export const SimpleCampaign = Type.Object({
  id: Type.String(),
  name: Type.String(),
  campaign_type: CampaignType,
  type: OneOf(['AUTO_UPDATE', 'STATIC', 'STANDALONE']),
  is_referral_code: Type.Boolean(),
  // A promotion has no codes, and a standalone campaign no template for them.
  voucher: Type.Optional(
    Type.Object({
      type: VoucherType,
      discount: Type.Optional(Full),
      gift: Type.Optional(Full),
      loyalty_card: Type.Optional(Full),
      redemption: Type.Object({ quantity: Nullable(Int()), redeemed_quantity: Int() }),
      code_config: Type.Optional(Full),
    }),
  ),
  referral_program: Type.Optional(Full),
  auto_join: Type.Boolean(),
  join_once: Type.Boolean(),
  active: Type.Boolean(),
  category_id: Nullable(Type.String()),
  category: Nullable(Type.String()),
  categories: Type.Array(Full),
  metadata: Metadata,
  start_date: Nullable(Instant),
  expiration_date: Nullable(Instant),
  description: Nullable(Type.String()),
  created_at: Instant,
  updated_at: Nullable(Instant),
  object: Type.Literal('campaign'),
})
export type SimpleCampaign = Static<typeof SimpleCampaign>

const { initial_amount: _, ...amounts } = CalculatedOrder.properties

export const SimpleOrderItem = Type.Pick(CalculatedItem, [
  'id',
  'object',
  'source_id',
  'related_object',
  'product_id',
  'sku_id',
  'quantity',
  'discount_quantity',
  'amount',
  'discount_amount',
  'applied_discount_amount',
  'price',
  'subtotal_amount',
])

/** [SO] Unknown amounts and prices are omitted (docs/reference/orders.md#amounts). */
export const SimpleOrder = Type.Object({
  id: Type.String(),
  source_id: Nullable(Type.String()),
  status: OneOf(['CREATED', 'PAID', 'CANCELED', 'FULFILLED']),
  customer_id: Nullable(Type.String()),
  referrer_id: Nullable(Type.String()),
  ...amounts,
  items: Type.Array(SimpleOrderItem),
  created_at: Instant,
  object: Type.Literal('order'),
})
export type SimpleOrder = Static<typeof SimpleOrder>

/** [SPT] */
export const SimplePromotionTier = Type.Object({
  id: Type.String(),
  name: Type.String(),
  banner: Nullable(Type.String()),
  campaign: Reference,
  metadata: Metadata,
})
export type SimplePromotionTier = Static<typeof SimplePromotionTier>

/** [SPS] */
export const SimplePromotionStack = Type.Object({
  id: Type.String(),
  name: Type.String(),
  category_id: Nullable(Type.String()),
  campaign: Reference,
  tiers: Type.Object({ ids: Type.Array(Type.String()), hierarchy_mode: Type.String() }),
})
export type SimplePromotionStack = Static<typeof SimplePromotionStack>

/** [RR] A reward at the time it was given. */
export const SimpleReward = Type.Object({
  id: Type.String(),
  name: Type.String(),
  type: OneOf(['CAMPAIGN', 'COIN', 'MATERIAL']),
  parameters: Full,
  metadata: Metadata,
  customer: Nullable(SimpleCustomer),
  assignment_id: Nullable(Type.String()),
  loyalty_tier_id: Nullable(Type.String()),
  voucher: Nullable(SimpleVoucher),
  product: Nullable(Full),
  sku: Nullable(Full),
  created_at: Instant,
  updated_at: Nullable(Instant),
  object: Type.Literal('reward'),
})
export type SimpleReward = Static<typeof SimpleReward>

/**
 * [SR] Also a rollback. `previous_order` is the order before the redemption (docs/reference/redemptions.md#redemption-object),
 * null for a new one.
 */
export const SimpleRedemption = Type.Object({
  id: Type.String(),
  customer_id: Nullable(Type.String()),
  tracking_id: Type.Optional(Type.String()),
  date: Instant,
  amount: Type.Optional(Int()),
  order: Nullable(SimpleOrder),
  previous_order: Type.Optional(Nullable(SimpleOrder)),
  reward: Type.Optional(SimpleReward),
  customer: Nullable(SimpleCustomer),
  result: OneOf(['SUCCESS', 'FAILURE']),
  status: OneOf(['SUCCEEDED', 'FAILED', 'ROLLED_BACK']),
  voucher: Type.Optional(SimpleVoucher),
  promotion_tier: Type.Optional(SimplePromotionTier),
  redemption: Type.Optional(Type.String()),
  metadata: Nullable(Metadata),
  failure_code: Type.Optional(Type.String()),
  failure_message: Type.Optional(Type.String()),
  reason: Type.Optional(Type.String()),
  channel: Type.Object({ channel_id: Type.String(), channel_type: OneOf(['API', 'AUTO_REDEEM', 'USER']) }),
  object: OneOf(['redemption', 'redemption_rollback']),
})
export type SimpleRedemption = Static<typeof SimpleRedemption>

/** [SS] */
export const SimpleSegment = Type.Object({
  id: Type.String(),
  name: Type.String(),
  object: Type.Literal('segment'),
})
export type SimpleSegment = Static<typeof SimpleSegment>

/** [CE] */
export const CustomEvent = Type.Object({
  id: Type.String(),
  object: Type.Literal('event'),
  type: Type.String(),
  customer: SimpleCustomer,
  referral: Nullable(Type.Object({ referrer_id: Type.String(), code: Type.String(), id: Type.String() })),
  loyalty: Nullable(Type.Object({ code: Type.String() })),
  metadata: Metadata,
  created_at: Instant,
})
export type CustomEvent = Static<typeof CustomEvent>

/** [P] A publication without its voucher. */
export const SimplePublication = Type.Object({
  id: Type.String(),
  object: Type.Literal('publication'),
  created_at: Instant,
  customer_id: Type.String(),
  tracking_id: Type.Optional(Type.String({ description: 'The `source_id` of the customer.' })),
  metadata: Metadata,
  channel: Type.String(),
  source_id: Nullable(Type.String()),
  result: OneOf(['SUCCESS', 'FAILURE']),
  customer: SimpleCustomer,
  vouchers_id: Type.Array(Type.String()),
  vouchers: Type.Optional(
    Type.Array(Type.String(), { description: 'The codes, instead of `voucher`, unless it is exactly one.' }),
  ),
  failure_code: Type.Optional(Type.String()),
  failure_message: Type.Optional(Type.String()),
})
export type SimplePublication = Static<typeof SimplePublication>

const OperationType = OneOf(['MANUAL', 'AUTOMATIC'])

const ofVoucher = {
  related_object: Type.Object({ id: Type.String(), type: Type.Literal('voucher') }),
  object: Type.Literal('balance'),
}

const everyBalance = { ...ofVoucher, total: Int(), balance: Int(), operation_type: Type.Optional(OperationType) }

/** [B] A change and the balance after it: points of a card, or the amount of a gift voucher. */
export const Balance = variants('type', [
  Type.Object({ ...everyBalance, type: Type.Literal('loyalty_card'), points: Int() }),
  Type.Object({ ...everyBalance, type: Type.Literal('gift_voucher'), amount: Int() }),
])
export type Balance = Static<typeof Balance>

/** [PB] `points` is the change, negative on cancel; `total` the pending points after it. */
export const PendingBalance = Type.Object({ ...ofVoucher, points: Int(), total: Int(), operation_type: OperationType })
export type PendingBalance = Static<typeof PendingBalance>

/** [T] */
export const Transaction = Type.Object({
  id: Type.String(),
  source_id: Nullable(Type.String()),
  voucher_id: Type.String(),
  campaign_id: Nullable(Type.String()),
  source: Nullable(Type.String()),
  reason: Nullable(Type.String()),
  type: OneOf([
    'CREDITS_ADDITION',
    'CREDITS_REMOVAL',
    'CREDITS_REDEMPTION',
    'CREDITS_REFUND',
    'POINTS_ACCRUAL',
    'POINTS_ADDITION',
    'POINTS_REMOVAL',
    'POINTS_REDEMPTION',
    'POINTS_REFUND',
    'POINTS_EXPIRATION',
    'POINTS_TRANSFER_IN',
    'POINTS_TRANSFER_OUT',
    'PENDING_POINTS_ACTIVATION',
  ]),
  details: Full,
  related_transaction_id: Nullable(Type.String()),
  created_at: Instant,
})
export type Transaction = Static<typeof Transaction>

/** [PP] */
export const PendingPoints = Type.Object({
  id: Type.String(),
  voucher_id: Type.String(),
  campaign_id: Type.String(),
  customer_id: Type.String(),
  order_id: Type.String(),
  points: Int(),
  activates_at: CalendarDate,
  details: Type.Object({
    loyalty_tier: Type.Optional(NamedReference),
    holder_loyalty_tier: Type.Optional(NamedReference),
    event: Type.Object({ ...SimpleEvent.properties, event_source: EventSource }),
    earning_rule: Type.Object({ id: Type.String(), source: Type.Object({ banner: Type.Optional(Type.String()) }) }),
    order: Type.Object({ id: Type.String(), source_id: Nullable(Type.String()) }),
  }),
  created_at: Instant,
  updated_at: Type.Optional(Instant),
})
export type PendingPoints = Static<typeof PendingPoints>

/** [LB] */
export const PointsBucket = Type.Object({
  id: Type.String(),
  voucher_id: Type.String(),
  campaign_id: Type.String(),
  bucket: Type.Object({ total_points: Int() }),
  status: OneOf(['ACTIVE', 'EXPIRED']),
  expires_at: CalendarDate,
  created_at: Instant,
  updated_at: Type.Optional(Instant),
  object: Type.Literal('loyalty_points_bucket'),
})
export type PointsBucket = Static<typeof PointsBucket>

/** [RH] */
export const SimpleHolder = Type.Object({
  id: Type.String({ description: 'Time-ordered id, `rh_` and 18 hexadecimal digits.' }),
  created_at: Instant,
  redeemable_id: Type.String(),
  redeemable_object: Type.Literal('voucher'),
  campaign_id: Type.String(),
  campaign_type: Type.Literal('REFERRAL_PROGRAM'),
  voucher_type: VoucherType,
  publication_id: Nullable(Type.String()),
  customer_id: Type.String(),
  holder_role: OneOf(['OWNER', 'REFERRER', 'REFEREE']),
  object: Type.Literal('redeemable_holder'),
})
export type SimpleHolder = Static<typeof SimpleHolder>

/** [RRd] */
export const RewardRedemption = Type.Object({
  id: Type.String(),
  state: OneOf(['CREATED', 'PENDING', 'COMPLETED', 'ROLLEDBACK']),
  created_at: Instant,
  updated_at: Nullable(Instant),
  voucher_id: Type.String(),
  campaign_id: Type.String(),
  customer_id: Type.String(),
  reward_assignment_id: Type.String(),
  source_id: Nullable(Type.String()),
  source_type: Nullable(Type.String()),
})
export type RewardRedemption = Static<typeof RewardRedemption>

/** [SER] */
export const SimpleEarningRule = Type.Object({
  id: Type.String(),
  campaign_id: Type.String(),
  validation_rule_id: Nullable(Type.String()),
  parameters: Type.Object({
    event: Type.String(),
    banner: Nullable(Type.String()),
    loyalty: Full,
    segment: Type.Optional(Full),
    loyalty_tier: Type.Optional(Full),
    custom_event: Type.Optional(Full),
  }),
  automation_id: Type.String(),
  active: Type.Boolean(),
  metadata: Metadata,
})
export type SimpleEarningRule = Static<typeof SimpleEarningRule>

/** [SRT] */
export const SimpleReferralTier = Type.Object({
  id: Type.String(),
  campaign_id: Type.String(),
  banner: Nullable(Type.String()),
  parameters: Full,
})
export type SimpleReferralTier = Static<typeof SimpleReferralTier>
