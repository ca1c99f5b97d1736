import { Clean } from 'typebox/value'
import type { InstallationCtx } from '../../core/context.ts'
import type { Db } from '../../core/db/database.ts'
import type { Project } from '../../core/db/project-row.ts'
import { invalidPayload, notFound } from '../../core/http/errors.ts'
import { newSecret } from '../../core/http/secrets.ts'
import { newId } from '../../core/lib/ids.ts'
import type { Settings } from '../../core/settings.ts'
import { insertApiKey, type NewApiKey } from '../api-keys/store.ts'
import { announceCredentialChange } from '../credential-change.ts'
import { roleOf } from '../roles.ts'
import { endLinkOfOthers } from '../users/link.ts'
import { assignUser, findUser, listOwners, lockUsers } from '../users/store.ts'
import { type CreatedProject, CreateProject } from './schema.ts'
import { insertProject } from './store.ts'

type NewProject = { project: Project } & Pick<CreatedProject, 'server_side_key' | 'client_side_key'>

/** Creates a project with its users and its two keys. If any part fails, the transaction is rolled back. */
export async function createProject(ctx: InstallationCtx, body: CreateProject): Promise<NewProject> {
  const project = await insertProjectOf(ctx.db, ctx.now, body, ctx.settings)
  await assignUsers(ctx.db, project, body.users ?? [])
  // Sessions know the roles of their user.
  if (body.users !== undefined && body.users.length > 0) await announceCredentialChange(ctx)
  return {
    project,
    server_side_key: await newKey(ctx, project, { kind: 'server', name: 'Server key' }),
    client_side_key: await newKey(ctx, project, { kind: 'client', name: 'Client key' }),
  }
}

async function newKey({ db, now }: InstallationCtx, { id: projectId }: Project, as: Pick<NewApiKey, 'kind' | 'name'>) {
  const columns = { project_id: projectId, role: 'ADMIN', ip_whitelist: [], is_primary: true, created_at: now } as const
  const { key, secret } = await insertApiKey(db, { ...columns, ...as })
  return { app_id: key.app_id, app_token: secret }
}

export function withoutTokens(created: CreatedProject): CreatedProject {
  const { server_side_key, client_side_key } = created
  return {
    ...created,
    server_side_key: { app_id: server_side_key.app_id },
    client_side_key: { app_id: client_side_key.app_id },
  }
}

/** Assigns the users their roles, and every owner the role ADMIN, also if another role was sent. */
export async function assignUsers(
  db: Db,
  { id: projectId }: Project,
  users: NonNullable<CreateProject['users']>,
): Promise<void> {
  // Before any user is locked: two projects with the same users, in another order, would wait for each other.
  await lockUsers(db)
  const assigned: string[] = []
  for (const [index, { id, login, role }] of users.entries()) {
    if ((id === undefined) === (login === undefined))
      throw invalidPayload(`Property .users[${index}] must have exactly one of 'id', 'login'`)
    const user = await findUser(db, id === undefined ? { login: login as string } : { id }, {
      lock: 'for update',
    })
    if (user === undefined) throw notFound('user', (id ?? login) as string)
    await assignUser(db, projectId, user.id, roleOf(role))
    assigned.push(user.id)
  }
  // Once all have their roles: the maker of a link may be among them.
  for (const userId of assigned) await endLinkOfOthers(db, userId, projectId)
  for (const owner of await listOwners(db)) await assignUser(db, projectId, owner.id, 'ADMIN')
}

/** Inserts a project with the sent fields and the defaults of docs/reference/projects.md#project-object. */
export async function insertProjectOf(
  db: Db,
  now: string,
  sent: CreateProject,
  { auth_mode, is_sandbox = false }: Pick<Settings, 'auth_mode'> & { is_sandbox?: boolean },
): Promise<Project> {
  const body = Clean(CreateProject, sent) as CreateProject // unknown fields inside JSON columns must not be stored
  const [owner] = await listOwners(db)
  const emails = owner === undefined ? [] : [owner.email]
  const calloutDefaults = { email: true, in_app: true, emails }
  const usageDefaults = { enabled: true, value: 80, in_app: true, emails }
  return insertProject(db, {
    id: newId('project'),
    name: body.name,
    description: body.description ?? '',
    timezone: body.timezone,
    currency: body.currency,
    dial_code: body.dial_code ?? null,
    webhook_version: 'v2024-01-01',
    client_trusted_domains: JSON.stringify(body.client_trusted_domains ?? []),
    client_redeem_enabled: body.client_redeem_enabled ?? false,
    client_publish_enabled: body.client_publish_enabled ?? false,
    client_list_vouchers_enabled: body.client_list_vouchers_enabled ?? false,
    client_create_customer_enabled: body.client_create_customer_enabled ?? false,
    client_loyalty_events_enabled: body.client_loyalty_events_enabled ?? false,
    client_set_voucher_expiration_date_enabled: body.client_set_voucher_expiration_date_enabled ?? false,
    client_identity: body.client_identity ?? 'proven',
    client_publish_campaigns: JSON.stringify(body.client_publish_campaigns ?? []),
    // `either` is there to serve clients that were written for another service.
    unknown_fields: body.unknown_fields ?? (auth_mode === 'strict' ? 'REFUSE' : 'IGNORE'),
    client_public_campaigns: JSON.stringify(body.client_public_campaigns ?? []),
    client_public_codes: JSON.stringify(body.client_public_codes ?? []),
    webhooks_callout_notifications: JSON.stringify({
      distributions: calloutDefaults,
      webhooks: calloutDefaults,
      ...body.webhooks_callout_notifications,
    }),
    api_usage_notifications: JSON.stringify({
      messages: usageDefaults,
      api_calls: usageDefaults,
      bulk_api_calls: usageDefaults,
      webhook_calls: usageDefaults,
      cycle_calls: usageDefaults,
      ...body.api_usage_notifications,
    }),
    case_sensitive_codes: body.case_sensitive_codes,
    api_version: 'v2018-08-01',
    is_sandbox,
    webhook_token: newSecret(),
    created_at: now,
    deleted_at: null,
  })
}
