import type { Generated } from 'kysely'
import type { Id } from '../../lib/ids.ts'
import type { Instant } from '../../lib/instant.ts'
import type { Json, NullableJson } from './columns.ts'

/** The installation, its users, projects and keys. */
export interface InstallationTables {
  organizations: OrganizationRow
  users: UserRow
  projects: ProjectRow
  user_links: UserLinkRow
  user_passwords: { user_id: string; hash: string; set_at: Instant }
  user_second_factors: UserSecondFactorRow
  user_recovery_codes: { user_id: string; code_hash: Buffer }
  user_sessions: UserSessionRow
  sign_in_brakes: { subject: string; failures: number; last_at: Instant; retry_at: Instant }
  project_users: { project_id: string; user_id: string; role: Role }
  brandings: BrandingRow
  api_keys: ApiKeyRow
  management_keys: ManagementKeyRow
  oauth_tokens: OauthTokenRow
}

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
  /** `INVITED` until the user has used a link. */
  state: Generated<UserState>
  created_at: Instant
}

export type UserState = 'INVITED' | 'ACTIVE'

/** A one-time link, of which a user has at most one per purpose. */
export interface UserLinkRow {
  user_id: string
  purpose: UserLinkPurpose
  token_hash: Buffer
  created_at: Instant
  expires_at: Instant
  /** When this link, or one that it replaced, was last mailed. */
  mailed_at: Instant | null
  /** The user who made it by a session and is no owner; null: an owner, a management key or the command line. */
  made_by: Generated<string | null>
}

export type UserLinkPurpose = 'set_password'

export interface UserSecondFactorRow {
  user_id: string
  /** In base 32, as the app of the user has it. */
  secret: string
  /** The time step of the last accepted code. */
  last_step: Generated<number>
  created_at: Instant
  /** Null until the user has sent a first code. */
  confirmed_at: Instant | null
}

/** A browser in which a user is signed in. The cookie has the token of which this is the hash. */
export interface UserSessionRow {
  id: Id<'user_session'>
  token_hash: Buffer
  user_id: string
  created_at: Instant
  last_used_at: Instant
  expires_at: Instant
  user_agent: string
  address: string
}

export interface BrandingRow {
  project_id: string
  id: Id<'branding'>
  details: Json
  created_at: Instant
  updated_at: Instant | null
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
  /** What a customer that a client-side request names without proof is worth (docs/reference/client-side.md#identity). */
  client_identity: Generated<'proven' | 'claimed'>
  /** What a request gets that sends fields or query parameters which its operation does not know. */
  unknown_fields: Generated<'REFUSE' | 'IGNORE'>
  /** Ids or names of campaigns, and codes, that client-side qualifications may list to anybody. */
  client_public_campaigns: Json<string[]>
  client_publish_campaigns: Json<string[]>
  client_public_codes: Json<string[]>
  webhooks_callout_notifications: Json<Record<string, CalloutNotification>>
  api_usage_notifications: Json<Record<string, UsageNotification>>
  case_sensitive_codes: boolean
  api_version: string
  is_sandbox: boolean
  webhook_token: string
  /** The token before it, whose signatures are sent too for a day after `webhook_token_replaced_at`. */
  previous_webhook_token: Generated<string | null>
  webhook_token_replaced_at: Generated<Instant | null>
  /** Secret that encrypts source ids of customers into tracking ids. */
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
