import type { Updateable } from 'kysely'
import { Clean } from 'typebox/value'
import type { Ctx } from '../../core/context.ts'
import type { Project } from '../../core/db/project-row.ts'
import type { ProjectRow } from '../../core/db/tables.ts'
import { invalidPayload } from '../../core/http/errors.ts'
import { newSecret } from '../../core/http/secrets.ts'
import { durationSeconds } from '../../core/lib/call-limits.ts'
import { announceCredentialChange } from '../credential-change.ts'
import { ProjectLimits, UpdateProject } from './schema.ts'
import { getProjectForUpdate, updateProject } from './store.ts'

/** Updates the sent fields; they apply to the next request on every node. */
export async function changeProject(ctx: Ctx, sent: UpdateProject): Promise<Project> {
  const body = Clean(UpdateProject, sent) as UpdateProject // unknown fields inside JSON columns must not be stored
  const before = await getProjectForUpdate(ctx, ctx.project_id)
  const updated = await updateProject(ctx, before.id, { ...plainChanges(body), ...nestedChanges(before, body) })
  if (updated.timezone !== before.timezone) await ctx.reactions.timezoneChanged({ ...ctx, project: updated })
  await announceCredentialChange(ctx)
  return updated
}

/** Sets the limits of the project; null restores those of the installation. */
export async function changeLimits(ctx: Ctx, sent: ProjectLimits | null): Promise<Project> {
  const limits = sent === null ? null : (Clean(ProjectLimits, sent) as ProjectLimits)
  const fault = limits === null ? null : faultInDurations(limits)
  if (fault !== null) throw invalidPayload(fault)
  const updated = await updateProject(ctx, ctx.project.id, { limits: limits === null ? null : JSON.stringify(limits) })
  await announceCredentialChange(ctx)
  return updated
}

/** Replaces the token that signs send-outs, and remembers the old one: receivers have a day to learn the new one. */
export async function replaceWebhookToken(ctx: Ctx): Promise<Project> {
  const { id, webhook_token } = await getProjectForUpdate(ctx, ctx.project_id)
  const updated = await updateProject(ctx, id, {
    webhook_token: newSecret(),
    previous_webhook_token: webhook_token,
    webhook_token_replaced_at: ctx.now,
  })
  await announceCredentialChange(ctx)
  return updated
}

function faultInDurations(limits: ProjectLimits): string | null {
  for (const kind of ['api_calls', 'bulk_api_calls'] as const)
    for (const [index, { duration }] of (limits[kind] ?? []).entries())
      if (durationSeconds(duration) === null)
        return `Property .${kind}[${index}].duration must be an ISO 8601 duration of weeks, days, hours, minutes and seconds`
  return null
}

/** Columns set to the sent value. Immutable ones, such as `case_sensitive_codes`, are not listed. */
const plainColumns = [
  'name',
  'description',
  'timezone',
  'currency',
  'dial_code',
  'client_redeem_enabled',
  'client_publish_enabled',
  'client_list_vouchers_enabled',
  'client_create_customer_enabled',
  'client_loyalty_events_enabled',
  'client_set_voucher_expiration_date_enabled',
  'client_identity',
  'unknown_fields',
] as const satisfies Array<keyof UpdateProject & keyof ProjectRow>

const listColumns = [
  'client_trusted_domains',
  'client_publish_campaigns',
  'client_public_campaigns',
  'client_public_codes',
] as const

function plainChanges(body: UpdateProject): Updateable<ProjectRow> {
  return Object.fromEntries(plainColumns.filter((name) => body[name] !== undefined).map((name) => [name, body[name]]))
}

/** Notification objects are merged by member; lists and the code configuration are replaced as a whole. */
function nestedChanges(before: Project, body: UpdateProject): Updateable<ProjectRow> {
  const { webhooks_callout_notifications, api_usage_notifications, default_code_config } = body
  return {
    // Unchanged, but an update statement needs at least one column.
    webhook_version: before.webhook_version,
    ...Object.fromEntries(
      listColumns.flatMap((name) => (body[name] === undefined ? [] : [[name, JSON.stringify(body[name])]])),
    ),
    ...(webhooks_callout_notifications && {
      webhooks_callout_notifications: JSON.stringify({
        ...before.webhooks_callout_notifications,
        ...webhooks_callout_notifications,
      }),
    }),
    ...(api_usage_notifications && {
      api_usage_notifications: JSON.stringify({ ...before.api_usage_notifications, ...api_usage_notifications }),
    }),
    ...(default_code_config && {
      default_code_config:
        default_code_config.charset === null ? null : JSON.stringify({ charset: default_code_config.charset }),
    }),
  }
}
