import assert from 'node:assert/strict'
import { type Static, Type } from 'typebox'
import type { ProjectRow } from '../../core/db/tables.ts'
import type { Trx } from '../../core/db/transaction.ts'
import { ApiError } from '../../core/http/errors.ts'
import { compileValidator } from '../../core/http/validation.ts'
import { newId } from '../../core/lib/ids.ts'
import type { BootstrapSettings, Settings } from '../../core/settings.ts'
import { insertApiKey } from '../api-keys/store.ts'
import { assignUsers, insertProjectOf } from '../projects/create.ts'
import { CreateProject } from '../projects/schema.ts'
import { newUserLink } from '../users/link.ts'
import { insertUser } from '../users/store.ts'
import { insertManagementKey } from './management-keys.ts'

/** The result of the first start. Generated secrets are displayed once, from here; only their hashes are stored. */
export interface BootstrapResult {
  project_id: string
  project_name: string
  owner_email: string
  /** By which the owner sets a password. */
  owner_link: string
  application: KeyPair
  client: KeyPair
  management: KeyPair
}

export interface KeyPair {
  id: string
  token: string
  /** Whether the token was generated, not set by the operator, and must be displayed. */
  is_generated: boolean
}

/** Creates one organization, its owner, one sandbox project and three key pairs; null if the database is not empty. */
export async function bootstrap(
  trx: Trx,
  { auth_mode, bootstrap: settings, base_url }: Pick<Settings, 'auth_mode' | 'bootstrap' | 'base_url'>,
  now: string,
): Promise<BootstrapResult | null> {
  const existing = await trx.selectFrom('organizations').select('id').executeTakeFirst()
  if (existing !== undefined) return null
  await trx
    .insertInto('organizations')
    .values({ id: newId('organization'), name: 'Guerdon', created_at: now })
    .execute()
  const email = settings.owner_email ?? 'owner@localhost'
  const owner = await insertUser(trx, { email, first_name: '', last_name: '', is_owner: true, created_at: now })
  assert(owner !== undefined, 'an empty database has no user')
  const { is_sandbox = true, ...body } = projectBody(settings.project)
  const project = await insertProjectOf(trx, now, body, { auth_mode, is_sandbox })
  await assignUsers(trx, project, body.users ?? []).catch((error: unknown) => {
    throw error instanceof ApiError ? new Error(`BOOTSTRAP_PROJECT_JSON: ${error.message}`) : error
  })
  return {
    project_id: project.id,
    project_name: project.name,
    owner_email: email,
    owner_link: (await newUserLink({ db: trx, now, settings: { base_url } }, owner.id)).link,
    ...(await insertKeys(trx, project.id, settings, now)),
  }
}

type Keys = Pick<BootstrapResult, 'application' | 'client' | 'management'>

async function insertKeys(
  trx: Trx,
  projectId: ProjectRow['id'],
  settings: BootstrapSettings,
  now: string,
): Promise<Keys> {
  const { app_id, app_token, client_id, client_token, management_id, management_token } = settings
  const columns = { project_id: projectId, role: 'ADMIN', ip_whitelist: [], is_primary: true, created_at: now } as const
  const application = await insertApiKey(trx, {
    ...columns,
    name: 'Server key',
    kind: 'server',
    app_id,
    secret: app_token,
  })
  const client = await insertApiKey(trx, {
    ...columns,
    name: 'Client key',
    kind: 'client',
    app_id: client_id,
    secret: client_token,
  })
  const management = await insertManagementKey(trx, {
    name: 'Management key',
    app_id: management_id,
    secret: management_token,
    created_at: now,
  })
  return {
    application: { id: application.key.app_id, token: application.secret, is_generated: app_token === null },
    client: { id: client.key.app_id, token: client.secret, is_generated: client_token === null },
    management: { id: management.app_id, token: management.secret, is_generated: management_token === null },
  }
}

/** Defaults for trying the service: all client flags on, localhost trusted, no proof of identity. The operator's JSON takes precedence. */
function projectBody(configured: Record<string, unknown>): BootstrapProject {
  const body = {
    name: 'Sandbox',
    timezone: 'UTC',
    currency: 'USD',
    case_sensitive_codes: true,
    client_trusted_domains: ['http://localhost', 'http://127.0.0.1'],
    client_redeem_enabled: true,
    client_publish_enabled: true,
    client_list_vouchers_enabled: true,
    client_create_customer_enabled: true,
    client_loyalty_events_enabled: true,
    client_set_voucher_expiration_date_enabled: true,
    client_identity: 'claimed' as const,
    ...configured,
  }
  const fault = compileValidator(BootstrapProject).firstError(body, { root: 'Payload', required: 'must' })
  if (fault !== null) throw new Error(`BOOTSTRAP_PROJECT_JSON: ${fault}`)
  return body
}

/** The body of project creation plus `is_sandbox`, which only the first project can set. */
const BootstrapProject = Type.Object({ ...CreateProject.properties, is_sandbox: Type.Optional(Type.Boolean()) })
type BootstrapProject = Static<typeof BootstrapProject>
