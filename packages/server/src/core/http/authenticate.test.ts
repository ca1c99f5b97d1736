import { Type } from 'typebox'
import { beforeAll, describe, expect, test } from 'vitest'
import { type Answer, newProject, type Shop, send } from '../../testing/app.ts'
import { newId } from '../lib/ids.ts'
import { operation } from './operation.ts'
import { hashOf, newSecret } from './secrets.ts'

type Headers = Record<string, string>
type Mode = 'strict' | 'either'

const origin = 'https://shop.test'

const extra = [
  operation({
    id: 'probeClient',
    method: 'POST',
    path: '/client/v1/probes',
    summary: 'Something a browser may do',
    reply: Type.Object({ key: Type.String() }),
    errors: [],
    run: async (ctx) => ({ key: ctx.caller.api_key?.name ?? '' }),
  }),
  operation({
    id: 'probeWhoami',
    method: 'GET',
    path: '/v1/probes/whoami',
    summary: 'Says who was let in',
    reply: Type.Object({ project_id: Type.String(), key: Type.String(), role: Type.String(), channel: Type.String() }),
    errors: [],
    run: async ({ project_id, caller: { api_key, role, channel } }) => ({
      project_id,
      key: api_key?.name ?? '',
      role,
      channel,
    }),
  }),
]

const shopIn = (mode: Mode, env: Headers = {}): Promise<Shop> =>
  newProject({
    env: { AUTH_MODE: mode, CLIENT_RATE_LIMIT: '', ...env },
    extra,
    project: { client_trusted_domains: ['shop.test'] },
  })

interface Key {
  id: string
  pair: Headers
  app_id: string
  secret: string
}

async function newKey(shop: Shop, body: Record<string, unknown> = {}): Promise<Key> {
  const { status, body: key } = await shop.manage('POST', '/api-keys', { name: 'Another key', ...body })
  expect(status).toBe(200)
  return {
    id: key.id,
    app_id: key.app_id,
    secret: key.secret,
    pair: { 'x-app-id': key.app_id, 'x-app-token': key.secret },
  }
}

async function newToken(shop: Shop, pair: Headers, scope = 'api client_api'): Promise<string> {
  const form = { ...pair, 'content-type': 'application/x-www-form-urlencoded' }
  const { status, body } = await send(
    shop.service.app,
    'POST',
    '/v1/oauth/token',
    `grant_type=client_credentials&scope=${scope}`,
    form,
  )
  expect(status).toBe(200)
  return body.access_token as string
}

const bearer = (token: string): Headers => ({ authorization: `Bearer ${token}` })
const pairOf = (shop: Shop): Headers => ({ 'x-app-id': shop.app_id, 'x-app-token': shop.app_token })
const clientPairOf = (shop: Shop): Headers => ({
  'x-client-application-id': shop.client_id,
  'x-client-token': shop.client_token,
})

const clientKeyAsApp = (shop: Shop): Headers => ({
  'x-app-id': shop.client_id,
  'x-app-token': shop.client_token,
  origin: 'https://shop.test',
})

/** The body says at most which headers were missing, not which credential was wrong. */
function expectUnauthorized({ body: { details, ...body }, ...answer }: Answer, challenge: boolean): void {
  expect(body).toEqual({
    code: 401,
    key: 'unauthorized',
    message: 'Unauthorized',
    request_id: answer.headers['x-request-id'],
  })
  if (details !== undefined) expect(details).toMatch(/^Missing headers: [A-Z]/)
  expect(answer.status).toBe(401)
  expect(answer.headers['www-authenticate']).toBe(challenge ? 'Bearer' : undefined)
}

type Outcome = 'pass' | '403' | '401' | '401 Bearer'

function expectOutcome(answer: Answer, outcome: Outcome): void {
  if (outcome === 'pass') expect(answer).toMatchObject({ status: 200 })
  else if (outcome === '403') expect(answer).toMatchObject({ status: 403, body: { key: 'forbidden' } })
  else expectUnauthorized(answer, outcome === '401 Bearer')
}

describe.each<Mode>(['strict', 'either'])('the decision table of /v1, mode %s', (mode) => {
  let shop: Shop
  let pairs: Record<string, Headers>
  let bearers: Record<string, Headers>

  beforeAll(async () => {
    shop = await shopIn(mode)
    const stranger = await shopIn(mode)
    const [deleted, blocked] = [await newKey(shop), await newKey(shop)]
    const integration = await newKey(shop, { kind: 'integration' })
    const dead = {
      revoked: await newToken(shop, pairOf(shop)),
      deleted: await newToken(shop, deleted.pair),
      blocked: await newToken(shop, blocked.pair),
    }
    const form = { ...pairOf(shop), 'content-type': 'application/x-www-form-urlencoded' }
    await send(shop.service.app, 'POST', '/v1/oauth/token/revoke', `access_token=${dead.revoked}`, form)
    await shop.manage('DELETE', `/api-keys/${deleted.id}`)
    await shop.manage('PUT', `/api-keys/${blocked.id}`, { status: 'BLOCKED' })
    const expired = 'e'.repeat(50)
    const { db } = shop.service.runtime.database
    await db
      .insertInto('oauth_tokens')
      .values({
        token_hash: hashOf(shop.project_id + expired),
        project_id: shop.project_id,
        api_key_id: shop.app_key_id as `key_${string}`,
        scope: 'api',
        created_at: '2026-01-01T00:00:00.000Z',
        expires_at: '2026-01-01T00:15:00.000Z',
      })
      .execute()
    pairs = {
      valid: pairOf(shop),
      integration: integration.pair,
      absent: {},
      'wrong secret': { ...pairOf(shop), 'x-app-token': newSecret() },
      'unknown id': { ...pairOf(shop), 'x-app-id': newSecret() },
      'id alone': { 'x-app-id': shop.app_id },
      'secret alone': { 'x-app-token': shop.app_token },
      'empty secret': { 'x-app-id': shop.app_id, 'x-app-token': '' },
      'both empty': { 'x-app-id': '', 'x-app-token': '' },
      'of a client key': { 'x-app-id': shop.client_id, 'x-app-token': shop.client_token },
      'of the management': { 'x-app-id': shop.management_id, 'x-app-token': shop.management_token },
      'of another project': pairOf(stranger),
      deleted: deleted.pair,
      blocked: blocked.pair,
    }
    bearers = {
      covering: bearer(await newToken(shop, pairOf(shop), 'vouchers categories')),
      wide: bearer(shop.access_token),
      'of another key': bearer(await newToken(shop, integration.pair)),
      'not covering': bearer(await newToken(shop, pairOf(shop), 'vouchers client_api')),
      'of another project': bearer(stranger.access_token),
      absent: {},
      unknown: bearer('x'.repeat(50)),
      expired: bearer(shop.project_id + expired),
      revoked: bearer(dead.revoked),
      'of a deleted key': bearer(dead.deleted),
      'of a blocked key': bearer(dead.blocked),
      'of another scheme': {
        authorization: `Basic ${Buffer.from(`${shop.app_id}:${shop.app_token}`).toString('base64')}`,
      },
      'without scheme': { authorization: shop.access_token },
      'without value': { authorization: 'Bearer' },
      'of two words': { authorization: `Bearer ${shop.access_token} more` },
      'in lower case': { authorization: `bearer ${shop.access_token}` },
    }
  })

  const table: Array<[pair: string, bearer: string, strict: Outcome, either: Outcome]> = [
    ['valid', 'covering', 'pass', 'pass'],
    ['valid', 'wide', 'pass', 'pass'],
    ['valid', 'of another key', 'pass', 'pass'],
    ['integration', 'covering', 'pass', 'pass'],
    ['valid', 'in lower case', 'pass', 'pass'],
    ['valid', 'not covering', '403', '403'],
    ['valid', 'of another project', '401', '401'],
    ['valid', 'absent', '401 Bearer', 'pass'],
    ['valid', 'unknown', '401 Bearer', '401 Bearer'],
    ['valid', 'expired', '401 Bearer', '401 Bearer'],
    ['valid', 'revoked', '401 Bearer', '401 Bearer'],
    ['valid', 'of a deleted key', '401 Bearer', '401 Bearer'],
    ['valid', 'of a blocked key', '401 Bearer', '401 Bearer'],
    ['valid', 'of another scheme', '401 Bearer', '401 Bearer'],
    ['valid', 'without scheme', '401 Bearer', '401 Bearer'],
    ['valid', 'without value', '401 Bearer', '401 Bearer'],
    ['valid', 'of two words', '401 Bearer', '401 Bearer'],
    ['absent', 'covering', '401', 'pass'],
    ['absent', 'not covering', '401', '403'],
    ['absent', 'expired', '401 Bearer', '401 Bearer'],
    ['absent', 'absent', '401 Bearer', '401 Bearer'],
    ['wrong secret', 'covering', '401', '401'],
    ['wrong secret', 'absent', '401 Bearer', '401'],
    ['wrong secret', 'unknown', '401 Bearer', '401 Bearer'],
    ['unknown id', 'covering', '401', '401'],
    ['id alone', 'covering', '401', '401'],
    ['id alone', 'absent', '401 Bearer', '401'],
    ['secret alone', 'covering', '401', '401'],
    ['empty secret', 'covering', '401', '401'],
    ['both empty', 'covering', '401', '401'],
    ['of a client key', 'covering', '401', '401'],
    ['of the management', 'covering', '401', '401'],
    ['of another project', 'covering', '401', '401'],
    ['deleted', 'covering', '401', '401'],
    ['deleted', 'absent', '401 Bearer', '401'],
    ['blocked', 'covering', '403', '403'],
    ['blocked', 'absent', '401 Bearer', '403'],
    ['blocked', 'of a blocked key', '401 Bearer', '401 Bearer'],
    ['blocked', 'not covering', '403', '403'],
  ]

  test.each(table)('pair %s, token %s', async (pair, token, strict, either) => {
    const answer = await send(shop.service.app, 'GET', '/v1/categories', undefined, {
      ...pairs[pair],
      ...bearers[token],
    })
    expectOutcome(answer, mode === 'strict' ? strict : either)
  })

  test('on /v1 a client pair grants nothing and is ignored beside valid credentials', async () => {
    const { app } = shop.service
    expectUnauthorized(await send(app, 'GET', '/v1/categories', undefined, clientPairOf(shop)), true)
    expect(await shop.call('GET', '/v1/categories', undefined, { 'x-client-application-id': 'unknown' })).toMatchObject(
      {
        status: 200,
      },
    )
  })

  test('the OAuth endpoints require the application pair and ignore a token', async () => {
    const { app } = shop.service
    const ask = (headers: Headers) =>
      send(app, 'POST', '/v1/oauth/token', 'grant_type=client_credentials&scope=api', {
        'content-type': 'application/x-www-form-urlencoded',
        ...headers,
      })
    expect(await ask(pairOf(shop))).toMatchObject({ status: 200 })
    expect(await ask({ ...pairOf(shop), authorization: 'Basic nonsense' })).toMatchObject({ status: 200 })
    expectUnauthorized(await ask(bearer(shop.access_token)), false)
    expectUnauthorized(await ask(clientPairOf(shop)), false)
    expectUnauthorized(await ask({ 'x-app-id': shop.app_id }), false)
    expectUnauthorized(await ask({}), false)
    expect(await ask(pairs.blocked ?? {})).toMatchObject({ status: 403, body: { details: 'API key is blocked' } })
  })

  test('the management API accepts only a management pair', async () => {
    const { app } = shop.service
    const ask = (headers: Headers) => send(app, 'GET', `/management/v1/projects/${shop.project_id}`, undefined, headers)
    expect(await ask(shop.management)).toMatchObject({ status: 200 })
    expect(await ask({ ...shop.management, authorization: 'Basic nonsense', 'x-app-id': 'half' })).toMatchObject({
      status: 200,
    })
    expectUnauthorized(await ask({}), false)
    expectUnauthorized(await ask(shop.headers), false)
    expectUnauthorized(await ask({ 'x-management-id': shop.management_id }), false)
    expectUnauthorized(await ask({ 'x-management-token': shop.management_token }), false)
    expectUnauthorized(await ask({ ...shop.management, 'x-management-token': newSecret() }), false)
    expectUnauthorized(await ask({ 'x-management-id': shop.app_id, 'x-management-token': shop.app_token }), false)
  })

  test('credentials of another project give access to that project and not to this one', async () => {
    const stranger = await shopIn(mode)
    expect((await stranger.call('GET', '/v1/probes/whoami')).body).toMatchObject({ project_id: stranger.project_id })
    expect((await shop.call('GET', '/v1/probes/whoami')).body).toMatchObject({
      project_id: shop.project_id,
      key: 'Server key',
      channel: 'API',
    })
  })
})

describe.each<Mode>(['strict', 'either'])('the client side, mode %s', (mode) => {
  let shop: Shop
  let parts: Record<string, Headers>

  beforeAll(async () => {
    shop = await shopIn(mode)
    const stranger = await shopIn(mode)
    parts = {
      app: pairOf(shop),
      client: clientPairOf(shop),
      'client of another project': clientPairOf(stranger),
      'half a client pair': { 'x-client-application-id': shop.client_id },
      'a wrong client pair': { ...clientPairOf(shop), 'x-client-token': newSecret() },
      'a server key as client': { 'x-client-application-id': shop.app_id, 'x-client-token': shop.app_token },
      'a client key as app': clientKeyAsApp(shop),
      'client token': bearer(await newToken(shop, pairOf(shop), 'client_api')),
      'server token': bearer(await newToken(shop, pairOf(shop), 'api')),
      'token of the client key': bearer(await newToken(shop, clientKeyAsApp(shop), 'client_api')),
      'dead token': bearer('x'.repeat(50)),
    }
  })

  test.each<[presented: string, strict: Outcome, either: Outcome]>([
    ['', '401 Bearer', '401 Bearer'],
    ['client', '401 Bearer', 'pass'],
    ['app', '401 Bearer', 'pass'],
    ['client token', '401', 'pass'],
    ['app + client token', 'pass', 'pass'],
    ['client + client token', '401', 'pass'],
    ['client + app', '401 Bearer', 'pass'],
    ['client + app + client token', 'pass', 'pass'],
    ['server token', '401', '403'],
    ['app + server token', '403', '403'],
    ['client + server token', '401', '403'],
    ['client + dead token', '401 Bearer', '401 Bearer'],
    ['app + client token + half a client pair', 'pass', '401'],
    ['app + client token + a wrong client pair', 'pass', '401'],
    ['app + client token + client of another project', 'pass', '401'],
    ['client of another project + app', '401 Bearer', '401'],
    ['half a client pair', '401 Bearer', '401'],
    ['a server key as client', '401 Bearer', '401'],
    ['a client key as app', '401 Bearer', 'pass'],
    ['a client key as app + client token', 'pass', 'pass'],
    ['a client key as app + token of the client key', 'pass', 'pass'],
    ['a client key as app + server token', '403', '403'],
    ['token of the client key', '401', 'pass'],
  ])('%s', async (presented, strict, either) => {
    const headers: Headers = Object.assign({ origin }, ...presented.split(' + ').map((name) => parts[name]))
    const answer = await send(shop.service.app, 'POST', '/client/v1/probes', undefined, headers)
    expectOutcome(answer, mode === 'strict' ? strict : either)
  })
})

test('events record the application key before the client key, and the issuing key if only a token was sent', async () => {
  const shop = await shopIn('either')
  const key = await newKey(shop, { name: 'Issuer' })
  const token = bearer(await newToken(shop, key.pair))
  const call = async (headers: Headers) =>
    (await send(shop.service.app, 'POST', '/client/v1/probes', undefined, { origin, ...headers })).body.key
  expect(await call(clientPairOf(shop))).toBe('Client key')
  expect(await call({ ...clientPairOf(shop), ...pairOf(shop), ...token })).toBe('Server key')
  expect(await call({ ...clientPairOf(shop), ...token })).toBe('Client key')
  expect(await call(token)).toBe('Issuer')
})

describe('the weakest role of all presented keys applies', () => {
  test.each([
    ['ADMIN', 'ADMIN', 'ADMIN', 200],
    ['ADMIN', 'USER', 'USER', 200],
    ['USER', 'USER_RESTRICTED', 'USER_RESTRICTED', 200],
    ['ADMIN', 'VIEWER', 'VIEWER', 403],
    ['VIEWER', 'ADMIN', 'VIEWER', 403],
    ['MERCHANT', 'ADMIN', 'MERCHANT', 403],
    ['VIEWER', 'MERCHANT', 'VIEWER', 403],
  ])('of a pair of %s and a token of %s: %s', async (pairRole, tokenRole, effective, status) => {
    const shop = await shopIn('strict')
    const presented = await newKey(shop, { role: pairRole })
    const issuer = await newKey(shop, { role: tokenRole })
    const headers = { ...presented.pair, ...bearer(await newToken(shop, issuer.pair)) }
    expect((await send(shop.service.app, 'GET', '/v1/probes/whoami', undefined, headers)).body).toMatchObject({
      role: effective,
    })
    expect(await send(shop.service.app, 'POST', '/v1/categories', { name: 'A', hierarchy: 0 }, headers)).toMatchObject({
      status,
    })
  })

  test('the role of a client pair counts too', async () => {
    const shop = await shopIn('either')
    const { app_id, secret } = await newKey(shop, { kind: 'client', role: 'VIEWER' })
    const weak = { 'x-client-application-id': app_id, 'x-client-token': secret }
    const call = (headers: Headers) =>
      send(shop.service.app, 'POST', '/client/v1/probes', undefined, { origin, ...headers })
    expect(await call(pairOf(shop))).toMatchObject({ status: 200 })
    expect(await call({ ...pairOf(shop), ...weak })).toMatchObject({
      status: 403,
      body: { key: 'missing_required_permission' },
    })
  })
})

describe('the allowed addresses of a key', () => {
  const from = (shop: Shop, remoteAddress: string, headers: Headers) =>
    shop.service.app.inject({ method: 'GET', url: '/v1/categories', remoteAddress, headers })

  test.each<[list: string[], address: string, allowed: boolean]>([
    [[], '203.0.113.9', true],
    [['203.0.113.9'], '203.0.113.9', true],
    [['203.0.113.9'], '203.0.113.10', false],
    [['203.0.113.9'], '::ffff:203.0.113.9', true],
    [['::ffff:203.0.113.9'], '203.0.113.9', true],
    [['10.1.0.0/16', '192.0.2.1'], '10.1.255.255', true],
    [['10.1.0.0/16', '192.0.2.1'], '10.2.0.0', false],
    [['10.1.0.0/16', '192.0.2.1'], '192.0.2.1', true],
    [['10.1.2.3/16'], '10.1.9.9', true],
    [['10.1.0.0/16'], '::ffff:10.1.2.3', true],
    [['10.1.0.0/16'], '::ffff:10.2.2.3', false],
    [['0.0.0.0/0'], '198.51.100.1', true],
    [['2001:db8::1'], '2001:db8:0:0::1', true],
    [['2001:db8::1'], '2001:db8::2', false],
    [['2001:db8::/32'], '2001:db8:ffff::1', true],
    [['2001:db8::/32'], '2001:db9::1', false],
    [['2001:db8::/32'], '203.0.113.9', false],
    [['203.0.113.0/24'], '2001:db8::1', false],
    [['fe80::/10'], 'fe80::1%eth0', true],
    [['203.0.113.9'], 'unknown', false],
  ])('%j and a caller at %s: %s', async (ipWhitelist, address, allowed) => {
    const shop = await shopIn('either')
    const { pair } = await newKey(shop, { ip_whitelist: ipWhitelist })
    const answer = await from(shop, address, pair)
    expect(answer.statusCode).toBe(allowed ? 200 : 403)
    if (!allowed)
      expect(answer.json()).toMatchObject({ key: 'forbidden', details: `IP address ${address} is not allowed` })
  })

  test('apply to the tokens of the key too, also beside a pair without restrictions', async () => {
    const shop = await shopIn('either')
    const bound = await newKey(shop, { ip_whitelist: ['127.0.0.1'] })
    const token = bearer(await newToken(shop, bound.pair))
    expect((await from(shop, '127.0.0.1', token)).statusCode).toBe(200)
    expect((await from(shop, '10.0.0.1', token)).statusCode).toBe(403)
    expect((await from(shop, '10.0.0.1', { ...pairOf(shop), ...token })).statusCode).toBe(403)
    expect((await from(shop, '10.0.0.1', pairOf(shop))).statusCode).toBe(200)
  })

  test('are compared with the forwarded address only as far as proxies are trusted', async () => {
    const forwarded = { 'x-forwarded-for': '198.51.100.7, 203.0.113.9' }
    const untrusting = await shopIn('either')
    const first = await newKey(untrusting, { ip_whitelist: ['203.0.113.9'] })
    expect((await from(untrusting, '10.0.0.1', { ...first.pair, ...forwarded })).json()).toMatchObject({
      details: 'IP address 10.0.0.1 is not allowed',
    })

    const trusting = await shopIn('either', { TRUST_PROXY_HOPS: '1' })
    const second = await newKey(trusting, { ip_whitelist: ['203.0.113.9'] })
    expect((await from(trusting, '10.0.0.1', { ...second.pair, ...forwarded })).statusCode).toBe(200)
    expect(
      (await from(trusting, '10.0.0.1', { ...second.pair, 'x-forwarded-for': '203.0.113.9, 198.51.100.7' })).json(),
    ).toMatchObject({
      details: 'IP address 198.51.100.7 is not allowed',
    })
    expect((await from(trusting, '10.0.0.1', { ...second.pair, 'x-forwarded-for': 'unknown' })).statusCode).toBe(403)
    expect((await from(trusting, '203.0.113.9', second.pair)).statusCode).toBe(200)
  })

  test('apply to a management key as well, and a blocked management key is refused', async () => {
    const shop = await shopIn('strict')
    const insert = async (columns: { status: 'ACTIVE' | 'BLOCKED'; ip_whitelist: string }): Promise<Headers> => {
      const [appId, secret] = [newSecret(), newSecret()]
      const createdAt = '2026-01-01T00:00:00.000Z'
      await shop.service.runtime.database.db
        .insertInto('management_keys')
        .values({
          id: newId('api_key'),
          name: 'Bound',
          app_id: appId,
          secret_hash: hashOf(secret),
          created_at: createdAt,
          ...columns,
        })
        .execute()
      return { 'x-management-id': appId, 'x-management-token': secret }
    }
    const read = (remoteAddress: string, headers: Headers) =>
      shop.service.app.inject({
        method: 'GET',
        url: `/management/v1/projects/${shop.project_id}`,
        remoteAddress,
        headers,
      })
    const bound = await insert({ status: 'ACTIVE', ip_whitelist: '["10.0.0.0/8"]' })
    expect((await read('10.9.8.7', bound)).statusCode).toBe(200)
    expect((await read('11.0.0.1', bound)).json()).toMatchObject({
      code: 403,
      details: 'IP address 11.0.0.1 is not allowed',
    })
    const blocked = await insert({ status: 'BLOCKED', ip_whitelist: '[]' })
    expect((await read('10.9.8.7', blocked)).json()).toMatchObject({
      code: 403,
      key: 'forbidden',
      details: 'API key is blocked',
    })
  })
})

describe('a change takes effect with the next request', () => {
  const statusOf = async (shop: Shop, headers: Headers) =>
    (await send(shop.service.app, 'GET', '/v1/categories', undefined, headers)).status

  test('blocking and unblocking a key', async () => {
    const shop = await shopIn('either')
    const key = await newKey(shop)
    const token = bearer(await newToken(shop, key.pair))
    expect([await statusOf(shop, key.pair), await statusOf(shop, token)]).toEqual([200, 200])
    await shop.manage('PUT', `/api-keys/${key.id}`, { status: 'BLOCKED' })
    expect([await statusOf(shop, key.pair), await statusOf(shop, token)]).toEqual([403, 401])
    await shop.manage('PUT', `/api-keys/${key.id}`, { status: 'ACTIVE' })
    expect([await statusOf(shop, key.pair), await statusOf(shop, token)]).toEqual([200, 200])
  })

  test('deleting a key together with its tokens', async () => {
    const shop = await shopIn('either')
    const key = await newKey(shop)
    const token = bearer(await newToken(shop, key.pair))
    expect([await statusOf(shop, key.pair), await statusOf(shop, token)]).toEqual([200, 200])
    expect(await shop.manage('DELETE', `/api-keys/${key.id}`)).toMatchObject({ status: 204 })
    expect([await statusOf(shop, key.pair), await statusOf(shop, token)]).toEqual([401, 401])
  })

  test('a new secret: the old one is invalid, the tokens stay valid', async () => {
    const shop = await shopIn('either')
    const key = await newKey(shop)
    const token = bearer(await newToken(shop, key.pair))
    expect(await statusOf(shop, key.pair)).toBe(200)
    const { body } = await shop.manage('POST', `/api-keys/${key.id}/regenerate`)
    expect(body.secret).not.toBe(key.secret)
    const fresh = { ...key.pair, 'x-app-token': body.secret }
    expect([await statusOf(shop, key.pair), await statusOf(shop, fresh), await statusOf(shop, token)]).toEqual([
      401, 200, 200,
    ])
  })

  test('changing the role or the list of addresses', async () => {
    const shop = await shopIn('either')
    const key = await newKey(shop)
    const roleNow = async () =>
      (await send(shop.service.app, 'GET', '/v1/probes/whoami', undefined, key.pair)).body.role
    expect(await roleNow()).toBe('ADMIN')
    await shop.manage('PUT', `/api-keys/${key.id}`, { role: 'VIEWER' })
    expect(await roleNow()).toBe('VIEWER')
    await shop.manage('PUT', `/api-keys/${key.id}`, { ip_whitelist: ['10.0.0.1'] })
    expect(await statusOf(shop, key.pair)).toBe(403)
  })

  test('a revoked token', async () => {
    const shop = await shopIn('either')
    const accessToken = await newToken(shop, pairOf(shop))
    expect(await statusOf(shop, bearer(accessToken))).toBe(200)
    const form = { ...pairOf(shop), 'content-type': 'application/x-www-form-urlencoded' }
    expect(
      (await send(shop.service.app, 'POST', '/v1/oauth/token/revoke', `access_token=${accessToken}`, form)).status,
    ).toBe(204)
    expect(await statusOf(shop, bearer(accessToken))).toBe(401)
  })

  test('a deleted project with all its keys and tokens', async () => {
    const shop = await shopIn('either')
    const ways = [pairOf(shop), bearer(shop.access_token)]
    for (const way of ways) expect(await statusOf(shop, way)).toBe(200)
    expect(await shop.manage('DELETE', '')).toMatchObject({ status: 204 })
    for (const way of ways) expect(await statusOf(shop, way)).toBe(401)
    expect(await shop.manage('GET', '')).toMatchObject({ status: 404, body: { resource_type: 'project' } })
  })

  test('a change that is rolled back has no effect', async () => {
    const shop = await shopIn('either')
    const key = await newKey(shop)
    expect(await statusOf(shop, key.pair)).toBe(200)
    expect(await shop.manage('PUT', `/api-keys/${key.id}`, { status: 'BLOCKED', role: 'BOSS' })).toMatchObject({
      status: 400,
      body: { key: 'used_incorrect_role' },
    })
    expect(await statusOf(shop, key.pair)).toBe(200)
  })

  test('expiry of a token that is in the cache', async () => {
    const shop = await shopIn('either', { OAUTH_TOKEN_TTL_SECONDS: '60' })
    const { clock } = shop.service
    clock.set('2026-01-01T00:00:00.400Z')
    const token = bearer(await newToken(shop, pairOf(shop)))
    clock.set('2026-01-01T00:00:59.000Z')
    expect(await statusOf(shop, token)).toBe(200)
    clock.set('2026-01-01T00:01:00.000Z')
    expect(await statusOf(shop, token)).toBe(401)
  })
})

test('missing credentials are not cached: a key works as soon as it exists', async () => {
  const shop = await shopIn('either')
  const appId = newSecret()
  const secret = newSecret()
  const pair = { 'x-app-id': appId, 'x-app-token': secret }
  const call = async () => (await send(shop.service.app, 'GET', '/v1/categories', undefined, pair)).status
  expect(await call()).toBe(401)
  await shop.service.runtime.database.db
    .insertInto('api_keys')
    .values({
      id: newId('api_key'),
      project_id: shop.project_id,
      name: 'Made elsewhere',
      kind: 'server',
      role: 'ADMIN',
      app_id: appId,
      secret_hash: hashOf(secret),
      client_id: 'c'.repeat(8) + shop.project_id,
      ip_whitelist: '[]',
      status: 'ACTIVE',
      is_primary: false,
      created_at: '2026-01-01T00:00:00.000Z',
    })
    .execute()
  expect(await call()).toBe(200)
})

test('the database contains only hashes of secrets and tokens', async () => {
  const shop = await shopIn('either')
  const { db } = shop.service.runtime.database
  const keys = await db.selectFrom('api_keys').where('project_id', '=', shop.project_id).selectAll().execute()
  const tokens = await db.selectFrom('oauth_tokens').where('project_id', '=', shop.project_id).selectAll().execute()
  const stored = JSON.stringify(
    [keys, tokens].map((rows) =>
      rows.map((row) =>
        Object.values(row).map((value) =>
          value instanceof Uint8Array ? Buffer.from(value).toString('latin1') : value,
        ),
      ),
    ),
  )
  for (const secret of [shop.app_token, shop.client_token, shop.access_token]) expect(stored).not.toContain(secret)
  expect(keys.map(({ secret_hash }) => Buffer.from(secret_hash).toString('hex')).sort()).toEqual(
    [shop.app_token, shop.client_token].map((secret) => hashOf(secret).toString('hex')).sort(),
  )
})

describe('a refusal names the headers that are missing', () => {
  const strict =
    'AUTH_MODE=strict wants the key pair and a bearer token of POST /v1/oauth/token; with AUTH_MODE=either one of them is enough.'
  const clientStrict = `${strict} X-Client-Application-Id and X-Client-Token are read with AUTH_MODE=either only.`
  const app = { 'x-app-id': 'a', 'x-app-token': 'b' }
  const client = { 'x-client-application-id': 'a', 'x-client-token': 'b' }
  const any = 'X-App-Id and X-App-Token, or Authorization with a bearer token'

  test.each<[Mode, path: string, sent: Headers, details: string | undefined]>([
    ['strict', '/v1/categories', {}, `Missing headers: X-App-Id, X-App-Token, Authorization. ${strict}`],
    ['strict', '/v1/categories', app, `Missing headers: Authorization. ${strict}`],
    ['strict', '/v1/categories', bearer('x'), `Missing headers: X-App-Id, X-App-Token. ${strict}`],
    ['strict', '/v1/categories', { ...bearer('x'), 'x-app-id': 'a' }, `Missing headers: X-App-Token. ${strict}`],
    ['strict', '/v1/categories', { ...bearer('x'), ...app }, undefined],
    ['strict', '/client/v1/probes', client, `Missing headers: X-App-Id, X-App-Token, Authorization. ${clientStrict}`],
    ['strict', '/v1/oauth/token', {}, 'Missing headers: X-App-Id, X-App-Token.'],
    ['either', '/v1/categories', {}, `Missing headers: ${any}.`],
    ['either', '/v1/categories', { 'x-app-id': 'a' }, 'Missing headers: X-App-Token.'],
    ['either', '/v1/categories', { 'x-app-id': 'a', 'x-app-token': '' }, 'Missing headers: X-App-Token.'],
    ['either', '/v1/categories', app, undefined],
    ['either', '/v1/categories', bearer('x'), undefined],
    ['either', '/client/v1/probes', {}, `Missing headers: X-Client-Application-Id and X-Client-Token, or ${any}.`],
    ['either', '/client/v1/probes', { 'x-client-token': 'b' }, 'Missing headers: X-Client-Application-Id.'],
    ['either', '/client/v1/probes', client, undefined],
    ['either', '/management/v1/projects', {}, 'Missing headers: X-Management-Id, X-Management-Token.'],
    ['either', '/management/v1/projects', { 'x-management-id': 'a' }, 'Missing headers: X-Management-Token.'],
  ])('%s %s %o', async (mode, path, sent, details) => {
    const shop = await shopIn(mode, { WRONG_CREDENTIALS_LIMIT: '' })
    const form = { 'content-type': 'application/x-www-form-urlencoded', ...sent }
    const answer = path.includes('oauth')
      ? await send(shop.service.app, 'POST', path, 'scope=api', form)
      : await send(shop.service.app, path.startsWith('/client') ? 'POST' : 'GET', path, undefined, sent)
    expect(answer).toMatchObject({ status: 401, body: { key: 'unauthorized' } })
    expect(answer.body.details).toBe(details)
  })

  test('in the same words whether the rest is valid or not', async () => {
    const shop = await shopIn('strict')
    const detailsWith = async (sent: Headers) =>
      (await send(shop.service.app, 'GET', '/v1/categories', undefined, sent)).body.details
    expect(await detailsWith(pairOf(shop))).toBe(await detailsWith({ ...pairOf(shop), 'x-app-token': 'wrong' }))
    expect(await detailsWith(bearer(shop.access_token))).toBe(await detailsWith(bearer('wrong')))
  })
})

test('requests on one connection are each judged by what they present', async () => {
  const shop = await newProject()
  const { credentials } = shop.service.runtime
  const [connection, other] = [{}, {}]
  const proven = (presented: string, on: object) =>
    credentials.proven(`${shop.app_id} ${presented}`, async () => ({ presented }), on)
  for (const [presented, on] of [
    ['a', connection],
    ['b', connection],
    ['b', other],
    ['a', connection],
    ['a', connection],
    ['b', connection],
  ] as const)
    expect(await proven(presented, on)).toEqual({ presented })
})
