import type { Generated } from 'kysely'
import type { Id } from '../../lib/ids.ts'
import type { Instant } from '../../lib/instant.ts'
import type { Json, MetadataColumn, NullableJson } from './columns.ts'

/** Customers, their custom events and consents, and segments. */
export interface AudienceTables {
  customers: CustomerRow
  custom_events: CustomEventRow
  custom_event_tallies: CustomEventTallyRow
  segments: SegmentRow
  segment_members: { project_id: string; segment_id: Id<'segment'>; customer_id: Id<'customer'> }
  segment_checks: SegmentCheckRow
  consents: ConsentRow
  consent_texts: ConsentTextRow
  consent_groups: ConsentGroupRow
  consent_decisions: ConsentDecisionRow
}

export interface ConsentRow {
  project_id: string
  id: Id<'consent'>
  name: string
  description: string
  category: string
  /** Which of its texts is in force. */
  text_number: number
  created_at: Instant
  updated_at: Instant | null
  deleted_at: Instant | null
}

/** The name and the description of a consent, a new row whenever one of them changes. */
export interface ConsentTextRow {
  project_id: string
  consent_id: Id<'consent'>
  number: number
  name: string
  description: string
  created_at: Instant
}

export interface ConsentGroupRow {
  project_id: string
  id: Id<'consent_group'>
  name: string
  description: string
  /** Ids, also of consents that were deleted since. */
  consents: Json<string[]>
  created_at: Instant
  updated_at: Instant | null
}

/** A change of a customer's mind about one consent. */
export interface ConsentDecisionRow {
  project_id: string
  customer_id: Id<'customer'>
  consent_id: string
  /** Counts up for each customer and consent, whatever the clocks of the nodes say. */
  number: number
  is_given: boolean
  decided_at: Instant
  channel: string
  app_id: string | null
  request_id: string
  /** False if a page only claimed to act for the customer. */
  is_proven: boolean
  /** The text that was in force; null if it is not known. */
  text_number: number | null
}

export interface CustomerRow {
  project_id: string
  id: Id<'customer'>
  source_id: string | null
  name: string | null
  description: string | null
  email: string | null
  phone: string | null
  /** Calendar dates, `1990-03-01`. */
  birthdate: string | null
  birthday: string | null
  address: NullableJson<Record<string, string | null>>
  metadata: MetadataColumn
  system_metadata: Generated<Record<string, unknown>>
  orders_total_amount: Generated<number>
  orders_total_count: Generated<number>
  last_order_amount: number | null
  last_order_date: Instant | null
  redemptions_succeeded: Generated<number>
  redemptions_failed: Generated<number>
  redemptions_rolled_back: Generated<number>
  rollbacks_succeeded: Generated<number>
  rollbacks_failed: Generated<number>
  gift_redeemed_amount: Generated<number>
  gift_amount_to_go: Generated<number>
  redeemed_points: Generated<number>
  loyalty: Generated<CustomerLoyalty>
  referrals: Generated<CustomerReferrals>
  created_at: Instant
  updated_at: Instant | null
  deleted_at: Instant | null
}

export interface CustomerLoyalty {
  points: number
  referred_customers: number
  campaigns: Record<string, { points: number; loyalty_tier?: string; referred_customers: number }>
}

export interface CustomerReferrals {
  total: number
  campaigns: Array<{
    campaign_id: string
    referrer_id: string
    related_object_id: string
    related_object_type: string
    date: Instant
  }>
}

export interface CustomEventRow {
  project_id: string
  id: Id<'custom_event'>
  type: string
  customer_id: Id<'customer'>
  referral: NullableJson<{ code: string; id: string; referrer_id: string }>
  loyalty: NullableJson<{ code: string }>
  metadata: MetadataColumn
  created_at: Instant
}

export interface CustomEventTallyRow {
  project_id: string
  customer_id: Id<'customer'>
  type: string
  count: number
  first_at: Instant
  last_at: Instant
}

export interface SegmentRow {
  project_id: string
  id: Id<'segment'>
  name: string
  type: 'auto-update' | 'passive' | 'static'
  filter: NullableJson<Record<string, unknown>>
  is_day_relative: boolean
  walk_started_at: Instant | null
  walk_is_silent: Generated<boolean>
  walked_to: string | null
  walk_after: string | null
  known_on: string | null
  created_at: Instant
  updated_at: Instant | null
  /** Soft-deleted since then: it is hidden, and a job deletes its members. */
  deleted_at: Instant | null
  config_version: number
}

export interface SegmentCheckRow {
  project_id: string
  customer_id: Id<'customer'>
  request_id: string
  caller: Json
  created_at: Instant
}
