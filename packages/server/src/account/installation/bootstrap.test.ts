// @embedded: the first start writes before anything else
import { beforeAll, describe, expect, test } from 'vitest'
import type { Database } from '../../core/db/database.ts'
import { migrate } from '../../core/db/migrate.ts'
import { inTransaction, type Trx } from '../../core/db/transaction.ts'
import { hashOf } from '../../core/http/secrets.ts'
import { isTrustedOrigin } from '../../core/lib/trusted-origin.ts'
import { categories } from '../../rules/categories/routes.ts'
import { send } from '../../testing/app.ts'
import { openNode, ownDatabase } from '../../testing/nodes.ts'
import { testSettings } from '../../testing/runtime.ts'
import { oauth } from '../oauth/routes.ts'
import { projects } from '../projects/routes.ts'
import { type BootstrapResult, bootstrap } from './bootstrap.ts'
import { deleteManagementKey, insertManagementKey, listManagementKeys } from './management-keys.ts'

const uuid = expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
const now = '2026-01-01T00:00:00.000Z'

/** A migrated, otherwise empty database: the tests roll their first start back, up to the last ones. */
let empty: Database

beforeAll(async () => {
  empty = (await ownDatabase()).database
})

async function firstStart(
  env: Record<string, string>,
  look: (trx: Trx, made: BootstrapResult) => Promise<void> = async () => {},
): Promise<void> {
  const undone = new Error('looked at')
  await inTransaction(empty.db, async (trx) => {
    await look(trx, (await bootstrap(trx, testSettings(env), now)) as BootstrapResult)
    throw undone
  }).catch((error: unknown) => {
    if (error !== undone) throw error
  })
}

const projectOf = (trx: Trx) => trx.selectFrom('projects').selectAll().executeTakeFirstOrThrow()

describe('with no settings', () => {
  test('the owner administers one sandbox with all six client flags on, open to this machine', () =>
    firstStart({}, async (trx, made) => {
      const owner = await trx.selectFrom('users').selectAll().executeTakeFirstOrThrow()
      expect(owner).toMatchObject({
        login: 'owner@localhost',
        email: 'owner@localhost',
        is_owner: true,
        created_at: now,
      })
      const project = await projectOf(trx)
      expect(project).toMatchObject({
        id: made.project_id,
        name: made.project_name,
        is_sandbox: true,
        case_sensitive_codes: true,
        client_redeem_enabled: true,
        client_publish_enabled: true,
        client_list_vouchers_enabled: true,
        client_create_customer_enabled: true,
        client_loyalty_events_enabled: true,
        client_set_voucher_expiration_date_enabled: true,
        webhooks_callout_notifications: { webhooks: { email: true, in_app: true, emails: ['owner@localhost'] } },
        created_at: now,
        deleted_at: null,
      })
      for (const origin of ['http://localhost', 'http://localhost:5173', 'http://127.0.0.1:8010'])
        expect([origin, isTrustedOrigin(project.client_trusted_domains, origin)]).toEqual([origin, true])
      expect(isTrustedOrigin(project.client_trusted_domains, 'http://shop.test')).toBe(false)
      expect(await trx.selectFrom('project_users').selectAll().execute()).toEqual([
        { project_id: project.id, user_id: owner.id, role: 'ADMIN' },
      ])
      expect(made.owner_email).toBe('owner@localhost')
    }))

  test('three key pairs are generated, returned once and stored as hashes', () =>
    firstStart({}, async (trx, { application, client, management, project_id }) => {
      for (const pair of [application, client, management])
        expect(pair).toEqual({ id: uuid, token: uuid, is_generated: true })
      expect(new Set([application, client, management].flatMap(({ id, token }) => [id, token])).size).toBe(6)
      const keys = await trx.selectFrom('api_keys').orderBy('kind').selectAll().execute()
      const shared = { project_id, role: 'ADMIN', status: 'ACTIVE', is_primary: true, ip_whitelist: [] }
      expect(keys).toMatchObject([
        { ...shared, kind: 'client', app_id: client.id },
        { ...shared, kind: 'server', app_id: application.id },
      ])
      const [manager] = await listManagementKeys(trx)
      expect(manager).toMatchObject({ app_id: management.id, status: 'ACTIVE' })
      const hashes = [...keys, manager!].map(({ secret_hash }) => Buffer.from(secret_hash).toString('hex'))
      expect(hashes).toEqual([client, application, management].map(({ token }) => hashOf(token).toString('hex')))
    }))
})

test('every BOOTSTRAP_ value is used and not reported as generated', () =>
  firstStart(
    {
      BOOTSTRAP_APP_ID: 'app',
      BOOTSTRAP_APP_TOKEN: 'app-token-of-a-test',
      BOOTSTRAP_CLIENT_ID: 'client',
      BOOTSTRAP_CLIENT_TOKEN: 'client-token-of-a-test',
      BOOTSTRAP_MANAGEMENT_ID: 'management',
      BOOTSTRAP_MANAGEMENT_TOKEN: 'management-token-of-a-test',
      BOOTSTRAP_OWNER_EMAIL: 'owner@shop.test',
    },
    async (trx, made) => {
      expect(made).toMatchObject({
        owner_email: 'owner@shop.test',
        application: { id: 'app', token: 'app-token-of-a-test', is_generated: false },
        client: { id: 'client', token: 'client-token-of-a-test', is_generated: false },
        management: { id: 'management', token: 'management-token-of-a-test', is_generated: false },
      })
      expect(await trx.selectFrom('users').selectAll().executeTakeFirstOrThrow()).toMatchObject({
        login: 'owner@shop.test',
        email: 'owner@shop.test',
      })
      expect((await projectOf(trx)).api_usage_notifications).toMatchObject({
        api_calls: { emails: ['owner@shop.test'] },
      })
    },
  ))

test('an id can be set without its token', () =>
  firstStart({ BOOTSTRAP_APP_ID: 'app' }, async (_, { application }) => {
    expect(application).toEqual({ id: 'app', token: uuid, is_generated: true })
  }))

describe('BOOTSTRAP_PROJECT_JSON', () => {
  test('overrides the sandbox defaults field by field', () =>
    firstStart(
      {
        BOOTSTRAP_PROJECT_JSON: JSON.stringify({
          name: 'Shoes',
          currency: 'PLN',
          timezone: 'Europe/Warsaw',
          case_sensitive_codes: false,
          client_redeem_enabled: false,
          client_trusted_domains: ['shop.test'],
          is_sandbox: false,
        }),
      },
      async (trx, made) => {
        expect(made.project_name).toBe('Shoes')
        expect(await projectOf(trx)).toMatchObject({
          name: 'Shoes',
          currency: 'PLN',
          timezone: 'Europe/Warsaw',
          case_sensitive_codes: false,
          client_redeem_enabled: false,
          client_publish_enabled: true,
          client_trusted_domains: ['shop.test'],
          is_sandbox: false,
        })
      },
    ))

  test('may list the owner among its users, who is ADMIN anyway', () =>
    firstStart({ BOOTSTRAP_PROJECT_JSON: '{"users":[{"login":"owner@localhost","role":"VIEWER"}]}' }, async (trx) => {
      expect(await trx.selectFrom('project_users').selectAll().execute()).toMatchObject([{ role: 'ADMIN' }])
    }))

  test.each([
    ['{"currency":"usd"}', 'BOOTSTRAP_PROJECT_JSON: Property .currency must be an ISO 4217 currency code'],
    ['{"name":""}', 'BOOTSTRAP_PROJECT_JSON: Property .name must NOT have fewer than 1 characters'],
    ['{"client_redeem_enabled":"yes"}', 'BOOTSTRAP_PROJECT_JSON: Property .client_redeem_enabled must be boolean'],
    ['{"is_sandbox":"no"}', 'BOOTSTRAP_PROJECT_JSON: Property .is_sandbox must be boolean'],
    [
      '{"users":[{"login":"unknown@shop.test","role":"USER"}]}',
      'BOOTSTRAP_PROJECT_JSON: Cannot find user with id unknown@shop.test',
    ],
    ['{"users":[{"login":"owner@localhost","role":"BOSS"}]}', "BOOTSTRAP_PROJECT_JSON: The role 'BOSS' is incorrect"],
    ['[]', 'BOOTSTRAP_PROJECT_JSON: must be a JSON object'],
    ['{', 'BOOTSTRAP_PROJECT_JSON: must be a JSON object'],
  ])('%s aborts the start with an error that says why', async (json, message) => {
    await expect(firstStart({ BOOTSTRAP_PROJECT_JSON: json })).rejects.toThrow(message)
    expect(await empty.db.selectFrom('organizations').selectAll().execute()).toEqual([])
  })
})

describe('after the first start', () => {
  const start = (env: Record<string, string>) => migrate(empty.db, (trx) => bootstrap(trx, testSettings(env), now))
  let made: BootstrapResult
  beforeAll(async () => {
    made = (await start({})).result as BootstrapResult
  })

  test('the initial objects exist; the second start does nothing', async () => {
    const everything = async () => ({
      organizations: await empty.db.selectFrom('organizations').selectAll().execute(),
      users: await empty.db.selectFrom('users').selectAll().execute(),
      projects: await empty.db.selectFrom('projects').selectAll().execute(),
      project_users: await empty.db.selectFrom('project_users').selectAll().execute(),
      api_keys: await empty.db.selectFrom('api_keys').orderBy('id').selectAll().execute(),
      management_keys: await empty.db.selectFrom('management_keys').selectAll().execute(),
    })
    const before = await everything()
    expect(before).toMatchObject({
      organizations: { length: 1 },
      users: { length: 1 },
      projects: { length: 1 },
      project_users: { length: 1 },
      api_keys: { length: 2 },
      management_keys: { length: 1 },
    })
    const second = await start({
      BOOTSTRAP_OWNER_EMAIL: 'other@shop.test',
      BOOTSTRAP_PROJECT_JSON: '{"name":"Other"}',
      BOOTSTRAP_APP_ID: 'other',
    })
    expect(second).toEqual({ applied: [], functions: [], result: null })
    expect(await everything()).toEqual(before)
  })

  test('the key pairs that it returned authenticate requests', async () => {
    const { app } = await openNode(empty, { only: [...oauth, ...categories, ...projects] })
    const pair = { 'x-app-id': made.application.id, 'x-app-token': made.application.token }
    const form = { 'content-type': 'application/x-www-form-urlencoded' }
    const token = await send(app, 'POST', '/v1/oauth/token', 'grant_type=client_credentials&scope=api', {
      ...pair,
      ...form,
    })
    expect(token.status).toBe(200)
    const headers = { ...pair, authorization: `Bearer ${token.body.access_token}` }
    expect(await send(app, 'POST', '/v1/categories', { name: 'Summer', hierarchy: 0 }, headers)).toMatchObject({
      status: 200,
    })
    const management = { 'x-management-id': made.management.id, 'x-management-token': made.management.token }
    expect((await send(app, 'GET', '/management/v1/projects', undefined, management)).body).toMatchObject({
      data: [{ id: made.project_id }],
      total: 1,
    })
  })

  test('at most 5 management keys exist, also with 10 concurrent creations; deleting one allows another', async () => {
    const newKey = (name: string) =>
      inTransaction(empty.db, (trx) => insertManagementKey(trx, { name, created_at: now }))
    const outcomes = await Promise.allSettled(Array.from({ length: 10 }, (_, index) => newKey(`Key ${index}`)))
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(4) // beside that of the first start
    const keys = await listManagementKeys(empty.db)
    expect(keys).toHaveLength(5)
    await expect(newKey('One more')).rejects.toThrow('An installation has at most 5 management keys; revoke one first.')

    expect(await deleteManagementKey(empty.db, keys[0]!.id)).toBe(true)
    expect(await deleteManagementKey(empty.db, keys[0]!.id)).toBe(false)
    expect(await deleteManagementKey(empty.db, keys[1]!.app_id)).toBe(true)
    await newKey('One more')
    expect((await listManagementKeys(empty.db)).map(({ name }) => name)).toContain('One more')
  })
})
