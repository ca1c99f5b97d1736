import { newApiKeyRow } from '../account/api-keys/store.ts'
import { insertProjectOf } from '../account/projects/create.ts'
import type { CreateProject } from '../account/projects/schema.ts'
import type { Runtime } from '../core/context.ts'
import type { Db } from '../core/db/database.ts'
import { hashOf } from '../core/http/secrets.ts'
import { newId, randomText } from '../core/lib/ids.ts'
import { type Instant, toInstant } from '../core/lib/instant.ts'

export interface TestKeys {
  project_id: string
  app_key_id: string
  app_id: string
  app_token: string
  client_id: string
  client_token: string
  access_token: string
  management_id: string
  management_token: string
}

/** One management key for all tests of a database: an installation allows only five. */
const management = {
  management_id: 'b0f3a1d2-5c4e-4f6a-8b7c-9d0e1f2a3b4c',
  management_token: 'c1a4b2e3-6d5f-4a7b-9c8d-0e1f2a3b4c5d',
}

/** A new project with one key of each kind and an access token with all scopes. */
export async function insertTestProject(
  { database: { db }, now, settings }: Runtime,
  body: Record<string, unknown>,
): Promise<TestKeys> {
  const createdAt = toInstant(now())
  const project = await insertProjectOf(
    db,
    createdAt,
    {
      name: 'Test shop',
      timezone: 'UTC',
      currency: 'USD',
      case_sensitive_codes: true,
      client_identity: 'claimed',
      unknown_fields: 'IGNORE',
      ...body,
    } as CreateProject,
    settings,
  )
  const shared = {
    project_id: project.id,
    role: 'ADMIN',
    ip_whitelist: [],
    is_primary: true,
    created_at: createdAt,
  } as const
  const application = newApiKeyRow({ ...shared, name: 'Server key', kind: 'server' })
  const client = newApiKeyRow({ ...shared, name: 'Client key', kind: 'client' })
  const accessToken = randomText(50)
  await db
    .with('keys', (query) => query.insertInto('api_keys').values([application.row, client.row]).returning('id'))
    .insertInto('oauth_tokens')
    .values({
      token_hash: hashOf(accessToken),
      project_id: project.id,
      api_key_id: application.row.id,
      scope: 'api client_api',
      created_at: createdAt,
      expires_at: '2099-01-01T00:00:00.000Z',
    })
    .execute()
  await ensureManagementKey(db, createdAt)
  return {
    project_id: project.id,
    app_key_id: application.row.id,
    app_id: application.row.app_id,
    app_token: application.secret,
    client_id: client.row.app_id,
    client_token: client.secret,
    access_token: accessToken,
    ...management,
  }
}

const managementKeys = new WeakMap<Db, Promise<unknown>>()

/** Inserts the key once per database; a second project that is made at the same time waits for it. */
function ensureManagementKey(db: Db, createdAt: Instant): Promise<unknown> {
  const inserted = managementKeys.get(db) ?? insertManagementKey(db, createdAt)
  managementKeys.set(db, inserted)
  return inserted
}

async function insertManagementKey(db: Db, createdAt: Instant): Promise<void> {
  await db
    .insertInto('management_keys')
    .values({
      id: newId('api_key'),
      name: 'Tests',
      app_id: management.management_id,
      secret_hash: hashOf(management.management_token),
      ip_whitelist: '[]',
      status: 'ACTIVE',
      created_at: createdAt,
    })
    .onConflict((conflict) => conflict.column('app_id').doNothing())
    .execute()
}
