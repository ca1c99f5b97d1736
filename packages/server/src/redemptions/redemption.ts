import type { Selectable } from 'kysely'
import type { RedemptionRow } from '../core/db/tables.ts'
import type {
  SimpleCustomer,
  SimpleOrder,
  SimplePromotionTier,
  SimpleRedemption,
  SimpleReward,
  SimpleVoucher,
} from '../core/events/shapes.ts'
import type { Instant } from '../core/lib/instant.ts'
import type {
  RedeemedReward,
  RedeemedTier,
  RedeemedVoucher,
  Redemption,
  RedemptionOrder,
  RedemptionRollback,
} from './schema.ts'

export type StoredRedemption = Omit<Selectable<RedemptionRow>, 'scope_id'>

/** `undo` is never shown. */
type VisibleColumns = Omit<StoredRedemption, 'undo'>

/** The related objects that a redemption shows; null if it has none, or if it was deleted. */
export interface RedemptionParts {
  customer: SimpleCustomer | null
  voucher: RedeemedVoucher | null
  promotion_tier: RedeemedTier | null
}

/**
 * A redemption as responses show it (docs/reference/redemptions.md#redemption-object). Only read operations (`in_get`) show how
 * its order was rolled back.
 */
export function toRedemption(
  row: VisibleColumns,
  parts: RedemptionParts,
  { in_get = false }: { in_get?: boolean } = {},
): Redemption {
  const { parent_id, session_key, rollback } = row
  return {
    ...common(row, parts),
    object: 'redemption',
    status: row.status,
    ...(parent_id === null ? {} : { redemption: parent_id }),
    ...(session_key === null ? {} : { session: { key: session_key } }),
    ...(rollback === null
      ? {}
      : {
          related_redemptions: {
            rollbacks: [rollbackOf(rollback, in_get)],
            redemptions: [{ id: row.id, date: row.created_at }],
          },
        }),
  }
}

/**
 * A rollback as responses show it (docs/reference/rollbacks.md#rollback-object). It refers to the redemption it rolled back, even
 * if it failed because there was nothing left to undo.
 */
export function toRollback(
  row: VisibleColumns,
  { undone, ...parts }: RedemptionParts & { undone: { id: string; date: Instant } | null },
): RedemptionRollback {
  const { redemption_id, reason } = row
  return {
    ...common(row, parts),
    object: 'redemption_rollback',
    status: row.status === 'FAILED' ? 'FAILED' : 'SUCCEEDED',
    ...(redemption_id === null ? {} : { redemption: redemption_id }),
    ...(reason === null ? {} : { reason }),
    ...(undone === null ? {} : { related_redemptions: { redemptions: [{ id: undone.id, date: undone.date }] } }),
  }
}

/** [SR], the event form of a redemption or a rollback. */
export function toSimpleRedemption(row: VisibleColumns, parts: SimpleRedemptionParts): SimpleRedemption {
  const { tracking_id, amount, reward, failure_code, failure_message, reason } = row
  const { customer, voucher, promotion_tier, order, previous_order } = parts
  const relatedId = row.object === 'redemption' ? row.parent_id : row.redemption_id
  return {
    id: row.id,
    customer_id: row.customer_id,
    ...(tracking_id === null ? {} : { tracking_id }),
    date: row.created_at,
    ...(amount === null ? {} : { amount }),
    order,
    ...(previous_order === undefined ? {} : { previous_order }),
    ...(reward === null ? {} : { reward: { voucher: null, product: null, sku: null, ...reward } as SimpleReward }),
    customer,
    result: row.result,
    status: row.status,
    ...(voucher === null ? {} : { voucher }),
    ...(promotion_tier === null ? {} : { promotion_tier }),
    ...(relatedId === null ? {} : { redemption: relatedId }),
    metadata: row.metadata,
    ...(failure_code === null ? {} : { failure_code }),
    ...(failure_message === null ? {} : { failure_message }),
    ...(reason === null ? {} : { reason }),
    channel: channelOf(row),
    object: row.object,
  }
}

export interface SimpleRedemptionParts {
  customer: SimpleCustomer | null
  voucher: SimpleVoucher | null
  promotion_tier: SimplePromotionTier | null
  order: SimpleOrder | null
  previous_order?: SimpleOrder | null
}

function common(row: VisibleColumns, { customer, voucher, promotion_tier }: RedemptionParts) {
  const { amount, reward, failure_code, failure_message } = row
  return {
    id: row.id,
    date: row.created_at,
    customer_id: row.customer_id,
    tracking_id: row.tracking_id,
    metadata: row.metadata,
    ...(amount === null ? {} : creditsOf(amount, voucher)),
    result: row.result,
    ...(failure_code === null ? {} : { failure_code }),
    ...(failure_message === null ? {} : { failure_message }),
    // Redemptions of release 0.1.0 are stored without empty metadata.
    order: row.order && ({ metadata: {}, ...row.order } as RedemptionOrder),
    channel: channelOf(row),
    customer,
    related_object_type: row.related_object_type,
    related_object_id: row.related_object_id,
    voucher,
    ...(promotion_tier === null ? {} : { promotion_tier }),
    ...(reward === null ? {} : { reward: reward as RedeemedReward }),
  }
}

const creditsOf = (amount: number, voucher: RedeemedVoucher | null) => ({
  amount,
  ...(voucher?.type === 'GIFT_VOUCHER' ? { gift: { amount } } : {}),
  ...(voucher?.type === 'LOYALTY_CARD' ? { loyalty_card: { points: amount } } : {}),
})

const channelOf = ({ channel_id, channel_type }: VisibleColumns) => ({ channel_id, channel_type })

function rollbackOf({ id, date, rollback_order_mode }: NonNullable<StoredRedemption['rollback']>, inGet: boolean) {
  return { id, date, ...(inGet ? { rollback_order_mode } : {}) }
}
