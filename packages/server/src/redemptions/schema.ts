import { Amount, CoveredEntries, Instant, Int, Metadata, Nullable, OneOf, variants } from '@guerdon/engine/schema'
import { type Static, Type } from 'typebox'
import { CategoryInResult } from '../checkout/decision/schema.ts'
import { Full, SimpleCustomer, SimpleReward } from '../core/events/shapes.ts'
import { limits } from '../core/lib/limits.ts'
import { DateQuery, FilterQuery, listOf, PageQuery } from '../core/query/list.ts'
import { PromotionTier } from '../incentives/promotions/schema.ts'
import { Voucher } from '../incentives/vouchers/schema.ts'
import { Order } from '../orders/schema.ts'

const { status, customer_id, referrer_id, created_at, updated_at, ...everyOrder } = Order.properties

/**
 * The order after a redemption. One of several redemptions shows only the amounts right after it
 * (docs/reference/redemptions.md#answer).
 */
export const RedemptionOrder = Type.Object({
  ...everyOrder,
  status: Type.Optional(status),
  customer_id: Type.Optional(customer_id),
  referrer_id: Type.Optional(referrer_id),
  created_at: Type.Optional(created_at),
  updated_at: Type.Optional(updated_at),
})
export type RedemptionOrder = Static<typeof RedemptionOrder>

/** With `expand` category: with its role in the stacking rules. */
const RedeemedCategory = Type.Object({ ...CategoryInResult.properties })

/**
 * A voucher with its rules. Only the redemption of a single voucher shows what it applies to
 * (docs/reference/validations.md#one-voucher).
 */
export const RedeemedVoucher = Type.Object({
  ...Voucher.properties,
  categories: Type.Array(RedeemedCategory),
  holder: Type.Optional(SimpleCustomer),
  applicable_to: Type.Optional(CoveredEntries),
  inapplicable_to: Type.Optional(CoveredEntries),
})
export type RedeemedVoucher = Static<typeof RedeemedVoucher>

export const RedeemedTier = Type.Object({
  ...PromotionTier.properties,
  categories: Type.Array(RedeemedCategory),
})
export type RedeemedTier = Static<typeof RedeemedTier>

/** The reward that points were redeemed for. */
export const RedeemedReward = Type.Object({
  ...SimpleReward.properties,
  ...Type.Partial(Type.Pick(SimpleReward, ['customer', 'assignment_id', 'loyalty_tier_id', 'product', 'sku']))
    .properties,
  voucher: Type.Optional(Nullable(Full)),
})
export type RedeemedReward = Static<typeof RedeemedReward>

const Mention = { id: Type.String(), date: Instant }

/**
 * The properties that redemptions and rollbacks share (docs/reference/redemptions.md#redemption-object and
 * docs/reference/rollbacks.md#rollback-object).
 */
const common = {
  id: Type.String(),
  date: Instant,
  customer_id: Nullable(Type.String()),
  tracking_id: Nullable(Type.String()),
  metadata: Nullable(Metadata),
  result: OneOf(['SUCCESS', 'FAILURE']),
  failure_code: Type.Optional(Type.String()),
  failure_message: Type.Optional(Type.String()),
  order: Nullable(RedemptionOrder),
  channel: Type.Object({
    channel_id: Type.String({
      description:
        'The application id of the key, the id of the user who was signed in, or the assignment of the reward.',
    }),
    channel_type: OneOf(['API', 'USER', 'AUTO_REDEEM']),
  }),
  customer: Nullable(SimpleCustomer),
  related_object_type: OneOf(['voucher', 'promotion_tier', 'redemption']),
  related_object_id: Type.String({ description: 'Of what was redeemed; of several together, their own id.' }),
  voucher: Nullable(RedeemedVoucher),
  promotion_tier: Type.Optional(RedeemedTier),
  reward: Type.Optional(RedeemedReward),
}

export const Redemption = Type.Object({
  ...common,
  object: Type.Literal('redemption'),
  status: OneOf(['SUCCEEDED', 'FAILED', 'ROLLED_BACK']),
  amount: Type.Optional(Amount),
  redemption: Type.Optional(Type.String({ description: 'Of one among several: the redemption of them all.' })),
  session: Type.Optional(Type.Object({ key: Type.String() })),
  related_redemptions: Type.Optional(
    Type.Object({
      rollbacks: Type.Array(
        Type.Object({ ...Mention, rollback_order_mode: Type.Optional(OneOf(['WITH_ORDER', 'WITHOUT_ORDER'])) }),
      ),
      redemptions: Type.Array(Type.Object(Mention)),
    }),
  ),
  gift: Type.Optional(Type.Object({ amount: Amount })),
  loyalty_card: Type.Optional(Type.Object({ points: Amount })),
})
export type Redemption = Static<typeof Redemption>

/** The credits or points that were refunded. */
const Returned = Int({ maximum: 0 })

export const RedemptionRollback = Type.Object({
  ...common,
  object: Type.Literal('redemption_rollback'),
  status: OneOf(['SUCCEEDED', 'FAILED']),
  amount: Type.Optional(Returned),
  redemption: Type.Optional(Type.String({ description: 'What was undone.' })),
  reason: Type.Optional(Type.String()),
  related_redemptions: Type.Optional(Type.Object({ redemptions: Type.Array(Type.Object(Mention)) })),
  gift: Type.Optional(Type.Object({ amount: Returned })),
  loyalty_card: Type.Optional(Type.Object({ points: Returned })),
})
export type RedemptionRollback = Static<typeof RedemptionRollback>

/** A redemption or a rollback. */
export const RedemptionEntry = variants('object', [Redemption, RedemptionRollback])
export type RedemptionEntry = Static<typeof RedemptionEntry>

export const RedemptionList = listOf('redemptions', RedemptionEntry, { total: true })

export const RedemptionQuery = Type.Object({
  ...PageQuery({
    order: [
      '-created_at',
      'created_at',
      'id',
      '-id',
      'voucher_code',
      '-voucher_code',
      'tracking_id',
      '-tracking_id',
      'customer_id',
      '-customer_id',
    ],
  }),
  created_at: DateQuery.created_at,
  result: Type.Optional(Type.Array(common.result, { maxItems: limits.filter_values_max, description: 'Any of them.' })),
  campaign: Type.Optional(Type.String({ description: 'Name of a campaign.' })),
  customer: Type.Optional(Type.String({ description: 'Id or source id.' })),
  ...FilterQuery,
})
export type RedemptionQuery = Static<typeof RedemptionQuery>

/** The redemptions of one voucher. */
export const VoucherRedemptions = Type.Object({
  quantity: Nullable(Int()),
  redeemed_quantity: Int({ minimum: 0 }),
  redeemed_amount: Type.Optional(Amount),
  redeemed_points: Type.Optional(Amount),
  object: Type.Literal('list'),
  url: Type.String(),
  data_ref: Type.Literal('redemption_entries'),
  total: Int({ minimum: 0 }),
  redemption_entries: Type.Array(RedemptionEntry),
})
export type VoucherRedemptions = Static<typeof VoucherRedemptions>

export const VoucherRedemptionQuery = Type.Object(PageQuery({ order: ['-created_at', 'created_at'] }))
export type VoucherRedemptionQuery = Static<typeof VoucherRedemptionQuery>
