import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import { sql } from 'kysely'
import type { Static } from 'typebox'
import { describe, expect, test } from 'vitest'
import { insertApiKey } from '../../account/api-keys/store.ts'
import { purgeProject } from '../../account/projects/purge.ts'
import { limits } from '../../core/lib/limits.ts'
import { operations } from '../../operations.ts'
import { type Answer, newProject, type Shop, send } from '../../testing/app.ts'
import { newAuditEntry } from '../../testing/audit-entry.ts'
import { until } from '../../testing/background.ts'
import { openNode, ownDatabase } from '../../testing/nodes.ts'
import { insertTestProject } from '../../testing/project.ts'
import { sendCsv } from '../../testing/voucher-imports.ts'
import type { AuditLogEntry, AuditLogList } from './schema.ts'

const newShop = (options: Parameters<typeof newProject>[0] = {}) =>
  newProject({ ...options, env: { AUDIT_LOG: 'on', ...options.env } })

type AuditLogPage = Static<typeof AuditLogList>

const form = { 'content-type': 'application/x-www-form-urlencoded' }

const requestIdOf = ({ headers }: Answer<unknown>): string => String(headers['x-request-id'])

/** The entry of an answered request. */
async function entryOf(shop: Shop, answer: Answer<unknown>): Promise<AuditLogEntry> {
  return until(async () => (await find(shop, requestIdOf(answer))) ?? undefined)
}

async function find(shop: Shop, requestId: string): Promise<AuditLogEntry | null> {
  await shop.service.runtime.auditLog.flush()
  const { status, body } = await shop.manage('GET', `/audit-log?request_id=${requestId}`)
  expect(status).toBe(200)
  return body.data[0] ?? null
}

/** Whether a request was logged, asked after a later one was. */
async function isLogged(shop: Shop, requestId: string): Promise<boolean> {
  await entryOf(shop, await shop.call('GET', '/v1/categories'))
  return (await find(shop, requestId)) !== null
}

test('an entry tells who called what, and with which result', async () => {
  const shop = await newShop()
  const answer = await shop.call(
    'POST',
    '/v1/categories?a=b',
    { name: 'Toys', hierarchy: 1 },
    { 'x-request-id': 'mine' },
  )
  expect(await entryOf(shop, answer)).toEqual({
    id: requestIdOf(answer).replace('v-', 'log_'),
    created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    status: 'SUCCESS',
    status_code: 200,
    request_id: requestIdOf(answer),
    client_request_id: 'mine',
    channel: 'API',
    method: 'POST',
    endpoint: 'POST_v1_categories',
    url: '/v1/categories?a=b',
    user_email: null,
    app_id: shop.app_id,
    client_app_id: null,
    request_duration: expect.any(Number),
    request_body: { name: 'Toys', hierarchy: 1 },
    response_body: answer.body,
    async_action_id: null,
    object: 'audit_log_entry',
  })
})

describe('what is logged', () => {
  test.each<[string, (shop: Shop) => Promise<Answer<unknown>>, Partial<AuditLogEntry>]>([
    [
      'a failure',
      (shop) => shop.call('GET', '/v1/categories/nothing'),
      { status: 'FAILURE', status_code: 404, endpoint: 'GET_v1_categories', request_body: null },
    ],
    [
      'malformed JSON, as text',
      (shop) => shop.call('POST', '/v1/categories', '{"name":', { 'content-type': 'application/json' }),
      { status_code: 400, request_body: '{"name":' },
    ],
    [
      'an unsupported media type, as text',
      (shop) => shop.call('POST', '/v1/categories', 'name=x', { 'content-type': 'text/plain' }),
      { status_code: 415, request_body: 'name=x' },
    ],
    [
      'bytes of another type: only their size',
      (shop) => shop.call('POST', '/v1/categories', '0123456789', { 'content-type': 'image/png' }),
      { status_code: 415, request_body: '(image/png, 10 bytes)' },
    ],
    [
      'a request without a body',
      (shop) => shop.call('DELETE', '/v1/categories/nothing'),
      { method: 'DELETE', endpoint: 'DELETE_v1_categories', status_code: 404, request_body: null },
    ],
    [
      'HEAD, without a body',
      (shop) => shop.call('HEAD', '/v1/categories'),
      { method: 'HEAD', endpoint: 'HEAD_v1_categories', status_code: 200, response_body: null },
    ],
    [
      'a route of several words',
      (shop) => shop.call('GET', '/v1/validation-rules/nothing/assignments'),
      { endpoint: 'GET_v1_validation_rules_assignments' },
    ],
    [
      'the two headers, without what looks like a secret',
      (shop) =>
        shop.call('GET', '/v1/categories', undefined, {
          'x-voucherify-channel': 'token=abc',
          'x-request-id': 'track_v2.abc',
        }),
      { channel: 'token=***', client_request_id: 'track_v2.***' },
    ],
    [
      'the name that an application gives itself',
      (shop) => shop.call('GET', '/v1/categories', undefined, { 'x-voucherify-channel': ` Till ${'9'.repeat(300)}` }),
      { channel: `Till ${'9'.repeat(249)}` },
    ],
    [
      'a client-side request',
      (shop) => shop.call('GET', '/client/v1/promotions/tiers'),
      { channel: 'CLIENT_API', endpoint: 'GET_client_v1_promotions_tiers' },
    ],
    [
      'a refused origin',
      (shop) => shop.call('GET', '/client/v1/promotions/tiers', undefined, { origin: 'https://elsewhere.test' }),
      { status_code: 403, channel: 'CLIENT_API' },
    ],
    [
      'a disabled client-side operation',
      (shop) => shop.call('POST', '/client/v1/publish', { campaign: 'x', customer: { source_id: 'c' } }),
      { status_code: 403, endpoint: 'POST_client_v1_publish', request_body: null },
    ],
    [
      'an unsupported version',
      (shop) => shop.call('GET', '/v1/categories', undefined, { 'x-voucherify-api-version': 'v1' }),
      { status_code: 400 },
    ],
    [
      'a key pair without a token, by its key',
      (shop) => send(shop.service.app, 'GET', '/v1/categories', undefined, pairOf(shop)),
      { status_code: 401, response_body: null },
    ],
    [
      'a wrong secret, by the key that it is for',
      (shop) => send(shop.service.app, 'POST', '/v1/oauth/token', 'scope=api', { ...form, ...pairOf(shop, 'wrong') }),
      { status_code: 401, endpoint: 'POST_v1_oauth_token', request_body: null },
    ],
    [
      'a token without a key pair, by the key that issued it',
      ({ service, headers }) =>
        send(service.app, 'GET', '/v1/categories', undefined, { authorization: headers.authorization as string }),
      { status_code: 401 },
    ],
  ])('%s', async (_, request, expected) => {
    const shop = await newShop()
    const answer = await request(shop)
    expect(await entryOf(shop, answer)).toMatchObject({ app_id: shop.app_id, status_code: answer.status, ...expected })
  })

  test('a missing permission, by the key that lacks it', async () => {
    const shop = await newShop()
    const { key, secret } = await insertApiKey(shop.service.runtime.database.db, {
      project_id: shop.project_id,
      name: 'Reader',
      kind: 'server',
      role: 'VIEWER',
      ip_whitelist: [],
      is_primary: false,
      created_at: new Date().toISOString(),
    })
    const reader = { 'x-app-id': key.app_id, 'x-app-token': secret }
    const answer = await shop.call('POST', '/v1/categories', { name: 'x', hierarchy: 1 }, reader)
    expect(await entryOf(shop, answer)).toMatchObject({ status_code: 403, app_id: key.app_id, request_body: null })
  })

  test('the keys of both sides', async () => {
    const shop = await newShop({ env: { AUTH_MODE: 'either' }, project: { client_trusted_domains: ['*'] } })
    const path = '/client/v1/promotions/tiers'
    const pair = { 'x-client-application-id': shop.client_id, 'x-client-token': shop.client_token }
    const fromPage = await send(shop.service.app, 'GET', path, undefined, { ...pair, origin: 'https://shop.test' })
    expect(await entryOf(shop, fromPage)).toMatchObject({ app_id: null, client_app_id: shop.client_id })
    const withBoth = await shop.call('GET', path, undefined, pair)
    expect(await entryOf(shop, withBoth)).toMatchObject({ app_id: shop.app_id, client_app_id: shop.client_id })
    const refused = await send(shop.service.app, 'GET', path, undefined, { ...pair, 'x-client-token': 'wrong' })
    expect(await entryOf(shop, refused)).toMatchObject({
      status_code: 401,
      client_app_id: shop.client_id,
      app_id: null,
    })
  })

  test('calls above the limit of a page: short, few, and counted', async () => {
    const env = { AUTH_MODE: 'either', CLIENT_RATE_LIMIT: '1/PT1H' }
    const shop = await newShop({ env, project: { client_trusted_domains: ['*'] } })
    const { auditLog } = shop.service.runtime
    const pair = { 'x-client-application-id': shop.client_id, 'x-client-token': shop.client_token }
    const page = { ...pair, origin: 'https://shop.test' }
    const url = `/client/v1/promotions/tiers?a=${'x'.repeat(8_000)}`
    const counts = new Map<number, number>()
    for (let n = 0; n < 60; n += 1) {
      const { status } = await send(shop.service.app, 'GET', url, undefined, page)
      counts.set(status, (counts.get(status) ?? 0) + 1)
    }
    expect(counts.get(429)).toBeGreaterThan(40)
    await until(async () => {
      await auditLog.flush()
      const { written, dropped_refused } = auditLog.counts()
      return written + dropped_refused === 60 ? true : undefined
    })
    const { body } = await shop.manage('GET', '/audit-log?limit=100')
    const refused: AuditLogEntry[] = body.data.filter(({ status_code }: AuditLogEntry) => status_code === 429)
    expect(refused.length).toBeGreaterThan(0)
    expect(refused.length + auditLog.counts().dropped_refused).toBe(counts.get(429))
    for (const { url: logged, response_body, client_app_id } of refused)
      expect({ logged, response_body, client_app_id }).toEqual({
        logged: url.slice(0, 1_024),
        response_body: null,
        client_app_id: shop.client_id,
      })
  })

  test('a refused origin: short, without bodies', async () => {
    const shop = await newShop()
    const url = `/client/v1/promotions/tiers?a=${'x'.repeat(8_000)}`
    const answer = await shop.call('GET', url, undefined, { origin: 'https://elsewhere.test' })
    expect(await entryOf(shop, answer)).toMatchObject({
      status_code: 403,
      url: url.slice(0, 1_024),
      response_body: null,
      app_id: shop.app_id,
    })
  })

  test.each<[string, (shop: Shop) => Promise<Answer<unknown>>, number]>([
    ['a management call', (shop) => shop.manage('GET', '/api-keys'), 200],
    [
      'a management call with a wrong secret',
      (shop) =>
        send(shop.service.app, 'GET', '/management/v1/projects', undefined, {
          ...pairOf(shop),
          'x-management-id': shop.management_id,
          'x-management-token': 'x',
        }),
      401,
    ],
    ['an unknown route', (shop) => shop.call('GET', '/v1/nothing'), 404],
    ['another method', (shop) => shop.call('DELETE', '/v1/events'), 405],
    ['OPTIONS', (shop) => shop.call('OPTIONS', '/v1/categories'), 405],
    [
      'a preflight',
      (shop) =>
        shop.call('OPTIONS', '/client/v1/validations', undefined, {
          origin: 'https://a.test',
          'access-control-request-method': 'POST',
        }),
      204,
    ],
    ['an id with U+0000', (shop) => shop.call('GET', '/v1/categories/%00'), 404],
    ['a path that cannot be decoded', (shop) => shop.call('GET', '/v1/categories/%ff%'), 404],
    ['a URL that is too long', (shop) => shop.call('GET', `/v1/categories?a=${'x'.repeat(20_000)}`), 413],
    ['an address without credentials', (shop) => shop.call('GET', '/v1/task-results/nothing'), 404],
    [
      'a media type that is not served',
      (shop) => shop.call('GET', '/v1/categories', undefined, { accept: 'text/html' }),
      406,
    ],
    [
      'credentials of nobody',
      (shop) =>
        send(shop.service.app, 'GET', '/v1/categories', undefined, {
          'x-app-id': 'nobody',
          'x-app-token': 'x',
          authorization: 'Bearer nobody',
        }),
      401,
    ],
    ['no credentials', (shop) => send(shop.service.app, 'GET', '/v1/categories'), 401],
    ['health', (shop) => send(shop.service.app, 'GET', '/health/live'), 200],
  ])('not %s', async (_, request, status) => {
    const shop = await newShop()
    const answer = await request(shop)
    expect(answer.status).toBe(status)
    expect(await isLogged(shop, requestIdOf(answer))).toBe(false)
  })

  test('a repeated reply is a request of its own', async () => {
    const shop = await newShop()
    const create = () => shop.call('POST', '/v1/categories', { name: 'Once', hierarchy: 1 }, { 'idempotency-key': 'k' })
    const [first, second] = [await create(), await create()]
    expect(second.headers['idempotency-replayed']).toBe('true')
    for (const answer of [first, second])
      expect(await entryOf(shop, answer)).toMatchObject({ status_code: 200, response_body: first.body })
  })

  test('a request whose caller went away', async () => {
    const { database } = await ownDatabase()
    const only = operations.filter(({ path }) => path === '/v1/categories')
    const node = await openNode(database, { env: { AUDIT_LOG: 'on' }, only })
    const keys = await insertTestProject(node.runtime, {})
    await node.app.listen({ port: 0, host: '127.0.0.1' })
    const socket = connect((node.app.server.address() as AddressInfo).port, '127.0.0.1')
    await once(socket, 'connect')
    const lines = [
      'POST /v1/categories HTTP/1.1',
      'Host: x',
      `X-App-Id: ${keys.app_id}`,
      `X-App-Token: ${keys.app_token}`,
    ]
    lines.push(`Authorization: Bearer ${keys.access_token}`, 'Content-Type: application/json', 'Content-Length: 1000')
    socket.write(`${lines.join('\r\n')}\r\n\r\n{"name":`)
    await until(() => (node.runtime.credentials.cacheStats().entries > 2 ? true : undefined)) // it was admitted
    socket.destroy()
    const rows = await until(async () => {
      await node.runtime.auditLog.flush()
      const found = await database.db.selectFrom('audit_log').selectAll().execute()
      return found.length > 0 ? found : undefined
    })
    expect(rows).toMatchObject([{ status_code: 499, endpoint: 'POST_v1_categories', request_body: null }])
  })

  test('nothing of another project', async () => {
    const [shop, other] = [await newShop(), await newShop()]
    const answer = await shop.call('GET', '/v1/categories')
    await entryOf(shop, answer)
    expect(await find(other, requestIdOf(answer))).toBeNull()
    expect((await other.manage('GET', '/audit-log')).body.data).toEqual([])
  })

  test('no bodies, or nothing, if the operator says so', async () => {
    const without = await newShop({ env: { AUDIT_LOG: 'without_bodies' } })
    const answer = await without.call('POST', '/v1/categories', { name: 'x', hierarchy: 1 })
    expect(await entryOf(without, answer)).toMatchObject({ status_code: 200, request_body: null, response_body: null })
    const off = await newShop({ env: { AUDIT_LOG: 'off' } })
    await off.call('GET', '/v1/categories')
    expect(off.service.runtime.auditLog.counts()).toMatchObject({ written: 0, waiting_bytes: 0 })
    expect((await off.manage('GET', '/audit-log')).body).toMatchObject({ data: [], has_more: false })
  })
})

function pairOf(shop: Shop, secret = shop.app_token): Record<string, string> {
  return { 'x-app-id': shop.app_id, 'x-app-token': secret }
}

describe('bodies', () => {
  test('tokens of OAuth are masked', async () => {
    const shop = await newShop()
    const asked = 'grant_type=client_credentials&scope=api&client_secret=hush'
    const answer = await shop.call('POST', '/v1/oauth/token', asked, form)
    const token = (answer.body as { access_token: string }).access_token
    expect(await entryOf(shop, answer)).toMatchObject({
      request_body: { grant_type: 'client_credentials', scope: 'api', client_secret: '***' },
      response_body: { access_token: '***', token_type: 'Bearer', scope: 'api' },
    })
    for (const path of ['/v1/oauth/introspect', '/v1/oauth/token/revoke']) {
      const entry = await entryOf(shop, await shop.call('POST', path, `access_token=${token}`, form))
      expect(entry).toMatchObject({ status: 'SUCCESS', request_body: { access_token: '***' } })
    }
    const { rows } = await sql`select from audit_log where audit_log::text like ${`%${token}%`}`.execute(
      shop.service.runtime.database.db,
    )
    expect(rows).toEqual([])
  })

  test('proofs of identity are masked, in the URL too', async () => {
    const shop = await newShop()
    const { body: customer } = await shop.call('POST', '/v1/customers', { source_id: 'c-1' })
    const issued = await shop.call('GET', `/v1/customers/${customer.id}/tracking-id`)
    expect(issued.body.tracking_id).toMatch(/^track_/)
    expect(await entryOf(shop, issued)).toMatchObject({ response_body: { tracking_id: '***' } })
    const asked = await shop.call('GET', `/client/v1/validate?code=X&tracking_id=${issued.body.tracking_id}`)
    expect(await entryOf(shop, asked)).toMatchObject({ url: '/client/v1/validate?code=X&tracking_id=***' })
    const proof = issued.body.tracking_id
    for (const answer of [
      await shop.call('PUT', `/client/v1/customers/${proof}/consents`, { consents: [] }),
      await shop.call('GET', `/client/v1/vouchers?customer=${proof}`),
      await shop.call('POST', '/client/v1/validations', { customer: { id: proof }, redeemables: [] }),
    ])
      expect(JSON.stringify(await entryOf(shop, answer))).toContain('track_v2.***')
    const { rows } = await sql`select from audit_log where audit_log::text like ${`%${proof}%`}`.execute(
      shop.service.runtime.database.db,
    )
    expect(rows).toEqual([])
  })

  test.each([
    [
      'accepted',
      '/v1/categories',
      (n: number) => `{"name":"n${n}","hierarchy":1,"x":"`,
      200,
      limits.audit_body_bytes_max,
    ],
    ['refused', '/v1/categories', () => '{"name":1,"x":"', 400, limits.audit_refusal_bytes_max],
    ['client-side', '/client/v1/validations', () => '{"redeemables":1,"x":"', 400, limits.audit_public_bytes_max],
    [
      'accepted client-side',
      '/client/v1/validations',
      () => '{"redeemables":[{"object":"voucher","id":"none"}],"x":"',
      200,
      limits.audit_public_bytes_max,
    ],
  ] as const)(
    'the long body of a request that is %s is cut between two characters, and shown as text',
    async (...given) => {
      const [, path, startOf, status, max] = given
      const shop = await newShop()
      for (const [character, bytes] of [
        ['a', 1],
        ['é', 2],
        ['€', 3],
        ['😀', 4],
      ] as const) {
        const start = startOf(bytes)
        const body = `${start}${character.repeat(max / bytes)}"}`
        const answer = await shop.call('POST', path, body, { 'content-type': 'application/json' })
        expect(answer.status).toBe(status)
        const { request_body: text } = await entryOf(shop, answer)
        expect(text).toBe(start + character.repeat(Math.floor((max - start.length) / bytes)))
      }
    },
  )

  test('a client-side request adds little, whatever it sends', async () => {
    const shop = await newShop()
    const url = `/client/v1/validate?code=none&metadata[a]=${'x'.repeat(7_000)}`
    const entry = await entryOf(shop, await shop.call('GET', url))
    expect(entry.url).toBe(url.slice(0, limits.audit_public_bytes_max))
    const redeemables = Array.from({ length: 30 }, (_, n) => ({ object: 'voucher', id: `${n}`.repeat(100) }))
    const answer = await shop.call('POST', '/client/v1/validations', { redeemables })
    expect(JSON.stringify(answer.body).length).toBeGreaterThan(limits.audit_public_bytes_max)
    const { response_body: text } = await entryOf(shop, answer)
    expect(text).toBe(JSON.stringify(answer.body).slice(0, limits.audit_public_bytes_max))
  })

  test('a body of exactly the limit is whole; so is the beginning of a long reply', async () => {
    const shop = await newShop()
    const body = (length: number) => ({ name: 'x', hierarchy: 1, more: 'y'.repeat(length) })
    const fitting = body(limits.audit_body_bytes_max - JSON.stringify(body(0)).length)
    expect(await entryOf(shop, await shop.call('POST', '/v1/categories', fitting))).toMatchObject({
      request_body: fitting,
    })

    const metadata = { text: 'ß'.repeat(20_000) }
    for (const n of [1, 2, 3]) await shop.call('POST', '/v1/customers', { source_id: `long-${n}`, metadata })
    const list = await shop.call('GET', '/v1/customers')
    const { response_body: text } = await entryOf(shop, list)
    const whole = JSON.stringify(list.body)
    expect(Buffer.byteLength(whole)).toBeGreaterThan(120_000)
    expect(Buffer.byteLength(text as string)).toBeGreaterThan(limits.audit_body_bytes_max - 2)
    expect(whole.startsWith(text as string)).toBe(true)
  })

  test('of an uploaded file only its size is logged, and the action that it starts', async () => {
    const shop = await newShop()
    const answer = await sendCsv(shop, '/v1/vouchers/importCSV', 'Code,Value\nA,1\n')
    expect(answer.status).toBe(202)
    expect(await entryOf(shop, answer)).toMatchObject({
      endpoint: 'POST_v1_vouchers_import_csv',
      request_body: expect.stringMatching(/^\(multipart\/form-data, \d+ bytes\)$/),
      async_action_id: (answer.body as { async_action_id: string }).async_action_id,
    })
  })

  test('what is no UTF-8 becomes U+FFFD, other bytes are shown as they were sent', async () => {
    const shop = await newShop()
    const bytes = Buffer.from([0x7b, 0xff, 0xfe, 0x00, 0x1e, 0x41, 0xc3])
    const json = { 'content-type': 'application/json' }
    const answer = await shop.call('POST', '/v1/categories', bytes, json)
    const next = await shop.call('POST', '/v1/categories', '{"a":"\\u0000\\ud800"}', json)
    expect(await entryOf(shop, answer)).toMatchObject({
      status_code: 400,
      request_body: '{\ufffd\ufffd\0\u001eA\ufffd',
    })
    expect(await entryOf(shop, next)).toMatchObject({ status_code: 400, request_body: { a: '\0\ud800' } })
    const odd = await shop.call('GET', '/v1/categories?a=%00%ff&b=\u00e9')
    expect(await entryOf(shop, odd)).toMatchObject({ url: expect.stringMatching(/^\/v1\/categories\?a=%00%ff&b=/) })
  })

  test('a body that is nested too deeply is text, and the page with it is shown', async () => {
    const shop = await newShop()
    const json = { 'content-type': 'application/json' }
    const deep = '['.repeat(4_000) + ']'.repeat(4_000)
    const answer = await shop.call('POST', '/v1/categories', deep, json)
    expect(answer.status).toBe(400)
    expect(await entryOf(shop, answer)).toMatchObject({ request_body: deep })
    const allowed = `{"a":${'['.repeat(90)}${']'.repeat(90)}}`
    const next = await shop.call('POST', '/v1/categories', allowed, json)
    expect(JSON.stringify((await entryOf(shop, next)).request_body)).toBe(allowed)
  })

  test('a very long URL is cut', async () => {
    const shop = await newShop()
    const url = `/v1/categories?a=${'x'.repeat(12_000)}`
    expect((await entryOf(shop, await shop.call('GET', url))).url).toBe(url.slice(0, limits.audit_url_length_max))
    const refused = await send(shop.service.app, 'GET', url, undefined, pairOf(shop))
    expect((await entryOf(shop, refused)).url).toBe(url.slice(0, 1_024))
  })
})

describe('the list', () => {
  /** Requests of one shop over four days, oldest first. */
  async function shopWithHistory() {
    const shop = await newShop({ env: { OAUTH_TOKEN_TTL_SECONDS: '1' } }) // a service of its own, whose clock may move
    const { clock, runtime } = shop.service
    await runtime.database.db
      .updateTable('oauth_tokens')
      .set({ expires_at: '2099-01-01T00:00:00.000Z' })
      .where('project_id', '=', shop.project_id)
      .execute()
    const asked: Answer<unknown>[] = []
    for (const day of [1, 2, 3, 4])
      for (const hour of ['06', '18']) {
        clock.set(`2031-05-0${day}T${hour}:00:00.000Z`)
        asked.push(await shop.call('GET', hour === '06' ? '/v1/categories' : '/v1/categories/nothing'))
      }
    for (const answer of asked) await entryOf(shop, answer)
    clock.set('2031-05-04T20:00:00.000Z')
    const days = async (query: string) => {
      const { status, body } = await shop.manage('GET', `/audit-log?${query}`)
      expect(status).toBe(200)
      return body.data.map(({ created_at }: AuditLogEntry) => created_at.slice(8, 13))
    }
    return { shop, days, asked }
  }

  test('is newest first, of the last 24 hours or of the time asked for, by filters', async () => {
    const { shop, days, asked } = await shopWithHistory()
    expect(await days('')).toEqual(['04T18', '04T06'])
    const allTime = 'created_at[after]=2031-01-01'
    expect(await days(allTime)).toEqual(['04T18', '04T06', '03T18', '03T06', '02T18', '02T06', '01T18', '01T06'])
    expect(await days('created_at[before]=2031-05-03T06:00:00Z')).toEqual(['02T18', '02T06'])
    expect(await days('created_at[after]=2031-05-02T06:01&created_at[before]=2031-05-03T07:00')).toEqual([
      '03T06',
      '02T18',
    ])
    expect(await days('created_at[before]=2031-05-01&created_at[after]=2031-05-03')).toEqual([])
    expect(await days('created_at[after]=1900-01-01&limit=1')).toEqual(['04T18'])
    expect(await days(`${allTime}&status=FAILURE`)).toEqual(['04T18', '03T18', '02T18', '01T18'])
    expect(await days(`${allTime}&status=SUCCESS&limit=2`)).toEqual(['04T06', '03T06'])
    expect(await days(`${allTime}&method=GET&endpoint=GET_v1_categories&status=SUCCESS&limit=1`)).toEqual(['04T06'])
    expect(await days(`${allTime}&method=POST`)).toEqual([])
    expect(await days(`${allTime}&endpoint=GET_v1_vouchers`)).toEqual([])
    expect(await days(`${allTime}&app_id=${shop.app_id}&limit=1`)).toEqual(['04T18'])
    expect(await days(`${allTime}&app_id=other`)).toEqual([])
    expect(await days(`request_id=${requestIdOf(asked[0] as Answer)}`)).toEqual(['01T06'])
    expect(await days(`request_id=${requestIdOf(asked[0] as Answer)}&status=FAILURE`)).toEqual([])
    expect(await days(`request_id=${requestIdOf(asked[0] as Answer)}&created_at[after]=2031-05-02`)).toEqual([])
    expect(await days('request_id=nothing')).toEqual([])
  })

  test('continues after an entry, also one that no longer exists', async () => {
    const { shop, asked } = await shopWithHistory()
    const seen: string[] = []
    let after = ''
    do {
      const { body } = await shop.manage('GET', `/audit-log?limit=3&created_at[after]=2031-01-01${after}`)
      seen.push(...body.data.map(({ request_id }: AuditLogEntry) => request_id))
      expect(body.has_more).toBe(seen.length < 8)
      expect(body.more_starting_after).toBe(body.has_more ? body.data.at(-1).id : undefined)
      after = `&starting_after_id=${body.more_starting_after}`
      await sql`delete from audit_log where project_id = ${shop.project_id} and id = ${body.data.at(-1).id}`.execute(
        shop.service.runtime.database.db,
      )
    } while (seen.length < 8)
    expect(seen).toEqual(asked.map(requestIdOf).reverse())
  })

  test('a page is limited in bytes, and the next one continues it', async () => {
    const shop = await newShop()
    const { auditLog } = shop.service.runtime
    const body = `{"x":[${'{},'.repeat(21_000)}{}]}`
    const entries = Array.from({ length: 20 }, (_, n) =>
      newAuditEntry(shop.project_id, shop.service.runtime.now() - 1_000 + n, {
        request_body: body,
        response_body: body,
      }),
    )
    for (const entry of entries) auditLog.record(entry)
    await auditLog.flush()
    const seen: string[] = []
    let more: string | undefined
    let pages = 0
    do {
      const after: string = more === undefined ? '' : `&starting_after_id=${more}`
      const answer: Answer<AuditLogPage> = await shop.manage('GET', `/audit-log?limit=100${after}`)
      expect(answer.status).toBe(200)
      const { data, has_more, more_starting_after } = answer.body
      expect(data.length).toBeLessThanOrEqual(limits.audit_page_bytes_max / (2 * body.length))
      expect(has_more).toBe(seen.length + data.length < entries.length)
      seen.push(...data.map(({ request_id }) => request_id))
      more = more_starting_after
      pages += 1
    } while (more !== undefined && pages < 10)
    expect(seen).toEqual(entries.map(({ request_id }) => request_id).reverse())
    expect(pages).toBe(2)
  })

  test.each([
    ['starting_after_id=aa_1', 'Property .starting_after_id must be the id of an object in this list'],
    ['starting_after_id=zz', 'Property .starting_after_id must be the id of an object in this list'],
    ['limit=101', 'Property .limit must be <= 100'],
    ['status=OK', 'Property .status must be equal to one of the allowed values [ SUCCESS, FAILURE ]'],
    ['method=PATCH', 'Property .method must be equal to one of the allowed values [ GET, HEAD, POST, PUT, DELETE ]'],
    ['created_at[after]=yesterday', expect.stringContaining('.created_at.after')],
  ])('refuses %s', async (query, details) => {
    const shop = await newShop()
    const { status, body } = await shop.manage('GET', `/audit-log?${query}`)
    expect({ status, key: body.key, details: body.details }).toEqual({
      status: 400,
      key: 'invalid_query_params',
      details,
    })
  })
})

test('the entries of a deleted project are deleted with it, and none follow', async () => {
  const shop = await newShop()
  const { runtime } = shop.service
  const { db } = runtime.database
  for (let n = 0; n < 3; n += 1) await entryOf(shop, await shop.call('GET', '/v1/categories'))
  const count = async () =>
    (await db.selectFrom('audit_log').where('project_id', '=', shop.project_id).select('id').execute()).length
  expect(await count()).toBe(3)
  const late = await shop.call('GET', '/v1/categories')
  await sql`update projects set deleted_at = now() where id = ${shop.project_id}`.execute(db)
  await purgeProject(db, shop.project_id)
  expect(late.status).toBe(200)
  await runtime.auditLog.flush()
  expect(await count()).toBe(0)
})
