import { sql } from 'kysely'
import { describe, expect, test, vi } from 'vitest'
import { hashOf } from '../../core/http/secrets.ts'
import { type Answer, newProject, type Shop, send } from '../../testing/app.ts'
import { testDatabase } from '../../testing/database.ts'
import { type Node, newProjectAlone, openNode } from '../../testing/nodes.ts'
import { insertTestProject } from '../../testing/project.ts'

const form = { 'content-type': 'application/x-www-form-urlencoded' }
const pairOf = ({ app_id, app_token }: { app_id: string; app_token: string }) => ({
  'x-app-id': app_id,
  'x-app-token': app_token,
})

/** A request with only the key pair of the shop, as the OAuth operations require. */
const ask = (shop: Shop, path: string, fields: string, headers: Record<string, string> = {}): Promise<Answer> =>
  send(shop.service.app, 'POST', `/v1/oauth/${path}`, fields, { ...pairOf(shop), ...form, ...headers })

async function newToken(shop: Shop, scope = 'api'): Promise<string> {
  const { status, body } = await ask(shop, 'token', `grant_type=client_credentials&scope=${scope}`)
  expect(status).toBe(200)
  return body.access_token as string
}

const categoriesWith = (shop: Shop, token: string) =>
  shop.call('GET', '/v1/categories', undefined, { authorization: `Bearer ${token}` })

test('all three operations require the key pair; an access token does not replace it', async () => {
  const shop = await newProject()
  const bearer = { authorization: `Bearer ${shop.access_token}` }
  for (const [path, fields] of [
    ['token', 'grant_type=client_credentials&scope=api'],
    ['introspect', `access_token=${shop.access_token}`],
    ['token/revoke', `access_token=${shop.access_token}`],
  ])
    for (const headers of [
      {},
      bearer,
      { ...bearer, 'x-app-id': shop.app_id },
      { 'x-app-id': shop.app_id, 'x-app-token': shop.client_token },
      { 'x-management-id': shop.management_id, 'x-management-token': shop.management_token },
    ])
      expect(await send(shop.service.app, 'POST', `/v1/oauth/${path}`, fields, { ...form, ...headers })).toMatchObject({
        status: 401,
        body: { code: 401, key: 'unauthorized', message: 'Unauthorized' },
      })
  expect(await categoriesWith(shop, shop.access_token)).toMatchObject({ status: 200 })
})

describe('a client key', () => {
  const origin = 'https://shop.test'
  const page = (shop: Shop, scope: string, headers: Record<string, string> = {}) =>
    ask(shop, 'token', `grant_type=client_credentials&scope=${scope}`, {
      'x-app-id': shop.client_id,
      'x-app-token': shop.client_token,
      origin,
      ...headers,
    })
  const newShop = (env: Record<string, string> = {}) =>
    newProject({ env, project: { client_trusted_domains: ['shop.test'] } })

  test('gets tokens with client scopes only, from a page of a trusted origin', async () => {
    const shop = await newShop()
    const { status, body, headers } = await page(shop, 'client_validations')
    expect({ status, scope: body.scope, allowed: headers['access-control-allow-origin'] }).toEqual({
      status: 200,
      scope: 'client_validations',
      allowed: origin,
    })
    for (const scope of ['api', 'vouchers', 'client_api%20api'])
      expect(await page(shop, scope)).toMatchObject({ status: 400, body: { key: 'invalid_scope' } })
    expect(await page(shop, 'client_api', { origin: 'https://evil.test' })).toMatchObject({ status: 403 })
    const { origin: _, ...withoutOrigin } = {
      ...form,
      'x-app-id': shop.client_id,
      'x-app-token': shop.client_token,
      origin,
    }
    expect(
      await send(
        shop.service.app,
        'POST',
        '/v1/oauth/token',
        'grant_type=client_credentials&scope=client_api',
        withoutOrigin,
      ),
    ).toMatchObject({ status: 403, body: { details: 'Origin header is required' } })
  })

  test('opens nothing but the client side', async () => {
    const shop = await newShop()
    const { access_token } = (await page(shop, 'client_api')).body
    const presented = { 'x-app-id': shop.client_id, 'x-app-token': shop.client_token, origin }
    const call = (method: string, path: string, pair: Record<string, string>) =>
      send(shop.service.app, method, path, method === 'GET' ? undefined : { order: { amount: 100 } }, {
        ...pair,
        authorization: `Bearer ${access_token}`,
      })
    expect(await call('POST', '/client/v1/qualifications', presented)).toMatchObject({ status: 200 })
    expect(await call('GET', '/v1/vouchers', presented)).toMatchObject({ status: 401 })
    expect(await call('GET', '/v1/vouchers', pairOf(shop))).toMatchObject({ status: 403 })
  })

  /** The status of a call with a token of the page. */
  const used = async (shop: Shop, token: string, { app }: Pick<Node, 'app'> = shop.service) =>
    (
      await send(
        app,
        'POST',
        '/client/v1/qualifications',
        { order: { amount: 100 } },
        { 'x-app-id': shop.client_id, 'x-app-token': shop.client_token, origin, authorization: `Bearer ${token}` },
      )
    ).status
  const tokenOf = async (shop: Shop, scope = 'client_api') => (await page(shop, scope)).body.access_token as string

  test('gets as many tokens as its pages ask for: they differ, and none is stored', async () => {
    const shop = await newShop({ OAUTH_MAX_TOKENS_PER_PROJECT: '2' })
    const tokens = new Set<string>()
    for (let issued = 0; issued < 5; issued += 1) tokens.add(await tokenOf(shop))
    expect(tokens.size).toBe(5)
    expect((await ask(shop, 'token', 'grant_type=client_credentials&scope=api')).status).toBe(200)
    expect((await ask(shop, 'token', 'grant_type=client_credentials&scope=api')).status).toBe(429)
    expect((await page(shop, 'client_api')).status).toBe(200)
    const rows = await shop.service.runtime.database.db
      .selectFrom('oauth_tokens')
      .where('project_id', '=', shop.project_id)
      .selectAll()
      .execute()
    expect(rows).toHaveLength(2)
  })

  test('has tokens that every node knows, until they are revoked one by one, expire or lose their key', async () => {
    const shop = await newShop()
    const other = await openNode(await testDatabase(), { now: shop.service.clock.now })
    const [first, second, third] = [await tokenOf(shop), await tokenOf(shop), await tokenOf(shop)]
    const statuses = async (token: string) => [await used(shop, token), await used(shop, token, other)]
    expect(await statuses(first)).toEqual([200, 200])
    const introspected = await ask(shop, 'introspect', `access_token=${first}`)
    expect(introspected.body).toMatchObject({ active: true, access_token: first, scope: 'client_api', expires_in: 900 })
    // Many at once: one has revoked it.
    const revoke = () => ask(shop, 'token/revoke', `access_token=${first}`)
    const answers = await Promise.all([revoke(), revoke(), revoke()])
    expect(answers.map(({ status }) => status).sort()).toEqual([204, 404, 404])
    expect(await used(shop, first)).toBe(401)
    await vi.waitFor(async () => expect(await used(shop, first, other)).toBe(401))
    expect((await ask(shop, 'introspect', `access_token=${first}`)).body).toEqual({ active: false })
    expect(await statuses(second)).toEqual([200, 200])
    const key = (await shop.manage('GET', '/api-keys')).body.data.find(
      ({ app_id }: { app_id: string }) => app_id === shop.client_id,
    )
    await shop.manage('PUT', `/api-keys/${key.id}`, { status: 'BLOCKED' })
    expect(await used(shop, second)).toBe(401)
    expect((await ask(shop, 'introspect', `access_token=${second}`)).body).toEqual({ active: false })
    await shop.manage('PUT', `/api-keys/${key.id}`, { status: 'ACTIVE' })
    expect(await used(shop, second)).toBe(200)
    shop.service.clock.advance(900_000)
    expect(await statuses(second)).toEqual([401, 401])
    expect((await ask(shop, 'token/revoke', `access_token=${second}`)).status).toBe(404)
    shop.service.clock.advance(-900_000)
    await shop.manage('DELETE', `/api-keys/${key.id}`)
    expect(await used(shop, third)).toBe(401)
    expect((await ask(shop, 'introspect', `access_token=${third}`)).body).toEqual({ active: false })
    expect((await ask(shop, 'token/revoke', `access_token=${third}`)).status).toBe(404)
  })

  test('has tokens that nobody can make up or change', async () => {
    const [shop, stranger] = [await newShop(), await newShop()]
    const token = await tokenOf(shop, 'client_vouchers')
    expect(await used(shop, token)).toBe(403)
    const [text = '', signature = ''] = token.split('.')
    const said = Buffer.from(text, 'base64url').toString()
    const changed = (from: string, to: string) =>
      `${Buffer.from(said.replace(from, to)).toString('base64url')}.${signature}`
    for (const forged of [
      changed('client_vouchers', 'client_api'),
      changed(shop.client_id, stranger.client_id),
      changed(shop.client_id, shop.app_id),
      `${text}.${signature.slice(0, -1)}${signature.endsWith('A') ? 'B' : 'A'}`,
      `${Buffer.from('{}').toString('base64url')}.${signature}`,
      `${text}.${text}`,
      `${token}.`,
    ]) {
      expect([forged, await used(shop, forged)]).toEqual([forged, 401])
      expect((await ask(shop, 'introspect', `access_token=${forged}`)).body).toEqual({ active: false })
      expect((await ask(shop, 'token/revoke', `access_token=${forged}`)).status).toBe(404)
    }
    expect((await ask(stranger, 'introspect', `access_token=${token}`)).body).toEqual({ active: false })
  })
})

describe('POST /v1/oauth/token', () => {
  test('returns the six fields, and the token works at once within its scopes', async () => {
    const shop = await newProject()
    const { status, body } = await ask(shop, 'token', 'grant_type=client_credentials&scope=categories%20vouchers')
    expect(status).toBe(200)
    expect(body).toEqual({
      access_token: expect.stringMatching(/^[A-Za-z0-9]{50}$/),
      client_id: expect.stringMatching(/^[A-Za-z0-9]{21}$/),
      expires_at: expect.any(Number),
      expires_in: 900,
      scope: 'categories vouchers',
      token_type: 'Bearer',
    })
    expect(await categoriesWith(shop, body.access_token as string)).toMatchObject({ status: 200 })
  })

  test('two tokens of one key share only its client id', async () => {
    const shop = await newProject()
    const fields = 'grant_type=client_credentials&scope=api'
    const [first, second] = [await ask(shop, 'token', fields), await ask(shop, 'token', fields)]
    expect(first.body.client_id).toBe(second.body.client_id)
    expect(first.body.access_token).not.toBe(second.body.access_token)
  })

  const refusals: Array<[fields: string, key: string, message: string]> = [
    ['', 'missing_parameters', 'Missing parameters'],
    ['grant_type=client_credentials', 'missing_parameters', 'Missing parameters'],
    ['grant_type=client_credentials&scope=', 'missing_parameters', 'Missing parameters'],
    ['grant_type=client_credentials&scope=%20%20', 'missing_parameters', 'Missing parameters'],
    ['scope=api', 'missing_parameters', 'Missing parameters'],
    ['grant_type=&scope=api', 'missing_parameters', 'Missing parameters'],
    ['grant_type=password&scope=', 'missing_parameters', 'Missing parameters'], // missing parameters are checked first
    ['grant_type=password&scope=api', 'invalid_grant_type', 'Invalid grant_type'],
    ['grant_type=password&scope=nothing', 'invalid_grant_type', 'Invalid grant_type'],
    ['grant_type=client_credentials&scope=vouchers,campaigns', 'invalid_scope', 'Invalid scope: vouchers,campaigns'],
    ['grant_type=client_credentials&scope=api%20nothing', 'invalid_scope', 'Invalid scope: api nothing'],
    ['grant_type=client_credentials&scope=API', 'invalid_scope', 'Invalid scope: API'],
    ['grant_type=client_credentials&scope=api%20%20x', 'invalid_scope', 'Invalid scope: api  x'], // exactly as sent
  ]
  test.each(refusals)('`%s` is refused with %s', async (fields, key, message) => {
    const shop = await newProject()
    expect(await ask(shop, 'token', fields)).toMatchObject({ status: 400, body: { code: 400, key, message } })
  })

  test('scopes are deduplicated in the sent order, and both spellings of the SKU scope are kept', async () => {
    const shop = await newProject()
    const scopeOf = async (scope: string) =>
      (await ask(shop, 'token', `grant_type=client_credentials&scope=${scope}`)).body.scope
    expect(await scopeOf('vouchers++api+vouchers')).toBe('vouchers api')
    expect(await scopeOf('+skus+SKUs+')).toBe('skus SKUs')
  })

  test('only a form body is accepted', async () => {
    const shop = await newProject()
    const json = JSON.stringify({ grant_type: 'client_credentials', scope: 'api' })
    expect(await ask(shop, 'token', json, { 'content-type': 'application/json' })).toMatchObject({
      status: 415,
      body: {
        ...{ statusCode: 415, error: 'Unsupported Media Type', code: 415, key: 'unsupported_media_type' },
        details: 'Send the body as application/x-www-form-urlencoded',
      },
    })
    const charset = { 'content-type': 'application/x-www-form-urlencoded; charset=utf-8' }
    expect(await ask(shop, 'token', 'grant_type=client_credentials&scope=api', charset)).toMatchObject({ status: 200 })
  })

  test('a token of an integration key works like a token of a server key', async () => {
    const shop = await newProject()
    const { body: key } = await shop.manage('POST', '/api-keys', { name: 'ERP', kind: 'integration' })
    const pair = { 'x-app-id': key.app_id, 'x-app-token': key.secret }
    const { status, body } = await ask(shop, 'token', 'grant_type=client_credentials&scope=api', pair)
    expect(status).toBe(200)
    expect(body.client_id).toBe(key.client_id)
    expect(await categoriesWith(shop, body.access_token as string)).toMatchObject({ status: 200 })
  })

  test('a key just deleted on another node gets no token', async () => {
    const shop = await newProject()
    await newToken(shop) // this node has cached the key now
    const { db } = shop.service.runtime.database
    await db
      .deleteFrom('api_keys')
      .where('id', '=', shop.app_key_id as `key_${string}`)
      .execute()
    expect(await ask(shop, 'token', 'grant_type=client_credentials&scope=api')).toMatchObject({ status: 401 })
  })
})

describe('the limit of live tokens', () => {
  /** A test project already has one live token. */
  const env = { OAUTH_MAX_TOKENS_PER_PROJECT: '10' }
  const liveTokens = async (shop: Shop) =>
    (
      await shop.service.runtime.database.db
        .selectFrom('oauth_tokens')
        .where('project_id', '=', shop.project_id)
        .selectAll()
        .execute()
    ).length

  test('30 concurrent requests do not exceed it', async () => {
    const shop = await newProject({ env })
    const answers = await Promise.all(
      Array.from({ length: 30 }, () => ask(shop, 'token', 'grant_type=client_credentials&scope=api')),
    )
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(9)
    const refused = answers.filter(({ status }) => status !== 200)
    expect(refused).toHaveLength(21)
    for (const { status, body } of refused)
      expect({ status, body }).toMatchObject({
        status: 429,
        body: { code: 429, key: 'oauth_tokens_limit_exceeded', message: 'Too many active OAuth tokens' },
      })
    expect(await liveTokens(shop)).toBe(10)
  })

  test('is counted per project', async () => {
    const [shop, other] = [await newProject({ env }), await newProject({ env })]
    for (let issued = 0; issued < 9; issued += 1) await newToken(shop)
    expect(await ask(shop, 'token', 'grant_type=client_credentials&scope=api')).toMatchObject({ status: 429 })
    await newToken(other)
  })

  test('a revoked token does not count', async () => {
    const shop = await newProject({ env })
    for (let issued = 0; issued < 8; issued += 1) await newToken(shop)
    const last = await newToken(shop)
    expect(await ask(shop, 'token', 'grant_type=client_credentials&scope=api')).toMatchObject({ status: 429 })
    await ask(shop, 'token/revoke', `access_token=${last}`)
    await newToken(shop)
  })

  test('Retry-After is the time until the oldest live token expires, after which a token is issued again', async () => {
    let at = Date.parse('2026-01-01T00:00:00.400Z')
    const node = await openNode(await testDatabase(), { env, now: () => at })
    const keys = await insertTestProject(node.runtime, {})
    const request = () =>
      send(node.app, 'POST', '/v1/oauth/token', 'grant_type=client_credentials&scope=api', { ...pairOf(keys), ...form })
    expect(await request()).toMatchObject({ status: 200 })
    at += 60_000
    for (let issued = 0; issued < 8; issued += 1) expect(await request()).toMatchObject({ status: 200 })
    // The first token was issued at 00:00:00 and expires at 00:15:00; now it is 00:01:00.4.
    expect(await request()).toMatchObject({ status: 429, headers: { 'retry-after': '840' } })
    at = Date.parse('2026-01-01T00:14:59.999Z')
    expect(await request()).toMatchObject({ status: 429, headers: { 'retry-after': '1' } })
    at = Date.parse('2026-01-01T00:15:00.000Z')
    expect(await request()).toMatchObject({ status: 200 })
    expect(await request()).toMatchObject({ status: 429 })
  })
})

describe('the expiry of a token', () => {
  test('is given in whole seconds, and the token stops working at exactly expires_at', async () => {
    let at = 1_767_225_600_400
    const node = await openNode(await testDatabase(), { now: () => at })
    const keys = await insertTestProject(node.runtime, {})
    const headers = { ...pairOf(keys), ...form }
    const issued = await send(node.app, 'POST', '/v1/oauth/token', 'grant_type=client_credentials&scope=api', headers)
    expect(issued.body).toMatchObject({ expires_in: 900, expires_at: 1_767_226_500 })
    const token = issued.body.access_token as string
    const introspected = async () =>
      (await send(node.app, 'POST', '/v1/oauth/introspect', `access_token=${token}`, headers)).body
    const used = async () =>
      (await send(node.app, 'GET', '/v1/categories', undefined, { ...pairOf(keys), authorization: `Bearer ${token}` }))
        .status

    at = 1_767_225_945_600
    expect(await introspected()).toEqual({ ...issued.body, expires_in: 555, active: true })
    at = 1_767_226_499_999
    expect(await introspected()).toMatchObject({ expires_in: 1, active: true })
    expect(await used()).toBe(200)
    at = 1_767_226_500_000
    expect(await introspected()).toEqual({ active: false })
    expect(await used()).toBe(401)
    const revoked = await send(node.app, 'POST', '/v1/oauth/token/revoke', `access_token=${token}`, headers)
    expect(revoked).toMatchObject({ status: 404, body: null })
  })

  test('is configurable with OAUTH_TOKEN_TTL_SECONDS', async () => {
    const shop = await newProject({ env: { OAUTH_TOKEN_TTL_SECONDS: '60' } })
    const before = Math.floor(shop.service.clock.now() / 1_000)
    const { body } = await ask(shop, 'token', 'grant_type=client_credentials&scope=api')
    expect(body.expires_in).toBe(60)
    expect(body.expires_at).toBeGreaterThanOrEqual(before + 60)
    shop.service.clock.advance(61_000)
    expect(await categoriesWith(shop, body.access_token as string)).toMatchObject({ status: 401 })
  })
})

describe('POST /v1/oauth/introspect', () => {
  test('an unknown token or a token of another project returns only active: false', async () => {
    const [shop, stranger] = [await newProject(), await newProject()]
    const token = await newToken(shop)
    for (const answer of [
      await ask(shop, 'introspect', 'access_token=nothing'),
      await ask(stranger, 'introspect', `access_token=${token}`),
    ])
      expect(answer).toMatchObject({ status: 200, body: { active: false } })
    expect(Object.keys((await ask(stranger, 'introspect', `access_token=${token}`)).body)).toEqual(['active'])
  })

  test('a token of another key of the project is returned with the client id of that key', async () => {
    const shop = await newProject()
    const { body: key } = await shop.manage('POST', '/api-keys', { name: 'Second' })
    const token = await newToken(shop)
    const pair = { 'x-app-id': key.app_id, 'x-app-token': key.secret }
    const { body } = await ask(shop, 'introspect', `access_token=${token}`, pair)
    expect(body).toMatchObject({ active: true, access_token: token, scope: 'api', token_type: 'Bearer' })
    expect(body.client_id).not.toBe(key.client_id)
  })

  test('a token is inactive while its key is blocked', async () => {
    const shop = await newProject()
    const { body: key } = await shop.manage('POST', '/api-keys', { name: 'Second' })
    const pair = { 'x-app-id': key.app_id, 'x-app-token': key.secret }
    const { body } = await ask(shop, 'token', 'grant_type=client_credentials&scope=api', pair)
    const isActive = async () => (await ask(shop, 'introspect', `access_token=${body.access_token}`)).body.active
    await shop.manage('PUT', `/api-keys/${key.id}`, { status: 'BLOCKED' })
    expect(await isActive()).toBe(false)
    await shop.manage('PUT', `/api-keys/${key.id}`, { status: 'ACTIVE' })
    expect(await isActive()).toBe(true)
  })
})

describe('POST /v1/oauth/token/revoke', () => {
  test('a revoked token fails from the next request on; revoking it again answers 404 without a body', async () => {
    const shop = await newProject()
    const token = await newToken(shop)
    expect(await categoriesWith(shop, token)).toMatchObject({ status: 200 })
    expect(await ask(shop, 'token/revoke', `access_token=${token}`)).toMatchObject({ status: 204, body: null })
    expect(await categoriesWith(shop, token)).toMatchObject({ status: 401, headers: { 'www-authenticate': 'Bearer' } })
    expect((await ask(shop, 'introspect', `access_token=${token}`)).body).toEqual({ active: false })

    const again = await ask(shop, 'token/revoke', `access_token=${token}`)
    expect(again).toMatchObject({ status: 404, body: null, headers: { 'content-length': '0' } })
    expect(again.headers['content-type']).toBeUndefined()
  })

  test('a token of another project answers 404 and stays valid', async () => {
    const [shop, stranger] = [await newProject(), await newProject()]
    const token = await newToken(shop)
    expect(await ask(stranger, 'token/revoke', `access_token=${token}`)).toMatchObject({ status: 404, body: null })
    expect(await categoriesWith(shop, token)).toMatchObject({ status: 200 })
  })
})

describe('a token of another key of the project', () => {
  const origin = 'https://shop.test'

  async function shopWithKeys() {
    const shop = await newProject({ project: { client_trusted_domains: ['shop.test'] } })
    const keyOf = async (role: string) => {
      const { body } = await shop.manage('POST', '/api-keys', { name: role, role })
      return { 'x-app-id': body.app_id as string, 'x-app-token': body.secret as string }
    }
    const page = { 'x-app-id': shop.client_id, 'x-app-token': shop.client_token, origin }
    return { shop, page, keyOf }
  }
  type Pair = Record<string, string>
  const tokenOf = async (shop: Shop, pair: Pair, scope = 'api') =>
    (await ask(shop, 'token', `grant_type=client_credentials&scope=${scope}`, pair)).body.access_token as string
  const isSeen = async (shop: Shop, token: string, pair: Pair) =>
    (await ask(shop, 'introspect', `access_token=${token}`, pair)).body
  const revoked = async (shop: Shop, token: string, pair: Pair) =>
    (await ask(shop, 'token/revoke', `access_token=${token}`, pair)).status

  test('is unknown to a page: it can neither see nor revoke it', async () => {
    const { shop, page } = await shopWithKeys()
    const token = await newToken(shop)
    expect(await isSeen(shop, token, page)).toEqual({ active: false })
    expect(await ask(shop, 'token/revoke', `access_token=${token}`, page)).toMatchObject({ status: 404, body: null })
    expect(await categoriesWith(shop, token)).toMatchObject({ status: 200 })
    const own = await tokenOf(shop, page, 'client_api')
    expect(await isSeen(shop, own, page)).toMatchObject({ active: true })
    expect(await revoked(shop, own, page)).toBe(204)
  })

  test('is known to a key of the server side, those of pages included', async () => {
    const { shop, page } = await shopWithKeys()
    const token = await tokenOf(shop, page, 'client_api')
    expect(await isSeen(shop, token, pairOf(shop))).toMatchObject({ active: true, scope: 'client_api' })
    expect(await revoked(shop, token, pairOf(shop))).toBe(204)
    expect(await isSeen(shop, token, page)).toEqual({ active: false })
  })

  test('is unknown to a key with a weaker role', async () => {
    const { shop, keyOf } = await shopWithKeys()
    const [viewer, user] = [await keyOf('VIEWER'), await keyOf('USER')]
    const [ofAdmin, ofUser, ofViewer] = [await newToken(shop), await tokenOf(shop, user), await tokenOf(shop, viewer)]
    for (const [token, pair] of [
      [ofAdmin, viewer],
      [ofAdmin, user],
      [ofUser, viewer],
    ] as const) {
      expect(await isSeen(shop, token, pair)).toEqual({ active: false })
      expect(await revoked(shop, token, pair)).toBe(404)
    }
    expect(await revoked(shop, ofViewer, viewer)).toBe(204)
    expect(await revoked(shop, ofUser, pairOf(shop))).toBe(204)
    expect(await categoriesWith(shop, ofAdmin)).toMatchObject({ status: 200 })
  })
})

test.each(['introspect', 'token/revoke'])('%s requires access_token', async (path) => {
  const shop = await newProject()
  for (const fields of ['', 'access_token=', 'token=abc'])
    expect(await ask(shop, path, fields)).toMatchObject({
      status: 400,
      body: { key: 'missing_parameters', message: 'Missing parameters' },
    })
})

test('an Idempotency-Key does not replay a token', async () => {
  const shop = await newProject()
  const fields = 'grant_type=client_credentials&scope=api'
  const [first, second] = [
    await ask(shop, 'token', fields, { 'idempotency-key': 'k' }),
    await ask(shop, 'token', fields, { 'idempotency-key': 'k' }),
  ]
  expect(first.body.access_token).not.toBe(second.body.access_token)
  expect(second.headers['idempotency-replayed']).toBeUndefined()
})

test('no table stores a token or a secret in plain text', async () => {
  const shop = await newProjectAlone()
  const { body: key } = await shop.manage('POST', '/api-keys', { name: 'Second' })
  const { body: renewed } = await shop.manage('POST', `/api-keys/${key.id}/regenerate`)
  const token = await newToken(shop)
  const secrets = [
    token,
    shop.app_token,
    shop.client_token,
    shop.access_token,
    key.secret,
    renewed.secret,
    shop.management_token,
  ]

  const { db } = shop.service.runtime.database
  const tables = await sql<{ name: string }>`
    select format('%I.%I', table_schema, table_name) as name from information_schema.tables
    where table_type = 'BASE TABLE' and table_schema not in ('pg_catalog', 'information_schema')`.execute(db)
  expect(tables.rows.map(({ name }) => name)).toContain('public.oauth_tokens')
  for (const { name } of tables.rows) {
    const matches = await sql`select t::text from ${sql.raw(name)} t where t::text ~ any(${secrets}::text[])`.execute(
      db,
    )
    expect([name, matches.rows]).toEqual([name, []])
  }
  // The same search finds the hash, so it would have found the token.
  const hash = hashOf(token).toString('hex')
  const matches = await sql`select from oauth_tokens t where t::text ~ ${hash}`.execute(db)
  expect(matches.rows).toHaveLength(1)
})
