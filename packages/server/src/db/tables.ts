import type {
  Discount,
  EarningMapping,
  EarningPoints,
  PendingPoints,
  PointsExpirationRules,
  RewardMapping,
} from '@guerdon/engine/schema'
import type { ColumnType, Generated, GeneratedAlways, JSONColumnType } from 'kysely'
import type { Id } from '../lib/ids.ts'
import type { Instant } from '../lib/instant.ts'

/** The columns of every table, as the driver returns them: instants as ISO strings, `bigint` as number, `jsonb` parsed. */
export interface Tables {
  organizations: OrganizationRow
  users: UserRow
  projects: ProjectRow
  project_users: { project_id: string; user_id: string; role: string }
  api_keys: ApiKeyRow
  management_keys: ManagementKeyRow
  oauth_tokens: OauthTokenRow
  idempotency_keys: IdempotencyKeyRow
  call_windows: CallWindowRow
  categories: CategoryRow
  stacking_rules: StackingRulesRow
  configuration_deletions: { project_id: string; config_version: number; object_type: string; object_id: string }
  terms: { project_id: string; id: Id<'terms'>; content: Json<Terms>; created_at: Instant }
  guards: { project_id: string; name: string; version: number; touched_at: Instant }
  events: EventRow
  async_actions: AsyncActionRow
  async_failures: { project_id: string; action_id: string; position: number; failure: Json }
  tallies: { project_id: string; name: string; id: string; delta: number }
  files: FileRow
  file_chunks: { project_id: string; file_id: string; start: number; bytes: Buffer }
  exports: ExportRow
  metadata_schemas: MetadataSchemaRow
  custom_event_schemas: CustomEventSchemaRow
  customers: CustomerRow
  custom_events: CustomEventRow
  custom_event_tallies: CustomEventTallyRow
  segments: SegmentRow
  segment_members: { project_id: string; segment_id: Id<'segment'>; customer_id: Id<'customer'> }
  segment_checks: SegmentCheckRow
  products: ProductRow
  skus: SkuRow
  product_collections: ProductCollectionRow
  orders: OrderRow
  validation_rules: ValidationRuleRow
  rule_assignments: RuleAssignmentRow
  locations: LocationRow
  campaigns: CampaignRow
  vouchers: VoucherRow
  holders: HolderRow
  publications: PublicationRow
  voucher_transactions: VoucherTransactionRow
  postings: PostingRow
  lots: LotRow
  promotion_tiers: PromotionTierRow
  promotion_stacks: PromotionStackRow
  campaign_templates: CampaignTemplateRow
  bin_entries: BinEntryRow
  redemptions: RedemptionRow
  usage: UsageRow
  holds: HoldRow
  rewards: RewardRow
  reward_assignments: RewardAssignmentRow
  earning_rules: EarningRuleRow
  loyalty_tiers: LoyaltyTierRow
  referral_tiers: ReferralTierRow
  loyalty_members: LoyaltyMemberRow
  tier_walks: TierWalkRow
  pending_points: PendingPointsRow
  earnings: EarningRow
  reward_redemptions: RewardRedemptionRow
  referral_conversions: ReferralConversionRow
  referral_grants: { project_id: string; tier_id: string; referrer_id: string; created_at: Instant }
}

/** A `jsonb` column: read as a value, written as JSON text. */
export type Json<T extends object | null = object> = JSONColumnType<T & object, string, string>

/** A nullable `jsonb` column. */
export type NullableJson<T extends object> = ColumnType<T | null, string | null | undefined, string | null>

export interface OrganizationRow {
  id: Id<'organization'>
  name: string
  created_at: Instant
}

export interface UserRow {
  id: Id<'user'>
  login: string
  email: string
  first_name: string
  last_name: string
  is_owner: boolean
  created_at: Instant
}

export interface ProjectRow {
  id: Id<'project'>
  name: string
  description: string
  timezone: string
  currency: string
  dial_code: string | null
  webhook_version: string
  client_trusted_domains: Json<string[]>
  client_redeem_enabled: boolean
  client_publish_enabled: boolean
  client_list_vouchers_enabled: boolean
  client_create_customer_enabled: boolean
  client_loyalty_events_enabled: boolean
  client_set_voucher_expiration_date_enabled: boolean
  webhooks_callout_notifications: Json<Record<string, CalloutNotification>>
  api_usage_notifications: Json<Record<string, UsageNotification>>
  case_sensitive_codes: boolean
  api_version: string
  is_sandbox: boolean
  webhook_token: string
  /** What tracking tokens are made with. */
  tracking_secret: Generated<string>
  default_code_config: NullableJson<{ charset: string }>
  limits: NullableJson<ProjectLimits>
  config_version: Generated<number>
  created_at: Instant
  deleted_at: Instant | null
}

export interface CalloutNotification {
  email: boolean
  in_app: boolean
  emails: string[]
}

export interface UsageNotification {
  enabled: boolean
  value: number
  in_app: boolean
  emails: string[]
}

export interface CallLimit {
  value: number
  /** ISO 8601 duration. */
  duration: string
}

export interface ProjectLimits {
  api_calls?: CallLimit[]
  bulk_api_calls?: CallLimit[]
  campaign_vouchers?: number
  product_collections?: number
  collection_products?: number
  earning_rules?: number
}

export type Role = 'ADMIN' | 'USER' | 'VIEWER' | 'MERCHANT' | 'USER_RESTRICTED'
export type KeyKind = 'server' | 'integration' | 'client'
export type KeyStatus = 'ACTIVE' | 'BLOCKED'

export interface ApiKeyRow {
  id: Id<'api_key'>
  project_id: string
  name: string
  kind: KeyKind
  role: Role
  app_id: string
  secret_hash: Buffer
  client_id: string
  ip_whitelist: Json<string[]>
  status: KeyStatus
  is_primary: boolean
  created_at: Instant
}

export interface ManagementKeyRow {
  id: Id<'api_key'>
  name: string
  app_id: string
  secret_hash: Buffer
  ip_whitelist: Json<string[]>
  status: KeyStatus
  created_at: Instant
}

export interface OauthTokenRow {
  token_hash: Buffer
  project_id: string
  api_key_id: Id<'api_key'>
  scope: string
  created_at: Instant
  expires_at: Instant
}

export interface IdempotencyKeyRow {
  project_id: string
  key: string
  fingerprint: Buffer
  /** Null while the first request is running: no other transaction ever sees that. */
  status: number | null
  body: string | null
  expires_at: Instant
}

export interface CallWindowRow {
  project_id: string
  kind: string
  seconds: number
  starts_at: Instant
  calls: number
  calls_max: number
}

export interface CategoryRow {
  project_id: string
  id: Id<'category'>
  name: string
  hierarchy: number
  created_at: Instant
  updated_at: Instant | null
  config_version: number
}

export interface StackingRulesRow {
  project_id: string
  id: Id<'stacking_rules'>
  rules: Json
  created_at: Instant
  updated_at: Instant | null
  config_version: number
}

export interface EventRow {
  project_id: string
  id: string
  type: string
  category: 'ACTION' | 'EFFECT'
  entity_id: string
  created_at: Instant
  group_id: string
  event_source: Json
  data: Json
}

export interface AsyncActionRow {
  project_id: string
  id: Id<'async_action'>
  type: string
  status: 'ENQUEUED' | 'IN_PROGRESS' | 'DONE' | 'FAILED'
  operation_status: 'UNKNOWN' | 'SUCCESS' | 'FAILED'
  created_at: Instant
  updated_at: Instant
  request_id: string
  event_source: Json
  processing_time: number | null
  progress: number
  input: Json
  state: Json
  result: NullableJson<object>
}

/** Custom key/value pairs, as they are stored. */
type MetadataColumn = Json<Record<string, unknown>>

export interface FileRow {
  project_id: string
  id: Id<'file'>
  /** Null while only jobs may read it. */
  token_hash: Buffer | null
  size: Generated<number>
  created_at: Instant
  expires_at: Instant | null
}

export interface ExportRow {
  project_id: string
  id: Id<'export'>
  exported_object: string
  parameters: Json
  status: 'SCHEDULED' | 'IN_PROGRESS' | 'DONE' | 'ERROR'
  /** How far its job came. */
  state: ColumnType<object, string | undefined, string>
  file_id: Id<'file'>
  token: string
  created_at: Instant
}

export interface MetadataSchemaRow {
  project_id: string
  id: Id<'metadata_schema'>
  related_object: string
  properties: Json
  allow_defined_only: boolean | null
  created_at: Instant
  updated_at: Instant | null
  config_version: number
}

export interface CustomEventSchemaRow {
  project_id: string
  id: Id<'metadata_schema'>
  name: string
  schema: Json
  created_at: Instant
  updated_at: Instant | null
  config_version: number
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
  /** Its members are being deleted since then; nobody sees it any more. */
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

export interface ProductRow {
  project_id: string
  id: Id<'product'>
  source_id: string | null
  name: string | null
  price: number | null
  attributes: Json<string[]>
  metadata: MetadataColumn
  image_url: string | null
  created_at: Instant
  updated_at: Instant | null
  /** In the bin since then. */
  deleted_at: Instant | null
}

export interface SkuRow {
  project_id: string
  id: Id<'sku'>
  product_id: Id<'product'>
  source_id: string | null
  sku: string | null
  price: number | null
  currency: string | null
  attributes: Json<Record<string, unknown>>
  metadata: MetadataColumn
  image_url: string | null
  created_at: Instant
  updated_at: Instant | null
  deleted_at: Instant | null
}

export interface ProductCollectionRow {
  project_id: string
  id: Id<'products_collection'>
  name: string
  type: 'STATIC' | 'AUTO_UPDATE'
  filter: NullableJson<Record<string, unknown>>
  products: NullableJson<Array<{ id: string; object: 'product' | 'sku'; product_id?: string }>>
  created_at: Instant
  updated_at: Instant | null
  config_version: number
}

export type OrderStatus = 'CREATED' | 'PAID' | 'CANCELED' | 'FULFILLED'

export interface OrderRow {
  project_id: string
  id: Id<'order'>
  source_id: string | null
  status: OrderStatus
  amount: number | null
  initial_amount: number | null
  discount_amount: Generated<number>
  items_discount_amount: Generated<number>
  total_discount_amount: GeneratedAlways<number>
  total_amount: GeneratedAlways<number | null>
  items: Json<object[]>
  metadata: MetadataColumn
  customer_id: Id<'customer'> | null
  referrer_id: Id<'customer'> | null
  redemptions: NullableJson<Record<string, unknown>>
  /** Goods that redemptions of it discounted, and how many of them did. */
  discounted_goods: NullableJson<Record<string, number>>
  created_at: Instant
  updated_at: Instant | null
}

export interface ValidationRuleRow {
  project_id: string
  id: Id<'validation_rule'>
  name: string
  type: string
  context_type: string
  rules: Json
  bundle_rules: NullableJson<object>
  applicable_to: Json
  error: NullableJson<{ message: string }>
  /** Groups of numbers of the past that it compares (validation-rules/counted.ts). */
  counters: Generated<string[]>
  created_at: Instant
  updated_at: Instant | null
  config_version: number
}

export interface RuleAssignmentRow {
  project_id: string
  id: Id<'rule_assignment'>
  rule_id: Id<'validation_rule'>
  related_object_type: string
  related_object_id: string
  created_at: Instant
  updated_at: Instant | null
  config_version: number
}

export interface LocationRow {
  project_id: string
  id: Id<'location'>
  name: string
  shape: Json
  created_at: Instant
  updated_at: Instant | null
  config_version: number
}

/** When something holds, beyond its two dates (spec 03, section 2). */
export interface ValidityColumns {
  validity_timeframe: NullableJson<{ interval: string; duration: string }>
  validity_day_of_week: NullableJson<number[]>
  validity_hours: NullableJson<{
    daily: Array<{ start_time: string; expiration_time: string; days_of_week?: number[] }>
  }>
}

/**
 * What codes have in common. Dates, quantity and credits differ from code to code and are columns of it. Metadata are
 * those that a campaign hands down to its codes.
 */
export interface Terms {
  discount?: Discount
  /** Of a gift card; missing means the whole order. */
  effect?: 'APPLY_TO_ORDER' | 'APPLY_TO_ITEMS'
  validity_timeframe?: { interval: string; duration: string }
  validity_day_of_week?: number[]
  validity_hours?: { daily: Array<{ start_time: string; expiration_time: string; days_of_week?: number[] }> }
  metadata?: Record<string, unknown>
}

export type CampaignType = 'DISCOUNT_COUPONS' | 'GIFT_VOUCHERS' | 'LOYALTY_PROGRAM' | 'REFERRAL_PROGRAM' | 'PROMOTION'
export type VoucherType = 'DISCOUNT_VOUCHER' | 'GIFT_VOUCHER' | 'LOYALTY_CARD'
export type CampaignStatus = 'DONE' | 'IN_PROGRESS' | 'FAILED' | 'DRAFT' | 'MODIFYING'

/** How codes are drawn (spec 03, 3.1), complete. */
export interface CodeConfig {
  length: number
  charset: string
  pattern: string
  prefix?: string
  postfix?: string
}

/** What the codes of a campaign are like. */
export interface CampaignVoucher {
  discount?: Discount
  gift?: { amount: number; effect?: 'APPLY_TO_ORDER' | 'APPLY_TO_ITEMS' }
  loyalty_card?: { points: number; expiration_rules?: object }
  redemption: { quantity: number | null }
  /** Absent where the caller gives the one code. */
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
  /** Of the codes it makes from now on. */
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
  /** Jobs that are waiting or running. */
  jobs_pending: Generated<number>
  /** Codes that they will still make. */
  vouchers_pending: Generated<number>
  created_at: Instant
  updated_at: Instant | null
  /** In the bin since then, or being deleted for good. */
  deleted_at: Instant | null
  config_version: number
}

export interface VoucherRow {
  project_id: string
  id: Id<'voucher'>
  code: string
  /** What makes it unique: the code itself, in lower case where the project makes no difference. */
  code_key: string
  type: VoucherType
  campaign_id: Id<'campaign'> | null
  /** May name a category that is gone, which is as good as none. */
  category_id: Id<'category'> | null
  terms_id: Id<'terms'>
  start_date: Instant | null
  expiration_date: Instant | null
  quantity: number | null
  redeemed_quantity: Generated<number>
  /** Of cards only, as the other four: money or points. */
  credits_added: number | null
  credits_subtracted: number | null
  credits_redeemed: number | null
  credits_expired: number | null
  credits_pending: number | null
  active: boolean
  additional_info: string | null
  /** Null: those of the terms. */
  metadata: NullableJson<Record<string, unknown>>
  is_referral_code: boolean
  /** Made by a publication. */
  is_automatic: Generated<boolean>
  publish_count: Generated<number>
  holder_id: Id<'customer'> | null
  referrer_id: Id<'customer'> | null
  /** In the addresses of its images. */
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
  /** Null: whoever it was is erased. */
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
  /** After it. */
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
  /** Null for the initial value of a card, which is no transaction (spec 03, 6.2). */
  transaction_id: Id<'transaction'> | null
  /** The card's id, or a house: `issued`, `redeemed`, `subtracted`, `expired`; `pending` for points that wait. */
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
  /** A calendar date; null: never. */
  expires_at: string | null
  /** What it lost when its day was over; null: it is still open. */
  expired_points: Generated<number | null>
  created_at: Instant
  updated_at: Instant | null
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

export interface BinEntryRow {
  project_id: string
  id: Id<'bin_entry'>
  resource_type: 'campaign' | 'voucher' | 'product' | 'sku'
  resource_id: string
  resource_name: string | null
  resource_parent_id: string | null
  created_at: Instant
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
  /** Both null: the open range. */
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

/** Whoever holds a card of a program: the tier, and when time changes something of it next. */
export interface LoyaltyMemberRow {
  project_id: string
  voucher_id: Id<'voucher'>
  campaign_id: Id<'campaign'>
  customer_id: Id<'customer'>
  tier_id: Id<'loyalty_tier'> | null
  /** Calendar dates, as all of them here. */
  tier_start_date: string | null
  tier_expiration_date: string | null
  tier_created_at: Instant | null
  tier_updated_at: Instant | null
  scheduled_tier_id: Id<'loyalty_tier'> | null
  scheduled_start_date: string | null
  /** The day on which points were last redeemed automatically, and how often that day. */
  redeemed_on: string | null
  redeemed_runs: Generated<number>
  /** The next day on which something is due; null: none. */
  due_on: string | null
}

/** Members who have still to be looked at because their program changed. */
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
  /** By which they will be dated. */
  expiration_rules: NullableJson<PointsExpirationRules>
  details: Json
  status: 'PENDING' | 'ACTIVATED' | 'CANCELED'
  created_at: Instant
  updated_at: Instant | null
}

/** A rule has paid for an order on a card. */
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
  /** The card that paid, or the referral code. */
  voucher_id: Id<'voucher'>
  campaign_id: Id<'campaign'>
  customer_id: Id<'customer'>
  reward_id: Id<'reward'>
  reward_assignment_id: Id<'reward_assignment'>
  source_id: string
  source_type: 'redemption' | 'custom_event'
  /** What was issued, for a rollback to take back. */
  issued: NullableJson<{ voucher_id: string; amount?: number }>
  created_at: Instant
  updated_at: Instant | null
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
  /** What converted was rolled back. */
  undone_at: Instant | null
  /** All that ever converted the two. */
  source_ids: string[]
}
