import type { Id } from '../../lib/ids.ts'
import type { Instant } from '../../lib/instant.ts'
import type { Json } from './columns.ts'

/** Referral programs. */
export interface ReferralTables {
  referral_tiers: ReferralTierRow
  referral_conversions: ReferralConversionRow
  referral_grants: { project_id: string; tier_id: string; referrer_id: string; created_at: Instant }
}

export interface ReferralTierRow {
  project_id: string
  id: Id<'referral_tier'>
  campaign_id: Id<'campaign'>
  banner: string | null
  parameters: Json<{ criteria: 'EACH_REFEREE' | 'MIN_REFEREES'; min_referees?: number; segment?: { id: string } }>
  created_at: Instant
  updated_at: Instant | null
  config_version: number
}

export interface ReferralConversionRow {
  project_id: string
  campaign_id: Id<'campaign'>
  referrer_id: Id<'customer'>
  referee_id: Id<'customer'>
  voucher_id: Id<'voucher'>
  related_object_id: string
  related_object_type: 'redemption' | 'event'
  created_at: Instant
  /** When the conversion was rolled back. */
  undone_at: Instant | null
  /** All redemptions and events that ever converted this pair. */
  source_ids: string[]
}
