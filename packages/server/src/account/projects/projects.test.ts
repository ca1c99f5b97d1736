import { beforeAll, describe, expect, test } from 'vitest'
import { newId } from '../../core/lib/ids.ts'
import { operations } from '../../operations.ts'
import { newProject, type Shop, send } from '../../testing/app.ts'
import { until } from '../../testing/background.ts'
import { type Installation, newInstallation } from '../../testing/installation.ts'
import { startJobs } from '../../work.ts'

const uuid = expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)

/** The required fields of creation. */
const required = { name: 'Shop', timezone: 'Europe/Warsaw', currency: 'PLN', case_sensitive_codes: true }

const owner = 'owner@shop.test'
let installation: Installation

beforeAll(async () => {
  installation = await newInstallation({ env: { BOOTSTRAP_OWNER_EMAIL: owner, CLUSTER_ID: 'eu7' } })
})

const manage: Installation['manage'] = (...call) => installation.manage(...call)
const create = (body: object = {}) => manage('POST', '/projects', { ...required, ...body })

async function createProject(body: object = {}) {
  const answer = await create(body)
  expect(answer.status).toBe(200)
  const { server_side_key: _, client_side_key: __, ...project } = answer.body
  return project
}

const countProjects = async () => (await manage('GET', '/projects')).body.total as number

async function newUser(login: string): Promise<string> {
  const { db } = installation.runtime.database
  const id = newId('user')
  await db
    .insertInto('users')
    .values({
      id,
      login,
      email: login,
      first_name: 'A',
      last_name: 'B',
      is_owner: false,
      created_at: new Date().toISOString(),
    })
    .execute()
  return id
}

const rolesIn = async (projectId: string) => {
  const query = installation.runtime.database.db.selectFrom('project_users').where('project_id', '=', projectId)
  return Object.fromEntries(
    (await query.select(['user_id', 'role']).execute()).map(({ user_id, role }) => [user_id, role]),
  )
}

const ownerId = async () => {
  const query = installation.runtime.database.db.selectFrom('users').where('login', '=', owner)
  return (await query.select('id').executeTakeFirstOrThrow()).id
}

const allOperations = (id: string): Array<[method: string, path: string, body?: unknown]> => [
  ['POST', '/projects', required],
  ['GET', '/projects'],
  ['GET', `/projects/${id}`],
  ['PUT', `/projects/${id}`, { name: 'Stolen' }],
  ['POST', `/projects/${id}/webhook-token/regenerate`],
  ['PUT', `/projects/${id}/limits`, {}],
  ['DELETE', `/projects/${id}`],
]

describe('access to projects', () => {
  test('all operations require the management key pair; keys of the project itself answer 401', async () => {
    const shop = await newProject()
    const { management_id, management_token } = shop
    for (const [method, path, body] of allOperations(shop.project_id))
      for (const headers of [
        {},
        shop.headers,
        { 'x-management-id': management_id },
        { 'x-management-id': management_id, 'x-management-token': shop.app_token },
        { 'x-management-id': shop.app_id, 'x-management-token': shop.app_token },
        { 'x-app-id': management_id, 'x-app-token': management_token },
      ])
        expect(await send(shop.service.app, method, `/management/v1${path}`, body, headers)).toMatchObject({
          status: 401,
          body: { code: 401, key: 'unauthorized', message: 'Unauthorized' },
        })
    expect((await shop.manage('GET', '')).body).toMatchObject({ id: shop.project_id, name: 'Test shop' })
  })

  test('an unknown project answers 404 before the body is validated', async () => {
    for (const [method, path, body] of allOperations('proj_nowhere').slice(2))
      expect(await manage(method, path, body === undefined ? undefined : 7)).toMatchObject({
        status: 404,
        body: {
          key: 'not_found',
          message: 'Resource not found',
          details: 'Cannot find project with id proj_nowhere',
          resource_id: 'proj_nowhere',
          resource_type: 'project',
        },
      })
  })
})

const flags = [
  'client_redeem_enabled',
  'client_publish_enabled',
  'client_list_vouchers_enabled',
  'client_create_customer_enabled',
  'client_loyalty_events_enabled',
  'client_set_voucher_expiration_date_enabled',
] as const
const allFlags = (value: boolean) => Object.fromEntries(flags.map((flag) => [flag, value]))

const callout = { email: true, in_app: true, emails: [owner] }
const usage = { enabled: true, value: 80, in_app: true, emails: [owner] }

describe('POST /projects', () => {
  test('requires four fields; the response has exactly the documented fields with their defaults', async () => {
    expect(await createProject()).toEqual({
      id: expect.stringMatching(/^proj_[0-9A-Za-z]{8}$/),
      ...required,
      description: '',
      dial_code: null,
      webhook_version: 'v2024-01-01',
      client_trusted_domains: [],
      ...allFlags(false),
      client_identity: 'proven',
      client_publish_campaigns: [],
      unknown_fields: 'REFUSE',
      client_public_campaigns: [],
      client_public_codes: [],
      webhooks_callout_notifications: { distributions: callout, webhooks: callout },
      api_usage_notifications: {
        messages: usage,
        api_calls: usage,
        bulk_api_calls: usage,
        webhook_calls: usage,
        cycle_calls: usage,
        redemptions: { enabled: false, value: 80, in_app: false, emails: [] },
      },
      cluster_id: 'eu7',
      api_version: 'v2018-08-01',
      is_sandbox: false,
      webhook_token: uuid,
    })
  })

  test('stores every settable field and returns it on a read', async () => {
    const sent = {
      ...required,
      case_sensitive_codes: false,
      description: 'Shoes',
      dial_code: '+48',
      webhook_version: 'v2024-01-01',
      client_trusted_domains: ['shop.test', '.cdn.test', 'https://app.test:8443', '*'],
      ...allFlags(true),
      client_identity: 'claimed',
      client_publish_campaigns: ['camp_2', 'Welcome'],
      client_public_campaigns: ['camp_1', 'Spring'],
      client_public_codes: ['HELLO'],
      api_version: 'v2018-08-01',
      cluster_id: 'eu7',
    }
    const project = await createProject(sent)
    expect(project).toMatchObject(sent)
    expect((await manage('GET', `/projects/${project.id}`)).body).toEqual(project)
  })

  test('read-only and operator-only fields are ignored', async () => {
    const project = await createProject({
      id: 'proj_mine',
      is_sandbox: true,
      webhook_token: 'mine',
      limits: { api_calls: [] },
      default_code_config: { charset: 'AB' },
    })
    expect(project).toMatchObject({ is_sandbox: false })
    expect(project.id).not.toBe('proj_mine')
    expect(project.webhook_token).not.toBe('mine')
    expect(project).not.toHaveProperty('limits')
    expect(project).not.toHaveProperty('default_code_config')
  })

  test('two projects may share a name, but have different ids and tokens', async () => {
    const [first, second] = [await createProject(), await createProject()]
    expect(first.name).toBe(second.name)
    expect(first.id).not.toBe(second.id)
    expect(first.webhook_token).not.toBe(second.webhook_token)
  })

  test('a cluster_id of elsewhere is ignored: the project lives here', async () => {
    const { cluster_id } = await createProject()
    expect(cluster_id).not.toBe('us1')
    expect(await create({ cluster_id: 'us1' })).toMatchObject({ status: 200, body: { cluster_id } })
  })

  test.each(['name', 'timezone', 'currency', 'case_sensitive_codes'])('%s must be sent', async (name) => {
    const { [name as keyof typeof required]: _, ...body } = required
    expect(await manage('POST', '/projects', body)).toMatchObject({
      status: 400,
      body: {
        key: 'invalid_payload',
        message: 'Invalid payload',
        details: `Payload must have required property '${name}'`,
      },
    })
  })

  test('the response has a server-side and a client-side key, whose secrets are shown nowhere else', async () => {
    const { status, body } = await create()
    expect(status).toBe(200)
    const { id, server_side_key, client_side_key } = body
    const pair = { app_id: uuid, app_token: uuid }
    expect([server_side_key, client_side_key]).toEqual([pair, pair])
    const { body: keys } = await manage('GET', `/projects/${id}/api-keys`)
    const byKind = Object.fromEntries(keys.data.map((key: { kind: string }) => [key.kind, key])) // created at one moment
    expect(keys.data).toHaveLength(2)
    expect(byKind).toMatchObject({
      server: { role: 'ADMIN', primary: true, app_id: server_side_key.app_id },
      client: { role: 'ADMIN', primary: true, app_id: client_side_key.app_id },
    })
    const shown = JSON.stringify([keys, (await manage('GET', `/projects/${id}`)).body])
    for (const { app_token } of [server_side_key, client_side_key]) expect(shown).not.toContain(app_token)

    const token = await send(installation.app, 'POST', '/v1/oauth/token', 'grant_type=client_credentials&scope=api', {
      'x-app-id': server_side_key.app_id,
      'x-app-token': server_side_key.app_token,
      'content-type': 'application/x-www-form-urlencoded',
    })
    const made = await send(
      installation.app,
      'POST',
      '/v1/categories',
      { name: 'A', hierarchy: 0 },
      {
        'x-app-id': server_side_key.app_id,
        'x-app-token': server_side_key.app_token,
        authorization: `Bearer ${token.body.access_token}`,
      },
    )
    expect(made).toMatchObject({ status: 200, body: { name: 'A' } })
  })

  test('the same Idempotency-Key creates one project, and its repetition shows no secrets', async () => {
    const before = await countProjects()
    const key = { 'idempotency-key': 'first shop' }
    const [first, second] = [
      await manage('POST', '/projects', required, key),
      await manage('POST', '/projects', required, key),
    ]
    const { server_side_key, client_side_key, ...project } = first.body
    expect(second.body).toEqual({
      ...project,
      server_side_key: { app_id: server_side_key.app_id },
      client_side_key: { app_id: client_side_key.app_id },
    })
    expect(second.headers['idempotency-replayed']).toBe('true')
    expect(await countProjects()).toBe(before + 1)
    const { db } = installation.runtime.database
    const stored = JSON.stringify(await db.selectFrom('idempotency_keys').selectAll().execute())
    for (const { app_token } of [server_side_key, client_side_key]) expect(stored).not.toContain(app_token)
    expect(await manage('POST', '/projects', { ...required, name: 'Second shop' }, key)).toMatchObject({
      status: 409,
      body: { key: 'idempotency_key_conflict' },
    })
  })
})

describe('the users of a new project', () => {
  test('get the sent roles, by id or login; owners are always ADMIN', async () => {
    const ann = await newUser('ann@shop.test')
    const bob = await newUser('bob@shop.test')
    const users = [
      { id: ann, role: 'VIEWER' },
      { login: 'bob@shop.test', role: 'MERCHANT' },
      { login: owner, role: 'USER' },
    ]
    const project = await createProject({ users })
    expect(await rolesIn(project.id)).toEqual({ [ann]: 'VIEWER', [bob]: 'MERCHANT', [await ownerId()]: 'ADMIN' })
    expect(project).not.toHaveProperty('users')
    expect(await rolesIn((await createProject()).id)).toEqual({ [await ownerId()]: 'ADMIN' })
  })

  test('an unknown user or an invalid role creates nothing', async () => {
    const before = await countProjects()
    const eve = await newUser('eve@shop.test')
    const good = { id: eve, role: 'USER' }
    for (const [user, status, key, details] of [
      [{ login: 'unknown@shop.test', role: 'USER' }, 404, 'not_found', 'Cannot find user with id unknown@shop.test'],
      [{ id: 'user_unknown', role: 'USER' }, 404, 'not_found', 'Cannot find user with id user_unknown'],
      [{ id: eve, role: 'BOSS' }, 400, 'used_incorrect_role', "The role 'BOSS' is incorrect"],
      [
        { id: eve, login: 'eve@shop.test', role: 'USER' },
        400,
        'invalid_payload',
        "Property .users[1] must have exactly one of 'id', 'login'",
      ],
      [{ role: 'USER' }, 400, 'invalid_payload', "Property .users[1] must have exactly one of 'id', 'login'"],
      [{ id: eve }, 400, 'invalid_payload', "Property .users[1] must have required property 'role'"],
    ] as const)
      expect(await create({ users: [good, user] })).toMatchObject({ status, body: { key, details } })
    expect(await create({ users: [{ login: 'unknown@shop.test', role: 'USER' }] })).toMatchObject({
      body: { resource_type: 'user', resource_id: 'unknown@shop.test' },
    })
    expect(await countProjects()).toBe(before)
    const query = installation.runtime.database.db.selectFrom('project_users').where('user_id', '=', eve)
    expect(await query.selectAll().execute()).toEqual([])
  })
})

/** Values that creation and update validate in the same way. */
const goodValues: object[] = [
  { name: 'n' },
  { name: '店'.repeat(255) },
  { description: '' },
  { description: 'd'.repeat(5_000) },
  ...['UTC', 'GMT', 'GMT+1', 'GMT-11', 'GMT+05:30', 'Europe/Warsaw', 'America/Argentina/Buenos_Aires'].map(
    (timezone) => ({ timezone }),
  ),
  ...['USD', 'PLN', 'JPY', 'KWD'].map((currency) => ({ currency })),
  ...['+48', '48', '1', '+123456', '000000', null].map((dialCode) => ({ dial_code: dialCode })),
  { client_trusted_domains: Array.from({ length: 100 }, (_, index) => `shop${index}.test`) },
]
const badValues: Array<[body: object, details: string]> = [
  [{ name: '' }, 'Property .name must NOT have fewer than 1 characters'],
  [{ name: 'n'.repeat(256) }, 'Property .name must NOT have more than 255 characters'],
  [{ name: null }, 'Property .name must be string'],
  [{ description: null }, 'Property .description must be string'],
  [{ description: 'd'.repeat(5_001) }, 'Property .description must NOT have more than 5000 characters'],
  ...['', 'Mars/Olympus', 'Warsaw', '+01:00', '01:00', 'GMT+25', 'GMT+1:5', 'GMT 1', 'GMT+01:60'].map(
    (timezone): [object, string] => [{ timezone }, 'Property .timezone must be an IANA time zone name or GMT±HH:MM'],
  ),
  [{ timezone: null }, 'Property .timezone must be string'],
  ...['', 'usd', 'US', 'USDX', 'ABC', '840'].map((currency): [object, string] => [
    { currency },
    'Property .currency must be an ISO 4217 currency code',
  ]),
  ...['', '+', '++48', '1234567', '+48 1', 'PL', '48\n'].map((dialCode): [object, string] => [
    { dial_code: dialCode },
    'Property .dial_code must match pattern ^\\+?[0-9]{1,6}$',
  ]),
  [{ dial_code: 48 }, 'Property .dial_code must be string,null'],
  [
    { webhook_version: 'v2018-08-01' },
    'Property .webhook_version must be equal to one of the allowed values [ v2024-01-01 ]',
  ],
  [{ client_trusted_domains: 'shop.test' }, 'Property .client_trusted_domains must be array'],
  [
    { client_trusted_domains: ['shop.test', ''] },
    'Property .client_trusted_domains[1] must NOT have fewer than 1 characters',
  ],
  [
    { client_trusted_domains: Array(101).fill('shop.test') },
    'Property .client_trusted_domains must NOT have more than 100 items',
  ],
  ...flags.map((flag): [object, string] => [{ [flag]: 'true' }, `Property .${flag} must be boolean`]),
  [{ webhooks_callout_notifications: null }, 'Property .webhooks_callout_notifications must be object'],
  [
    { webhooks_callout_notifications: { webhooks: { email: true, in_app: true } } },
    "Property .webhooks_callout_notifications.webhooks must have required property 'emails'",
  ],
  [
    { webhooks_callout_notifications: { distributions: { ...callout, email: 'yes' } } },
    'Property .webhooks_callout_notifications.distributions.email must be boolean',
  ],
  [
    { api_usage_notifications: { api_calls: { enabled: true, value: 50, emails: [] } } },
    "Property .api_usage_notifications.api_calls must have required property 'in_app'",
  ],
  [
    { api_usage_notifications: { messages: { ...usage, value: 9 } } },
    'Property .api_usage_notifications.messages.value must be >= 10',
  ],
  [
    { api_usage_notifications: { messages: { ...usage, value: 91 } } },
    'Property .api_usage_notifications.messages.value must be <= 90',
  ],
  [
    { api_usage_notifications: { messages: { ...usage, value: 50.5 } } },
    'Property .api_usage_notifications.messages.value must be integer',
  ],
  [
    { api_usage_notifications: { messages: { ...usage, emails: 'a@b' } } },
    'Property .api_usage_notifications.messages.emails must be array',
  ],
]

test('creation and update accept the same valid values', async () => {
  const { id } = await createProject()
  for (const value of goodValues) {
    expect([value, await create(value)]).toMatchObject([value, { status: 200, body: value }])
    expect([value, await manage('PUT', `/projects/${id}`, value)]).toMatchObject([value, { status: 200, body: value }])
  }
})

test('creation and update refuse the same invalid values with an error that names the field, and change nothing', async () => {
  const project = await createProject()
  const before = await countProjects()
  for (const [value, details] of badValues) {
    const refusal = { status: 400, body: { key: 'invalid_payload', message: 'Invalid payload', details } }
    expect(await create(value)).toMatchObject(refusal)
    expect(await manage('PUT', `/projects/${project.id}`, value)).toMatchObject(refusal)
  }
  expect(await countProjects()).toBe(before)
  expect((await manage('GET', `/projects/${project.id}`)).body).toEqual(project)
})

test('only creation validates api_version and case_sensitive_codes', async () => {
  for (const [body, details] of [
    [{ api_version: 'v1' }, 'Property .api_version must be equal to one of the allowed values [ v2018-08-01 ]'],
    [{ case_sensitive_codes: 'yes' }, 'Property .case_sensitive_codes must be boolean'],
    [{ case_sensitive_codes: null }, 'Property .case_sensitive_codes must be boolean'],
  ] as const)
    expect(await create(body)).toMatchObject({ status: 400, body: { key: 'invalid_payload', details } })
})

describe('GET /projects', () => {
  test('lists all projects, oldest first, with the same fields as a single read', async () => {
    const [first, second] = [await createProject({ name: 'First' }), await createProject({ name: 'Second' })]
    const { status, body } = await manage('GET', '/projects')
    expect(status).toBe(200)
    expect(body).toMatchObject({ object: 'list', data_ref: 'data', total: body.data.length })
    expect(body.data[0]).toMatchObject({ id: installation.made.project_id, is_sandbox: true })
    expect(body.data.slice(-2)).toEqual([first, second])
  })
})

describe('PUT /projects/{projectId}', () => {
  test('updates only the sent fields', async () => {
    const project = await createProject({
      description: 'Shoes',
      client_trusted_domains: ['a.test', 'b.test'],
      dial_code: '48',
    })
    const path = `/projects/${project.id}`
    expect((await manage('PUT', path, {})).body).toEqual(project)
    expect((await manage('PUT', path)).body).toEqual(project)
    const changes = { name: 'Boots', client_trusted_domains: ['c.test'], client_publish_enabled: true, dial_code: null }
    expect((await manage('PUT', path, changes)).body).toEqual({ ...project, ...changes })
    expect((await manage('GET', path)).body).toEqual({ ...project, ...changes })
    expect((await manage('PUT', path, { client_trusted_domains: [] })).body).toMatchObject({
      client_trusted_domains: [],
    })
  })

  test('immutable fields are ignored where unknown ones are, with a warning of each', async () => {
    const project = await createProject({ unknown_fields: 'IGNORE' })
    const sent = {
      case_sensitive_codes: 'no',
      cluster_id: 'us1',
      api_version: 'v1',
      webhook_token: 'mine',
      id: 'proj_mine',
      is_sandbox: true,
      limits: { api_calls: 7 },
      users: 'all',
    }
    const { status, body } = await manage('PUT', `/projects/${project.id}`, sent)
    expect(status).toBe(200)
    const { warnings, ...updated } = body
    expect(updated).toEqual(project)
    expect(warnings).toHaveLength(Object.keys(sent).length)
  })

  test('notifications are merged by member; the one of redemptions cannot be set', async () => {
    const project = await createProject({
      unknown_fields: 'IGNORE',
      api_usage_notifications: { cycle_calls: { enabled: false, value: 10, in_app: false, emails: [] } },
    })
    expect(project.api_usage_notifications).toMatchObject({
      cycle_calls: { enabled: false, value: 10 },
      api_calls: usage,
    })
    const webhooks = { email: false, in_app: false, emails: ['ops@shop.test'] }
    const apiCalls = { enabled: true, value: 90, in_app: false, emails: ['ops@shop.test', 'cfo@shop.test'] }
    const { body } = await manage('PUT', `/projects/${project.id}`, {
      webhooks_callout_notifications: { webhooks },
      api_usage_notifications: { api_calls: apiCalls, redemptions: usage },
    })
    expect(body).toMatchObject({
      ...project,
      webhooks_callout_notifications: { ...project.webhooks_callout_notifications, webhooks },
      api_usage_notifications: { ...project.api_usage_notifications, api_calls: apiCalls },
    })
  })

  test('unknown members of JSON fields are not stored', async () => {
    const sent = {
      webhooks_callout_notifications: { webhooks: { ...callout, color: 'red' }, pigeons: callout },
      api_usage_notifications: { redemptions: usage, pigeons: usage },
    }
    const ids = [(await createProject(sent)).id, (await createProject()).id]
    await manage('PUT', `/projects/${ids[1]}`, sent)
    await manage('PUT', `/projects/${ids[1]}/limits`, {
      api_calls: [{ value: 1, duration: 'PT1H', color: 'red' }],
      pigeons: 7,
    })
    const rows = await installation.runtime.database.db
      .selectFrom('projects')
      .where('id', 'in', ids)
      .selectAll()
      .execute()
    for (const row of rows) {
      expect(Object.keys(row.webhooks_callout_notifications).sort()).toEqual(['distributions', 'webhooks'])
      expect(Object.keys(row.api_usage_notifications)).not.toContain('redemptions')
      expect(JSON.stringify(row)).not.toMatch(/pigeons|color/)
    }
  })

  test('concurrent updates of different fields are all kept', async () => {
    const { id } = await createProject()
    const webhooks = { email: false, in_app: false, emails: [] }
    const changes = [
      ...flags.map((flag) => ({ [flag]: true })),
      { name: 'Renamed' },
      { webhooks_callout_notifications: { webhooks } },
      { webhooks_callout_notifications: { distributions: webhooks } },
    ]
    await Promise.all(changes.map((change) => manage('PUT', `/projects/${id}`, change)))
    expect((await manage('GET', `/projects/${id}`)).body).toMatchObject({
      name: 'Renamed',
      ...allFlags(true),
      webhooks_callout_notifications: { webhooks, distributions: webhooks },
    })
  })
})

describe('the charset of generated codes', () => {
  const change = async (charset: unknown) => {
    const { id } = await createProject()
    return manage('PUT', `/projects/${id}`, { default_code_config: { charset } })
  }

  test.each(['A', 'aA', 'Cc{}p\\', '0123456789', 'żółć', '😀😀', '😀'.repeat(256), 'x'.repeat(256)])(
    '%s is stored as sent',
    async (charset) => {
      expect(await change(charset)).toMatchObject({ status: 200, body: { default_code_config: { charset } } })
    },
  )

  test.each([
    ['', 'must NOT have fewer than 1 characters'],
    ['x'.repeat(257), 'must NOT have more than 256 characters'],
    ['A B', 'must match pattern'],
    ['A\tB', 'must match pattern'],
    ['A\u00a0B', 'must match pattern'], // a non-breaking space
    ['A\u0007B', 'must match pattern'],
    ['A\u0085B', 'must match pattern'],
    [7, 'must be string,null'],
    [['A'], 'must be string,null'],
  ])('%j is refused', async (charset, reason) => {
    const { status, body } = await change(charset)
    expect({ status, key: body.key }).toEqual({ status: 400, key: 'invalid_payload' })
    expect(body.details).toContain(`Property .default_code_config.charset ${reason}`)
  })

  test('is kept until replaced, and null removes it', async () => {
    const project = await createProject()
    const path = `/projects/${project.id}`
    await manage('PUT', path, { default_code_config: { charset: 'AB' } })
    expect((await manage('PUT', path, { name: 'Renamed' })).body).toMatchObject({
      default_code_config: { charset: 'AB' },
    })
    expect((await manage('PUT', path, { default_code_config: { charset: 'CD' } })).body).toMatchObject({
      default_code_config: { charset: 'CD' },
    })
    const { body } = await manage('PUT', path, { default_code_config: { charset: null } })
    expect(body).toEqual({ ...project, name: 'Renamed' })
  })

  test('a code configuration without a charset, or null, is refused', async () => {
    const { id } = await createProject()
    expect(await manage('PUT', `/projects/${id}`, { default_code_config: {} })).toMatchObject({
      status: 400,
      body: { details: "Property .default_code_config must have required property 'charset'" },
    })
    expect(await manage('PUT', `/projects/${id}`, { default_code_config: null })).toMatchObject({
      status: 400,
      body: { details: 'Property .default_code_config must be object' },
    })
  })
})

describe('POST /projects/{projectId}/webhook-token/regenerate', () => {
  test('generates a new token each time and changes nothing else', async () => {
    const project = await createProject()
    const path = `/projects/${project.id}`
    const key = { 'idempotency-key': 'token' }
    const first = await manage('POST', `${path}/webhook-token/regenerate`, undefined, key)
    expect(first.status).toBe(200)
    expect(first.body).toEqual({ ...project, webhook_token: uuid })
    const second = await manage('POST', `${path}/webhook-token/regenerate`, undefined, key)
    expect(new Set([project.webhook_token, first.body.webhook_token, second.body.webhook_token]).size).toBe(3)
    expect((await manage('GET', path)).body).toEqual(second.body)
  })
})

describe('PUT /projects/{projectId}/limits', () => {
  test('sets the limits of the project as a whole; null removes them', async () => {
    const project = await createProject()
    const path = `/projects/${project.id}`
    const limits = {
      api_calls: [
        { value: 2_000, duration: 'PT1M' },
        { value: 50_000, duration: 'P1DT12H' },
      ],
      bulk_api_calls: [{ value: 10, duration: 'P1W' }],
      campaign_vouchers: 0,
      product_collections: 200,
      collection_products: 30,
      earning_rules: 40,
    }
    expect((await manage('PUT', `${path}/limits`, limits)).body).toEqual({ ...project, limits })
    expect((await manage('GET', path)).body).toEqual({ ...project, limits })
    expect((await manage('PUT', `${path}/limits`, { earning_rules: 1 })).body).toEqual({
      ...project,
      limits: { earning_rules: 1 },
    })
    const lifted = await manage('PUT', `${path}/limits`, 'null', { 'content-type': 'application/json' })
    expect(lifted).toMatchObject({ status: 200 })
    expect(lifted.body).toEqual(project)
  })

  test('setting and removing limits applies to the next request', async () => {
    const shop = await newProject()
    await shop.manage('PUT', '/limits', { api_calls: [{ value: 2, duration: 'P7D' }] })
    const calls = [
      await shop.call('GET', '/v1/categories'),
      await shop.call('GET', '/v1/categories'),
      await shop.call('GET', '/v1/categories'),
    ]
    expect(calls.map(({ status }) => status)).toEqual([200, 200, 429])
    expect(calls[2]!.body).toMatchObject({ key: 'too_many_requests' })
    await send(shop.service.app, 'PUT', `/management/v1/projects/${shop.project_id}/limits`, 'null', {
      ...shop.management,
      'content-type': 'application/json',
    })
    expect(await shop.call('GET', '/v1/categories')).toMatchObject({ status: 200 })
  })

  test.each([
    [{ api_calls: [{ value: 1 }] }, "Property .api_calls[0] must have required property 'duration'"],
    [{ api_calls: [{ value: 0, duration: 'PT1M' }] }, 'Property .api_calls[0].value must be >= 1'],
    [
      {
        api_calls: [
          { value: 1, duration: 'PT1M' },
          { value: 1, duration: 'minute' },
        ],
      },
      'Property .api_calls[1].duration must be an ISO 8601 duration of weeks, days, hours, minutes and seconds',
    ],
    [
      { bulk_api_calls: [{ value: 1, duration: 'PT0S' }] },
      'Property .bulk_api_calls[0].duration must be an ISO 8601 duration of weeks, days, hours, minutes and seconds',
    ],
    [
      { bulk_api_calls: [{ value: 1, duration: 'P' }] },
      'Property .bulk_api_calls[0].duration must be an ISO 8601 duration of weeks, days, hours, minutes and seconds',
    ],
    [{ campaign_vouchers: -1 }, 'Property .campaign_vouchers must be >= 0'],
    [{ earning_rules: '5' }, 'Property .earning_rules must be integer'],
    [[], 'Payload must be object,null'],
  ])('%j is refused: %s', async (limits, details) => {
    const project = await createProject()
    expect(await manage('PUT', `/projects/${project.id}/limits`, limits)).toMatchObject({
      status: 400,
      body: { key: 'invalid_payload', details },
    })
    expect((await manage('GET', `/projects/${project.id}`)).body).toEqual(project)
  })
})

describe('DELETE /projects/{projectId}', () => {
  const tokenOf = async (shop: Shop) =>
    send(shop.service.app, 'POST', '/v1/oauth/token', 'grant_type=client_credentials&scope=api', {
      'x-app-id': shop.app_id,
      'x-app-token': shop.app_token,
      'content-type': 'application/x-www-form-urlencoded',
    })

  test('all access to the project is revoked at once, and a job is queued to delete its data', async () => {
    const [shop, other] = [await newProject(), await newProject()]
    await shop.call('POST', '/v1/categories', { name: 'Summer', hierarchy: 0 })
    const { body: issued } = await tokenOf(shop)
    const bearer = { authorization: `Bearer ${issued.access_token}` }
    expect(await shop.call('GET', '/v1/categories', undefined, bearer)).toMatchObject({ status: 200 })

    expect(await shop.manage('DELETE', '')).toMatchObject({ status: 204, body: null })

    expect(await shop.call('GET', '/v1/categories')).toMatchObject({ status: 401 })
    expect(await shop.call('GET', '/v1/categories', undefined, bearer)).toMatchObject({ status: 401 })
    expect(await tokenOf(shop)).toMatchObject({ status: 401 })
    for (const [method, path, body] of [
      ...allOperations('').slice(2),
      ['GET', '/projects//api-keys'],
      ['POST', '/projects//stacking-rules', {}],
    ] as const)
      expect(await shop.manage(method, path.replace('/projects/', ''), body)).toMatchObject({
        status: 404,
        body: { key: 'not_found', resource_id: shop.project_id, resource_type: 'project' },
      })
    const { data } = (await send(shop.service.app, 'GET', '/management/v1/projects', undefined, shop.management))
      .body as {
      data: Array<{ id: string }>
    }
    expect(data.map(({ id }) => id)).toContain(other.project_id)
    expect(data.map(({ id }) => id)).not.toContain(shop.project_id)

    const { db } = shop.service.runtime.database
    for (const table of ['api_keys', 'oauth_tokens', 'project_users'] as const)
      expect(await db.selectFrom(table).where('project_id', '=', shop.project_id).selectAll().execute()).toEqual([])
    const { rows } = await shop.service.runtime.database.execute(
      `select data from pgboss.job where name = 'purge-project' and data->>'project_id' = $1`,
      [shop.project_id],
    )
    expect(rows).toEqual([{ data: { project_id: shop.project_id } }])
    expect(await other.call('GET', '/v1/categories')).toMatchObject({ status: 200 })
  })

  test('the job deletes the data once the request timeout has passed, when no earlier request can still write', async () => {
    // By this clock the project was deleted three minutes ago, so the job is due.
    const only = operations.filter(({ path }) => path.startsWith('/management/v1/projects'))
    const { runtime, manage, made } = await newInstallation({ now: () => Date.now() - 180_000, only })
    const { db } = runtime.database
    const { body: shop } = await manage('POST', '/projects', required)
    for (const { id } of [shop, { id: made.project_id }]) await manage('POST', `/projects/${id}/stacking-rules`, {})
    await manage('DELETE', `/projects/${shop.id}`)
    expect(await db.selectFrom('stacking_rules').selectAll().execute()).toHaveLength(2)

    await startJobs(runtime)
    await until(async () => {
      const projects = await db.selectFrom('projects').select('id').execute()
      return projects.length === 1 ? projects : undefined
    })
    expect(await db.selectFrom('stacking_rules').selectAll().execute()).toMatchObject([{ project_id: made.project_id }])
  })

  test('of 5 concurrent deletions of a project, one succeeds', async () => {
    const { id } = await createProject()
    const answers = await Promise.all(Array.from({ length: 5 }, () => manage('DELETE', `/projects/${id}`)))
    expect(answers.map(({ status }) => status).sort()).toEqual([204, 404, 404, 404, 404])
  })

  test('the sandbox project cannot be deleted', async () => {
    const path = `/projects/${installation.made.project_id}`
    expect(await manage('DELETE', path)).toMatchObject({
      status: 403,
      body: { key: 'forbidden', details: 'Sandbox project cannot be deleted' },
    })
    expect(await manage('GET', path)).toMatchObject({ status: 200, body: { is_sandbox: true } })
  })
})
