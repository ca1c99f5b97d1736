import { FreeText, Int, Name, Nullable, OneOf, partial } from '@guerdon/engine/schema'
import { type Static, Type } from 'typebox'
import { limits } from '../../core/lib/limits.ts'
import { listOf } from '../../core/query/list.ts'
import { EmailAddress } from '../fields.ts'

const Flags = {
  client_redeem_enabled: Type.Boolean(),
  client_publish_enabled: Type.Boolean(),
  client_list_vouchers_enabled: Type.Boolean(),
  client_create_customer_enabled: Type.Boolean(),
  client_loyalty_events_enabled: Type.Boolean(),
  client_set_voucher_expiration_date_enabled: Type.Boolean(),
}

const Emails = Type.Array(EmailAddress, { maxItems: limits.mail_recipients_max })

const CalloutNotification = Type.Object({ email: Type.Boolean(), in_app: Type.Boolean(), emails: Emails })
const callouts = { distributions: CalloutNotification, webhooks: CalloutNotification }

const UsageNotification = Type.Object({
  enabled: Type.Boolean(),
  value: Int({ minimum: 10, maximum: 90 }),
  in_app: Type.Boolean(),
  emails: Emails,
})
const usages = {
  messages: UsageNotification,
  api_calls: UsageNotification,
  bulk_api_calls: UsageNotification,
  webhook_calls: UsageNotification,
  cycle_calls: UsageNotification,
}

const CallLimit = Type.Object({
  value: Int({ minimum: 1 }),
  duration: Type.String({ description: 'ISO 8601 duration' }),
})

/** Limits of one project that replace those of the installation. */
export const ProjectLimits = Type.Object({
  api_calls: Type.Optional(Type.Array(CallLimit, { maxItems: 10 })),
  bulk_api_calls: Type.Optional(Type.Array(CallLimit, { maxItems: 10 })),
  campaign_vouchers: Type.Optional(Int({ minimum: 0 })),
  product_collections: Type.Optional(Int({ minimum: 0 })),
  collection_products: Type.Optional(Int({ minimum: 0 })),
  earning_rules: Type.Optional(Int({ minimum: 0 })),
})
export type ProjectLimits = Static<typeof ProjectLimits>

/** The fields that both creation and update may set. */
const settable = {
  name: Name,
  description: FreeText,
  timezone: Type.String({ format: 'timezone', description: 'IANA name, `GMT`, `GMT±H` or `GMT±HH:MM`.' }),
  currency: Type.String({ format: 'currency', description: 'ISO 4217 code in upper case.' }),
  dial_code: Nullable(Type.String({ pattern: '^\\+?[0-9]{1,6}$' })),
  webhook_version: OneOf(['v2024-01-01']),
  client_trusted_domains: Type.Array(Name, { maxItems: limits.trusted_domains_max }),
  ...Flags,
  client_identity: Type.Unsafe<'proven' | 'claimed'>({
    ...OneOf(['proven', 'claimed']),
    description:
      'Whether client-side requests must prove the customer that they name by a tracking id of the server side (beyond the public contract).',
  }),
  client_publish_campaigns: Type.Array(Name, {
    maxItems: limits.public_codes_max,
    description: 'Campaigns, by id or name, whose codes pages may give to a customer (beyond the public contract).',
  }),
  unknown_fields: Type.Unsafe<'REFUSE' | 'IGNORE'>({
    ...OneOf(['REFUSE', 'IGNORE']),
    description:
      'What a request gets that sends fields or query parameters which its operation does not know: a refusal that names them, or an answer whose `warnings` do (beyond the public contract).',
  }),
  client_public_campaigns: Type.Array(Name, {
    maxItems: limits.public_codes_max,
    description: 'Standalone campaigns, by id or name, whose codes anybody may list (beyond the public contract).',
  }),
  client_public_codes: Type.Array(Name, {
    maxItems: limits.public_codes_max,
    description: 'Codes that anybody may list (beyond the public contract).',
  }),
  webhooks_callout_notifications: partial(callouts),
  api_usage_notifications: partial(usages),
}

export const CreateProject = Type.Object({
  ...partial(settable).properties,
  name: settable.name,
  timezone: settable.timezone,
  currency: settable.currency,
  case_sensitive_codes: Type.Boolean(),
  cluster_id: Type.Optional(Type.String()),
  api_version: Type.Optional(OneOf(['v2018-08-01'])),
  users: Type.Optional(
    Type.Array(
      Type.Object({ id: Type.Optional(Type.String()), login: Type.Optional(Type.String()), role: Type.String() }),
      { maxItems: 100 },
    ),
  ),
})
export type CreateProject = Static<typeof CreateProject>

export const UpdateProject = Type.Object({
  ...partial(settable).properties,
  default_code_config: Type.Optional(
    Type.Object({ charset: Nullable(Type.String({ minLength: 1, maxLength: 256, pattern: '^[^\\s\\p{Cc}]+$' })) }),
  ),
})
export type UpdateProject = Static<typeof UpdateProject>

/** A project as the management API returns it. */
export const ProjectView = Type.Object({
  id: Type.String(),
  ...settable,
  webhooks_callout_notifications: Type.Object(callouts),
  api_usage_notifications: Type.Object({
    ...usages,
    redemptions: Type.Object({
      enabled: Type.Boolean(),
      value: Type.Integer(),
      in_app: Type.Boolean(),
      emails: Emails,
    }),
  }),
  cluster_id: Type.String(),
  case_sensitive_codes: Type.Boolean(),
  api_version: OneOf(['v2018-08-01']),
  is_sandbox: Type.Boolean(),
  webhook_token: Type.String(),
  default_code_config: Type.Optional(Type.Object({ charset: Type.String() })),
  limits: Type.Optional(ProjectLimits),
})
export type ProjectView = Static<typeof ProjectView>

const KeyPair = Type.Object({
  app_id: Type.String(),
  app_token: Type.Optional(
    Type.String({ description: 'Shown once: absent when a repeated `Idempotency-Key` is answered.' }),
  ),
})

/** A new project with the two keys that make it usable. */
export const CreatedProject = Type.Object({
  ...ProjectView.properties,
  server_side_key: KeyPair,
  client_side_key: KeyPair,
})
export type CreatedProject = Static<typeof CreatedProject>

export const ProjectList = listOf('data', ProjectView, { total: true })

/** Members of `limits`, or null to restore those of the installation. */
export const LimitsBody = Nullable(ProjectLimits)
