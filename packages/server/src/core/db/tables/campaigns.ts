import type { Discount } from '@guerdon/engine/schema'
import type { Generated } from 'kysely'
import type { Id } from '../../lib/ids.ts'
import type { Instant } from '../../lib/instant.ts'
import type { Json, MetadataColumn, NullableJson, ValidityColumns } from './columns.ts'

/** Campaigns and promotions. */
export interface CampaignTables {
  campaigns: CampaignRow
  promotion_tiers: PromotionTierRow
  promotion_stacks: PromotionStackRow
  campaign_templates: CampaignTemplateRow
}

export type CampaignType = 'DISCOUNT_COUPONS' | 'GIFT_VOUCHERS' | 'LOYALTY_PROGRAM' | 'REFERRAL_PROGRAM' | 'PROMOTION'
export type VoucherType = 'DISCOUNT_VOUCHER' | 'GIFT_VOUCHER' | 'LOYALTY_CARD'
export type CampaignStatus = 'DONE' | 'IN_PROGRESS' | 'FAILED' | 'DRAFT' | 'MODIFYING'

/** How codes are drawn (docs/reference/codes.md#code-configuration), complete. */
export interface CodeConfig {
  length: number
  charset: string
  pattern: string
  prefix?: string
  postfix?: string
}

/** The template for the codes of a campaign. */
export interface CampaignVoucher {
  discount?: Discount
  gift?: { amount: number; effect?: 'APPLY_TO_ORDER' | 'APPLY_TO_ITEMS' }
  loyalty_card?: { points: number; expiration_rules?: object }
  redemption: { quantity: number | null }
  /** Absent if the caller chooses the single code. */
  code_config?: CodeConfig
}

export interface CampaignRow extends ValidityColumns {
  project_id: string
  id: Id<'campaign'>
  name: string
  description: string | null
  campaign_type: CampaignType
  type: 'AUTO_UPDATE' | 'STATIC' | 'STANDALONE'
  /** Null for promotions, as the next two. */
  voucher_type: VoucherType | null
  voucher: NullableJson<CampaignVoucher>
  /** Terms of the codes created from now on. */
  terms_id: Id<'terms'> | null
  referral_program: NullableJson<object>
  loyalty_tiers_expiration: NullableJson<object>
  auto_join: boolean
  join_once: boolean
  use_voucher_metadata_schema: boolean
  start_date: Instant | null
  expiration_date: Instant | null
  activity_duration_after_publishing: string | null
  category_id: Id<'category'> | null
  active: boolean
  metadata: MetadataColumn
  protected: Generated<boolean>
  status: CampaignStatus
  /** Queued and running jobs. */
  jobs_pending: Generated<number>
  /** Codes that these jobs will still create. */
  vouchers_pending: Generated<number>
  created_at: Instant
  updated_at: Instant | null
  /** In the bin since then, or being deleted permanently. */
  deleted_at: Instant | null
  config_version: number
}

export interface PromotionTierRow extends ValidityColumns {
  project_id: string
  id: Id<'promotion_tier'>
  campaign_id: Id<'campaign'>
  name: string
  banner: string | null
  discount: NullableJson<Discount>
  metadata: MetadataColumn
  hierarchy: number
  active: boolean
  start_date: Instant | null
  expiration_date: Instant | null
  category_id: Id<'category'> | null
  created_at: Instant
  updated_at: Instant | null
  config_version: number
}

export interface PromotionStackRow {
  project_id: string
  id: Id<'promotion_stack'>
  campaign_id: Id<'campaign'>
  name: string
  tier_ids: Json<string[]>
  category_id: Id<'category'> | null
  created_at: Instant
  updated_at: Instant | null
  config_version: number
}

export interface CampaignTemplateRow {
  project_id: string
  id: Id<'campaign_template'>
  name: string
  description: string | null
  campaign_type: 'DISCOUNT_COUPONS' | 'GIFT_VOUCHERS'
  content: Json
  created_at: Instant
  updated_at: Instant | null
}
