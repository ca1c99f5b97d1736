import type { GeneratedAlways } from 'kysely'
import type { Id } from '../../lib/ids.ts'
import type { Instant } from '../../lib/instant.ts'
import type { NullableJson } from './columns.ts'

/** Redemptions, usage counters and holds: what checkouts write. */
export interface CheckoutTables {
  guards: { project_id: string; name: string; version: number; touched_at: Instant }
  redemptions: RedemptionRow
  usage: UsageRow
  holds: HoldRow
}

/** A redemption or a rollback, including failed ones. */
export interface RedemptionRow {
  project_id: string
  id: Id<'redemption'> | Id<'failed_redemption'> | Id<'rollback'> | Id<'failed_rollback'>
  object: 'redemption' | 'redemption_rollback'
  result: 'SUCCESS' | 'FAILURE'
  status: 'SUCCEEDED' | 'FAILED' | 'ROLLED_BACK'
  related_object_type: 'voucher' | 'promotion_tier' | 'redemption'
  /** Id of the voucher or tier; a parent, and a failure not caused by a single redeemable, has its own id here. */
  related_object_id: string
  campaign_id: Id<'campaign'> | null
  /** The campaign, or the redeemed object if it has none: the key of usage counters. */
  scope_id: GeneratedAlways<string>
  /** The promotion stack of the tier. */
  stack_id: Id<'promotion_stack'> | null
  voucher_code: string | null
  /** The parent redemption or rollback, if the request had several redeemables. */
  parent_id: string | null
  /** The redemption that a rollback undoes. */
  redemption_id: string | null
  customer_id: Id<'customer'> | null
  tracking_id: string | null
  order_id: Id<'order'> | null
  /** Credits or points; negative for a rollback. */
  amount: number | null
  metadata: NullableJson<Record<string, unknown>>
  session_key: string | null
  channel_type: 'API' | 'USER' | 'AUTO_REDEEM'
  channel_id: string
  failure_code: string | null
  failure_message: string | null
  reason: string | null
  reward: NullableJson<object>
  /** The order in the response. */
  order: NullableJson<object>
  /** What the redemption changed, for a rollback (redemptions/undo.ts). */
  undo: NullableJson<object>
  /** The rollback of this redemption. */
  rollback: NullableJson<{ id: string; date: Instant; rollback_order_mode: 'WITH_ORDER' | 'WITHOUT_ORDER' }>
  created_at: Instant
}

/** Usage of a campaign, a tier, or a code without a campaign on one day; the row with the empty id is a sum. */
export interface UsageRow {
  project_id: string
  scope_id: string
  day: string
  is_undone: boolean
  id: string
  redemptions: number
  orders_amount: number
  discounted_amount: number
  credits: number
}

/** A quantity or credits that a session reserves. */
export interface HoldRow {
  project_id: string
  session_key: string
  /** A voucher or a promotion tier. */
  resource_id: string
  quantity: number
  credits: number
  created_at: Instant
  expires_at: Instant
}
