import { sql } from 'kysely'
import { beforeAll, describe, expect, test } from 'vitest'
import { maintain } from '../../core/jobs/maintenance.ts'
import { toInstant } from '../../core/lib/instant.ts'
import { limits } from '../../core/lib/limits.ts'
import { version } from '../../core/lib/version.ts'
import { operations } from '../../operations.ts'
import { type Answer, newClock, newProject, type Shop, send, uniqueName } from '../../testing/app.ts'
import { until } from '../../testing/background.ts'
import { testDatabase } from '../../testing/database.ts'
import { untilFinal } from '../../testing/event-list.ts'
import { type Node, openNode, ownDatabase } from '../../testing/nodes.ts'
import { insertTestProject } from '../../testing/project.ts'
import { newSignedInUser } from '../../testing/sessions.ts'
import { signInMaintenance } from './retention.ts'

let shop: Shop
beforeAll(async () => {
  shop = await newProject()
})

type Headers = Record<string, string>

const call = (method: string, path: string, body: unknown, headers: Headers) =>
  // biome-ignore lint/suspicious/noExplicitAny: an answer in a test is whatever the test expects of it
  send(shop.service.app, method, path, body, headers) as Promise<Answer<any>>
const inShop = () => ({ 'x-project-id': shop.project_id })
const newUser = (role: 'ADMIN' | 'USER' | 'VIEWER' = 'USER') =>
  newSignedInUser(shop.service.runtime, { [shop.project_id]: role })
const category = () => ({ name: uniqueName('Toys'), hierarchy: 1 })

test('a visitor learns which ways to sign in there are', async () => {
  expect(await call('GET', '/auth/features', undefined, {})).toMatchObject({
    status: 200,
    body: { oidc: false, mail: false, guides: true, version },
  })
})

describe('a call by a session', () => {
  test('names its project in X-Project-Id', async () => {
    const { headers } = await newUser()
    expect(await call('GET', '/v1/categories', undefined, headers)).toMatchObject({
      status: 400,
      body: { key: 'missing_project_id', details: 'Missing header: X-Project-Id, the id of the project to work in' },
    })
    expect((await call('GET', '/v1/categories', undefined, { ...headers, ...inShop() })).status).toBe(200)
    expect((await call('POST', '/v1/categories', category(), { ...headers, ...inShop() })).status).toBe(200)
  })

  test('is ignored where the request has the headers of a key: a program that keeps cookies acts as its key', async () => {
    const { headers } = await newUser('VIEWER')
    const post = (more: Headers) => call('POST', '/v1/categories', category(), { ...headers, ...inShop(), ...more })
    expect((await post({})).status).toBe(403)
    expect((await post(shop.headers)).status).toBe(200)
    for (const wrong of [{ 'x-app-id': 'x' }, { 'x-app-token': 'x' }, { authorization: 'Bearer x' }])
      expect(await post(wrong)).toMatchObject({ status: 401, body: { key: 'unauthorized' } })
    const owner = await newSignedInUser(shop.service.runtime, 'owner')
    expect(
      await call('GET', '/management/v1/projects', undefined, { ...owner.headers, 'x-management-id': 'x' }),
    ).toMatchObject({ status: 401, body: { key: 'unauthorized' } })
  })

  test.each([
    { 'sec-fetch-site': 'same-origin' },
    { 'sec-fetch-site': 'same-origin', origin: 'http://localhost:5173' },
    { origin: 'http://127.0.0.1:8010' },
    { origin: 'http://localhost:8010', host: 'localhost:8010' },
  ])('changes something from a page of this service: %o', async (page) => {
    const { headers } = await newUser()
    const sent = { cookie: headers.cookie as string, ...inShop(), ...page } as Headers
    expect((await call('POST', '/v1/categories', category(), sent)).status).toBe(200)
  })

  test('reads without an origin', async () => {
    const { headers } = await newUser()
    const sent = { cookie: headers.cookie as string, ...inShop() }
    expect((await call('GET', '/v1/categories', undefined, sent)).status).toBe(200)
    expect((await call('GET', '/auth/session', undefined, sent)).status).toBe(200)
  })

  test('has no CORS headers, and no preflight is answered', async () => {
    const { headers } = await newUser()
    const { headers: answered } = await call('GET', '/v1/categories', undefined, {
      ...headers,
      ...inShop(),
      origin: 'https://evil.test',
    })
    expect(Object.keys(answered).filter((name) => name.startsWith('access-control'))).toEqual([])
    for (const path of ['/v1/categories', '/auth/session', '/management/v1/projects']) {
      const preflight = { origin: 'https://evil.test', 'access-control-request-method': 'POST' }
      expect((await call('OPTIONS', path, undefined, preflight)).status).toBe(405)
    }
  })

  test('shares no idempotency key with other users and with keys', async () => {
    const [ann, bob] = [await newUser(), await newUser()]
    const body = category()
    const key = { 'idempotency-key': uniqueName('once') }
    const first = await call('POST', '/v1/categories', body, { ...ann.headers, ...inShop(), ...key })
    expect(first.status).toBe(200)
    const again = await call('POST', '/v1/categories', body, { ...ann.headers, ...inShop(), ...key })
    expect(again.body.id).toBe(first.body.id)
    for (const other of [{ ...bob.headers, ...inShop() }, shop.headers])
      expect((await call('POST', '/v1/categories', body, { ...other, ...key })).headers['idempotency-replayed']).toBe(
        undefined,
      )
  })

  test('is one of the user in events and redemptions', async () => {
    const { headers, id, email } = await newUser()
    const post = (path: string, body: object) => call('POST', path, body, { ...headers, ...inShop() })
    const code = uniqueName('ANN')
    const customer = { source_id: uniqueName('customer') }
    const discount = { type: 'PERCENT', percent_off: 10 }
    expect((await post('/v1/vouchers', { code, type: 'DISCOUNT_VOUCHER', discount })).status).toBe(200)
    const redeemables = [{ object: 'voucher', id: code }]
    const redeemed = await post('/v1/redemptions', { redeemables, customer, order: { amount: 1_000 } })
    const channel = { channel_type: 'USER', channel_id: id }
    expect(redeemed.body.redemptions[0].channel).toEqual(channel)
    const rolledBack = await post(`/v1/redemptions/${redeemed.body.redemptions[0].id}/rollback`, {})
    expect(rolledBack.body.channel).toEqual(channel)
    await untilFinal(shop)
    const { body } = await shop.manage('GET', '/events?limit=1&type=redemption.succeeded')
    expect(body.data[0].event_source ?? body.data[0].data?.event_source).toEqual({
      channel: 'USER',
      user: { id },
      user_email: email,
    })
  })

  test('is in the audit log with the address of the user', async () => {
    const logged = await newProject({ env: { AUDIT_LOG: 'on' } })
    const { headers, email } = await newSignedInUser(logged.service.runtime, { [logged.project_id]: 'VIEWER' })
    const sent = { ...headers, 'x-project-id': logged.project_id, 'x-voucherify-channel': 'Somebody else' }
    for (const [method, status] of [
      ['GET', 200],
      ['POST', 403],
    ] as const) {
      const answer = await send(logged.service.app, method, '/v1/categories', method === 'GET' ? undefined : {}, sent)
      expect(answer.status).toBe(status)
      const entry = await until(async () => {
        await logged.service.runtime.auditLog.flush()
        const path = `/audit-log?request_id=${answer.headers['x-request-id']}`
        return (await logged.manage('GET', path)).body.data[0]
      })
      expect(entry).toMatchObject({ channel: 'USER', user_email: email, app_id: null, status_code: status })
    }
  })
})

describe('a session', () => {
  test('knows the roles of its user as they are', async () => {
    const { headers, id } = await newUser('USER')
    const statusOf = async () => (await call('POST', '/v1/categories', category(), { ...headers, ...inShop() })).status
    expect(await statusOf()).toBe(200)
    await shop.manage('PUT', `/users/${id}`, { role: 'VIEWER' })
    expect(await statusOf()).toBe(403)
    await shop.manage('PUT', `/users/${id}`, { role: 'ADMIN' })
    expect(await statusOf()).toBe(200)
    await shop.manage('DELETE', `/users/${id}`)
    expect(await call('GET', '/v1/categories', undefined, { ...headers, ...inShop() })).toMatchObject({
      status: 403,
      body: { key: 'forbidden' },
    })
    expect((await call('GET', '/auth/session', undefined, headers)).body.projects).toEqual([])
  })

  test('is listed with its last use, and can be ended', async () => {
    const { headers, id: userId, session_id } = await newUser()
    const other = await newUser()
    const { rows } = await sql<{ id: string }>`
      insert into user_sessions select 'uses_of_' || ${userId}, ${Buffer.from(uniqueName('x'))}, user_id, created_at,
        last_used_at - interval '1 minute', expires_at, 'Phone', '192.0.2.1' from user_sessions where id = ${session_id}
      returning id`.execute(shop.service.runtime.database.db)
    const elsewhere = rows[0]?.id as string
    const list = async () => (await call('GET', '/auth/sessions', undefined, headers)).body.sessions
    expect(await list()).toMatchObject([
      { id: session_id, user_agent: 'Test browser', address: '127.0.0.1', is_current: true },
      { id: elsewhere, user_agent: 'Phone', address: '192.0.2.1', is_current: false },
    ])
    const end = (id: string) => call('DELETE', `/auth/sessions/${id}`, undefined, headers)
    expect(await end(other.session_id)).toMatchObject({ status: 404, body: { key: 'not_found' } })
    expect((await call('GET', '/auth/session', undefined, other.headers)).status).toBe(200)
    const ended = await end(elsewhere)
    expect(ended.status).toBe(204)
    expect(ended.headers['set-cookie']).toBeUndefined()
    expect(await list()).toHaveLength(1)
    expect((await end(session_id)).headers['set-cookie']).toMatch(/^guerdon_session=; .*Max-Age=0/)
    expect((await call('GET', '/auth/session', undefined, headers)).status).toBe(401)
  })

  test('of a user who is deleted ends', async () => {
    const { headers, id } = await newUser()
    await shop.service.runtime.database.db
      .deleteFrom('users')
      .where('id', '=', id as `user_${string}`)
      .execute()
    shop.service.runtime.credentials.forget()
    expect((await call('GET', '/auth/session', undefined, headers)).status).toBe(401)
  })
})

test('the cookie is secure unless the service is on this machine only, without https', async () => {
  const database = await testDatabase()
  const only = operations.filter(({ id }) => id === 'signOut')
  const flagsOf = async (baseUrl: string) => {
    const { app, runtime } = await openNode(database, { env: { BASE_URL: baseUrl }, only })
    const { headers } = await newSignedInUser(runtime, {})
    const answer = await send(app, 'DELETE', '/auth/session', undefined, headers)
    return String(answer.headers['set-cookie']).split('; ').slice(3).sort()
  }
  const always = ['HttpOnly', 'SameSite=Lax']
  for (const local of ['http://127.0.0.1:8010', 'http://localhost:8010', 'http://[::1]:8010'])
    expect(await flagsOf(local), local).toEqual(always)
  for (const open of ['https://localhost', 'https://shop.test', 'http://shop.test', 'http://127.0.0.1.shop.test'])
    expect(await flagsOf(open), open).toEqual([...always, 'Secure'])
})

test('over https a page of the same name without https is another site', async () => {
  const secure = await newProject({ env: { BASE_URL: 'https://shop.test' } })
  const { headers } = await newSignedInUser(secure.service.runtime, { [secure.project_id]: 'USER' })
  const post = (origin: string) =>
    send(secure.service.app, 'POST', '/v1/categories', category(), {
      cookie: headers.cookie as string,
      'x-project-id': secure.project_id,
      host: 'shop.test',
      origin,
    })
  expect((await post('http://shop.test')).status).toBe(403)
  expect((await post('https://shop.test.evil.test')).status).toBe(403)
  expect((await post('https://shop.test')).status).toBe(200)
})

test('over https a cookie counts by the name that no other host of the domain can set, and of two cookies none', async () => {
  const secure = await newProject({ env: { BASE_URL: 'https://shop.test' } })
  const { app, runtime } = secure.service
  const user = await newSignedInUser(runtime, { [secure.project_id]: 'USER' })
  const own = user.headers.cookie as string
  expect(own).toMatch(/^__Host-guerdon_session=/)
  const statusWith = async (cookie: string) =>
    (await send(app, 'GET', '/v1/categories', undefined, { cookie, 'x-project-id': secure.project_id })).status
  const tossed = (await newSignedInUser(runtime, { [secure.project_id]: 'USER' })).headers.cookie as string
  expect(await statusWith(own)).toBe(200)
  expect(await statusWith(`${tossed.replace('__Host-', '')}; ${own}`)).toBe(200)
  expect(await statusWith(tossed.replace('__Host-', ''))).toBe(401)
  for (const both of [`${tossed}; ${own}`, `${own}; ${tossed}`]) expect(await statusWith(both)).toBe(401)
  const cookies = await send(app, 'DELETE', '/auth/session', undefined, user.headers)
  expect(cookies.headers['set-cookie']).toBe(
    '__Host-guerdon_session=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax; Secure',
  )
})

describe('with a clock that moves', () => {
  const clock = newClock()
  let node: Node
  let projectId: string
  beforeAll(async () => {
    node = await openNode((await ownDatabase()).database, { now: clock.now })
    projectId = (await insertTestProject(node.runtime, {})).project_id
  })

  const user = () => newSignedInUser(node.runtime, { [projectId]: 'USER' })
  const statusOf = async (headers: Headers) =>
    (await send(node.app, 'GET', '/v1/categories', undefined, { ...headers, 'x-project-id': projectId })).status
  const [minute, hour] = [60_000, 3_600_000]
  const lastUse = async (id: string) => {
    const { db } = node.runtime.database
    const row = await db
      .selectFrom('user_sessions')
      .where('id', '=', id as `uses_${string}`)
      .select('last_used_at')
      .executeTakeFirstOrThrow()
    return row.last_used_at
  }

  test('a session ends after 12 hours without use', async () => {
    const { headers } = await user()
    for (let uses = 0; uses < 3; uses += 1) {
      clock.advance(11 * hour)
      expect(await statusOf(headers)).toBe(200)
    }
    clock.advance(12 * hour + minute)
    expect(await statusOf(headers)).toBe(401)
  })

  test('a session ends after 14 days, however much it is used', async () => {
    const { headers } = await user()
    for (let uses = 0; uses < 2 * 14 - 1; uses += 1) {
      clock.advance(11.9 * hour)
      expect(await statusOf(headers)).toBe(200)
    }
    clock.advance(11.9 * hour)
    expect(await statusOf(headers)).toBe(200)
    clock.advance(3 * hour)
    expect(await statusOf(headers)).toBe(401)
  })

  test('the last use is written once a minute, and no other request by a known session needs the database', async () => {
    const { headers, session_id } = await user()
    const begun = await lastUse(session_id)
    expect(await statusOf(headers)).toBe(200)
    clock.advance(50_000)
    expect(await statusOf(headers)).toBe(200)
    expect(await lastUse(session_id)).toBe(begun)
    clock.advance(11_000)
    const before = node.runtime.credentials.cacheStats()
    expect(await statusOf(headers)).toBe(200)
    const used = await lastUse(session_id)
    expect(Date.parse(used) - Date.parse(begun)).toBeGreaterThanOrEqual(limits.session_use_seconds * 1_000)
    const loaded = node.runtime.credentials.cacheStats()
    expect(loaded.misses - before.misses).toBeLessThanOrEqual(2) // the entries lived for half a minute
    for (let calls = 0; calls < 5; calls += 1) expect(await statusOf(headers)).toBe(200)
    expect(node.runtime.credentials.cacheStats().misses).toBe(loaded.misses)
    expect(await lastUse(session_id)).toBe(used)
  })

  test('ended sessions and forgotten attempts are deleted, others stay', async () => {
    const { db } = node.runtime.database
    await db.deleteFrom('user_sessions').execute()
    const ended = await user()
    await sql`insert into sign_in_brakes values ('old', 9, ${toInstant(clock.now())}, ${toInstant(clock.now())})`.execute(
      db,
    )
    clock.advance(25 * hour)
    await sql`insert into sign_in_brakes values ('new', 1, ${toInstant(clock.now())}, ${toInstant(clock.now())})`.execute(
      db,
    )
    const live = await user()
    await maintain(node.runtime.database, toInstant(clock.now()), undefined, signInMaintenance)
    const sessions = await db.selectFrom('user_sessions').select('id').execute()
    expect(sessions.map(({ id }) => id)).toEqual([live.session_id])
    expect(sessions.map(({ id }) => id as string)).not.toContain(ended.session_id)
    expect(await db.selectFrom('sign_in_brakes').select('subject').execute()).toEqual([{ subject: 'new' }])
  })
})
