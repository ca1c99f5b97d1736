import type { Discount } from '@guerdon/engine/schema'
import type { Generated } from 'kysely'
import type { Id } from '../../lib/ids.ts'
import type { Instant } from '../../lib/instant.ts'
import type { VoucherType } from './campaigns.ts'
import type { Json, MetadataColumn, NullableJson } from './columns.ts'

/** Codes, their holders, and the ledger of cards. */
export interface CodeTables {
  terms: { project_id: string; id: Id<'terms'>; content: Json<Terms>; created_at: Instant }
  vouchers: VoucherRow
  holders: HolderRow
  publications: PublicationRow
  voucher_transactions: VoucherTransactionRow
  postings: PostingRow
  lots: LotRow
}

/**
 * Properties that many codes share. Dates, quantity and credits differ between codes and are columns of the voucher. The
 * metadata is inherited from the campaign.
 */
export interface Terms {
  discount?: Discount
  /** Effect of a gift card; absent: on the whole order. */
  effect?: 'APPLY_TO_ORDER' | 'APPLY_TO_ITEMS'
  validity_timeframe?: { interval: string; duration: string }
  validity_day_of_week?: number[]
  validity_hours?: { daily: Array<{ start_time: string; expiration_time?: string; days_of_week?: number[] }> }
  metadata?: Record<string, unknown>
}

export interface VoucherRow {
  project_id: string
  id: Id<'voucher'>
  code: string
  /** The unique key: the code, in lower case if the codes of the project are case-insensitive. */
  code_key: string
  type: VoucherType
  campaign_id: Id<'campaign'> | null
  /** May refer to a deleted category, which counts as none. */
  category_id: Id<'category'> | null
  terms_id: Id<'terms'>
  start_date: Instant | null
  expiration_date: Instant | null
  quantity: number | null
  redeemed_quantity: Generated<number>
  /** For cards only, like the other four: money or points. */
  credits_added: number | null
  credits_subtracted: number | null
  credits_redeemed: number | null
  credits_expired: number | null
  credits_pending: number | null
  active: boolean
  additional_info: string | null
  /** Null: the metadata of the terms. */
  metadata: NullableJson<Record<string, unknown>>
  is_referral_code: boolean
  /** Created by a publication. */
  is_automatic: Generated<boolean>
  publish_count: Generated<number>
  holder_id: Id<'customer'> | null
  referrer_id: Id<'customer'> | null
  /** Part of the URLs of its images. */
  asset_id: string
  created_at: Instant
  updated_at: Instant | null
  /** In the bin since then. */
  deleted_at: Instant | null
}

export interface HolderRow {
  project_id: string
  id: Id<'holder'>
  voucher_id: Id<'voucher'>
  customer_id: Id<'customer'>
  campaign_id: Id<'campaign'> | null
  role: 'OWNER' | 'REFERRER' | 'REFEREE'
  publication_id: Id<'publication'> | null
  created_at: Instant
  metadata: NullableJson<Record<string, unknown>>
}

export interface PublicationRow {
  project_id: string
  id: Id<'publication'>
  /** Null: the customer was erased. */
  customer_id: Id<'customer'> | null
  campaign_id: Id<'campaign'> | null
  voucher_ids: string[]
  /** The first of its codes. */
  voucher_code: string | null
  voucher_type: VoucherType | null
  is_referral_code: boolean
  source_id: string | null
  channel: string
  metadata: MetadataColumn
  result: 'SUCCESS' | 'FAILURE'
  failure_code: string | null
  failure_message: string | null
  created_at: Instant
}

export interface VoucherTransactionRow {
  project_id: string
  id: Id<'transaction'>
  voucher_id: Id<'voucher'>
  campaign_id: Id<'campaign'> | null
  type: string
  /** Signed. */
  amount: number
  /** Balance after the transaction. */
  balance: number
  source_id: string | null
  source: string | null
  reason: string | null
  details: Json
  related_transaction_id: Id<'transaction'> | null
  created_at: Instant
}

export interface PostingRow {
  project_id: string
  voucher_id: Id<'voucher'>
  id: Id<'posting'>
  /** Null for the initial value of a card, which is no transaction (docs/reference/balances.md#transaction-object). */
  transaction_id: Id<'transaction'> | null
  /** The card's id, or a system account: `issued`, `redeemed`, `subtracted`, `expired`; `pending` for pending points. */
  source: string
  destination: string
  amount: number
  lot_id: string | null
  expires_at: string | null
  created_at: Instant
}

export interface LotRow {
  project_id: string
  voucher_id: Id<'voucher'>
  id: Id<'points_bucket'>
  points: number
  /** A calendar date; null: never expires. */
  expires_at: string | null
  /** Points that expired with the lot; null: it is still open. */
  expired_points: Generated<number | null>
  created_at: Instant
  updated_at: Instant | null
}
