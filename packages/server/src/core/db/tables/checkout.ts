import type { GeneratedAlways } from 'kysely'
import type { Id } from '../../lib/ids.ts'
import type { Instant } from '../../lib/instant.ts'
import type { NullableJson } from './columns.ts'

/** What a checkout leaves behind. */
export interface CheckoutTables {
  guards: { project_id: string; name: string; version: number; touched_at: Instant }
  redemptions: RedemptionRow
  usage: UsageRow
  holds: HoldRow
}

/** A redemption or a rollback, also one that failed. */
export interface RedemptionRow {
  project_id: string
  id: Id<'redemption'> | Id<'failed_redemption'> | Id<'rollback'> | Id<'failed_rollback'>
  object: 'redemption' | 'redemption_rollback'
  result: 'SUCCESS' | 'FAILURE'
  status: 'SUCCEEDED' | 'FAILED' | 'ROLLED_BACK'
  related_object_type: 'voucher' | 'promotion_tier' | 'redemption'
  /** A voucher or a tier; of a parent, and of a failure that concerns no single one, its own id. */
  related_object_id: string
  campaign_id: Id<'campaign'> | null
  /** The campaign, or else what was redeemed: what the counters of campaigns count by. */
  scope_id: GeneratedAlways<string>
  /** The promotion stack that it is part of. */
  stack_id: Id<'promotion_stack'> | null
  voucher_code: string | null
  /** Of one among several: the redemption, or rollback, of them all. */
  parent_id: string | null
  /** Of a rollback: what it undid. */
  redemption_id: string | null
  customer_id: Id<'customer'> | null
  tracking_id: string | null
  order_id: Id<'order'> | null
  /** Credits or points; negative for a rollback. */
  amount: number | null
  metadata: NullableJson<Record<string, unknown>>
  session_key: string | null
  channel_type: 'API' | 'AUTO_REDEEM'
  channel_id: string
  failure_code: string | null
  failure_message: string | null
  reason: string | null
  reward: NullableJson<object>
  /** As the answer showed it. */
  order: NullableJson<object>
  /** What it changed, for a rollback to take back (redemptions/undo.ts). */
  undo: NullableJson<object>
  /** Of a redemption that was rolled back. */
  rollback: NullableJson<{ id: string; date: Instant; rollback_order_mode: 'WITH_ORDER' | 'WITHOUT_ORDER' }>
  created_at: Instant
}

/** What was used of a campaign, a tier, or a code without a campaign on one day; the row with the empty id is a sum. */
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

/** What a session keeps for itself. */
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
