import type { ColumnType, Generated, JSONColumnType } from 'kysely'
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
  terms: { project_id: string; id: Id<'terms'>; content: Json; created_at: Instant }
  counters: { project_id: string; name: string; used: number; ceiling: number | null }
  events: EventRow
  async_actions: AsyncActionRow
  async_failures: { project_id: string; action_id: string; position: number; failure: Json }
}

/** A `jsonb` column: read as a value, written as JSON text. */
export type Json<T extends object | null = object> = JSONColumnType<T & object, string, string>

/** A nullable `jsonb` column. */
type NullableJson<T extends object> = ColumnType<T | null, string | null | undefined, string | null>

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
