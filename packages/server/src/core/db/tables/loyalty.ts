import type {
  EarningMapping,
  EarningPoints,
  PendingPoints,
  PointsExpirationRules,
  RewardMapping,
} from '@guerdon/engine/schema'
import type { Generated } from 'kysely'
import type { Id } from '../../lib/ids.ts'
import type { Instant } from '../../lib/instant.ts'
import type { Json, MetadataColumn, NullableJson, ValidityColumns } from './columns.ts'

/** Loyalty programs: earning rules, tiers, rewards and members. */
export interface LoyaltyTables {
  rewards: RewardRow
  reward_assignments: RewardAssignmentRow
  earning_rules: EarningRuleRow
  loyalty_tiers: LoyaltyTierRow
  loyalty_members: LoyaltyMemberRow
  tier_walks: TierWalkRow
  pending_points: PendingPointsRow
  earnings: EarningRow
  reward_redemptions: RewardRedemptionRow
}

export interface RewardRow {
  project_id: string
  id: Id<'reward'>
  name: string
  type: 'CAMPAIGN' | 'COIN' | 'MATERIAL'
  parameters: Json
  stock: number | null
  /** Null until it is first redeemed. */
  redeemed: number | null
  attributes: Json
  metadata: MetadataColumn
  created_at: Instant
  updated_at: Instant | null
  config_version: number
}

export interface RewardAssignmentRow {
  project_id: string
  id: Id<'reward_assignment'>
  reward_id: Id<'reward'>
  related_object_type: 'campaign' | 'referral_tier'
  related_object_id: string
  /** `{}` for COIN. */
  parameters: Json<{ loyalty?: { points: number; auto_redeem?: boolean } }>
  created_at: Instant
  updated_at: Instant | null
  config_version: number
}

export interface EarningRuleRow extends ValidityColumns {
  project_id: string
  id: Id<'earning_rule'>
  campaign_id: Id<'campaign'>
  automation_id: Id<'automation'>
  /** `order.paid`, `customer.segment.entered`, `customer.loyalty.tier.…`, or the name of a custom event. */
  event: string
  segment_id: Id<'segment'> | null
  schema_id: Id<'metadata_schema'> | null
  /** `__ANY__`, or a tier. */
  loyalty_tier_id: string | null
  loyalty: Json<EarningPoints>
  pending_points: NullableJson<PendingPoints>
  expiration_rules: NullableJson<PointsExpirationRules>
  banner: string | null
  active: boolean
  start_date: Instant | null
  expiration_date: Instant | null
  metadata: MetadataColumn
  created_at: Instant
  updated_at: Instant | null
  config_version: number
}

export interface LoyaltyTierRow {
  project_id: string
  id: Id<'loyalty_tier'>
  campaign_id: Id<'campaign'>
  name: string
  /** Both null: unbounded range. */
  points_from: number | null
  points_to: number | null
  /** By id of the earning rule. */
  earning_rules: Json<Record<string, EarningMapping>>
  /** By id of the reward or of its assignment. */
  rewards: Json<Record<string, RewardMapping>>
  metadata: MetadataColumn
  created_at: Instant
  updated_at: Instant | null
  config_version: number
}

/** The holder of a card of a program: tier, and the day of the next due change. */
export interface LoyaltyMemberRow {
  project_id: string
  voucher_id: Id<'voucher'>
  campaign_id: Id<'campaign'>
  customer_id: Id<'customer'>
  tier_id: Id<'loyalty_tier'> | null
  /** Calendar dates, like all dates of this row. */
  tier_start_date: string | null
  tier_expiration_date: string | null
  tier_created_at: Instant | null
  tier_updated_at: Instant | null
  scheduled_tier_id: Id<'loyalty_tier'> | null
  scheduled_start_date: string | null
  /** The day of the last automatic redemption of points, and the number of runs on that day. */
  redeemed_on: string | null
  redeemed_runs: Generated<number>
  /** The next day with a due change; null: none. */
  due_on: string | null
}

/** Progress of the recomputation of all members of a program after a change. */
export interface TierWalkRow {
  project_id: string
  campaign_id: Id<'campaign'>
  changed: 'tiers' | 'settings'
  walked_to: string
  request_id: string
  caller: Json
  started_at: Instant
}

export interface PendingPointsRow {
  project_id: string
  id: Id<'pending_points'>
  voucher_id: Id<'voucher'>
  campaign_id: Id<'campaign'>
  customer_id: Id<'customer'>
  order_id: Id<'order'>
  points: number
  activates_at: string
  /** Rules for the expiration date once the points are active. */
  expiration_rules: NullableJson<PointsExpirationRules>
  details: Json
  status: 'PENDING' | 'ACTIVATED' | 'CANCELED'
  created_at: Instant
  updated_at: Instant | null
}

/** An earning rule gave points for an order on a card. */
export interface EarningRow {
  project_id: string
  order_id: Id<'order'>
  voucher_id: Id<'voucher'>
  earning_rule_id: Id<'earning_rule'>
  created_at: Instant
}

export interface RewardRedemptionRow {
  project_id: string
  id: Id<'reward_redemption'>
  state: 'CREATED' | 'PENDING' | 'COMPLETED' | 'ROLLEDBACK'
  /** The card whose points were spent, or the referral code. */
  voucher_id: Id<'voucher'>
  campaign_id: Id<'campaign'>
  customer_id: Id<'customer'>
  reward_id: Id<'reward'>
  reward_assignment_id: Id<'reward_assignment'>
  source_id: string
  source_type: 'redemption' | 'custom_event'
  /** What was issued, for a rollback. */
  issued: NullableJson<{ voucher_id: string; amount?: number }>
  created_at: Instant
  updated_at: Instant | null
}
