import { Int, Name } from '@guerdon/engine/schema'
import { Type } from 'typebox'
import { beforeAll, describe, expect, test } from 'vitest'
import { operations } from '../../operations.ts'
import { type Answer, newProject, type Shop, send } from '../../testing/app.ts'
import { testDatabase } from '../../testing/database.ts'
import { newInstallation } from '../../testing/installation.ts'
import { openNode } from '../../testing/nodes.ts'
import { isTrustedOrigin } from '../lib/trusted-origin.ts'
import { invalidPayload, notFound } from './errors.ts'
import { familyOf, type Operation, operation } from './operation.ts'
import { covers, scopes, scopesFor } from './scopes.ts'

type Headers = Record<string, string>

/** An operation that only reports that its handler was reached. */
const reached = (id: string, method: Operation['method'], path: string, more: Partial<Operation> = {}): Operation =>
  ({
    id,
    method,
    path,
    summary: 'Says that it was reached',
    reply: Type.Object({ reached: Type.String() }),
    errors: [],
    run: async () => ({ reached: id }),
    ...more,
  }) as Operation

const extra: Operation[] = [
  reached('probeEvents', 'POST', '/v1/probes/events'),
  reached('probeManyGet', 'GET', '/v1/probes/many/{probeId}'),
  reached('probeManyPut', 'PUT', '/v1/probes/many/{probeId}'),
  reached('probeManyDelete', 'DELETE', '/v1/probes/many/{probeId}'),
  reached('probeForViewers', 'POST', '/v1/probes/for-viewers', { also_for: ['VIEWER', 'MERCHANT'] }),
  reached('probeForMerchants', 'POST', '/v1/probes/for-merchants', { also_for: ['MERCHANT'] }),
  ...['validations', 'validation-rules', 'validation-rules-assignments', 'redemptions', 'skus', 'vouchers/{code}'].map(
    (path) => reached(`probeScope ${path}`, 'POST', `/v1/${path}/probe`),
  ),
  ...['validations', 'redeem', 'redemptions', 'publish'].map((path) =>
    reached(`probeClient ${path}`, 'POST', `/client/v1/${path}/probe`),
  ),
  reached('probeClientTiers', 'GET', '/client/v1/promotions/tiers/probe'),
  reached('probeClientFlag', 'POST', '/client/v1/publish/flagged', { flag: 'client_publish_enabled' }),
  operation({
    id: 'probeCode',
    method: 'GET',
    path: '/v1/probes/codes/{code}',
    summary: 'Says which code it read',
    reply: Type.Object({ code: Type.String() }),
    errors: ['not_found'],
    run: async (_ctx, { params }) => ({ code: params.code }),
  }),
  operation({
    id: 'probeOrder',
    method: 'POST',
    path: '/client/v1/promotions/{probeId}/order',
    summary: 'Can refuse at every step',
    query: Type.Object({ limit: Type.Optional(Int({ maximum: 100 })) }),
    body: Type.Object({ name: Name }),
    reply: Type.Object({ reached: Type.String() }),
    errors: ['not_found', 'invalid_payload', 'invalid_query_params'],
    flag: 'client_publish_enabled',
    target: async (_ctx, { params }) => {
      if (params.probeId !== 'known') throw notFound('probe', params.probeId)
      return params.probeId
    },
    run: async (_ctx, { body }) => {
      if (body.name === 'inconsistent') throw invalidPayload('Property .name is inconsistent')
      return { reached: 'the end' }
    },
  }),
]

const env = { CLIENT_RATE_LIMIT: '', MAX_BODY_BYTES: '2048' }
const shopWith = (project: Record<string, unknown> = {}, mode = 'strict') =>
  newProject({
    env: { ...env, AUTH_MODE: mode },
    extra,
    project: { client_trusted_domains: ['shop.test'], ...project },
  })

/** Shared by tables of read-only requests. */
let calm: Shop
beforeAll(async () => {
  calm = await shopWith()
})

async function newKey(shop: Shop, body: Record<string, unknown> = {}): Promise<{ id: string; pair: Headers }> {
  const { body: key } = await shop.manage('POST', '/api-keys', { name: 'Another key', ...body })
  return { id: key.id, pair: { 'x-app-id': key.app_id, 'x-app-token': key.secret } }
}

async function newToken(
  shop: Shop,
  scope: string,
  pair: Headers = { 'x-app-id': shop.app_id, 'x-app-token': shop.app_token },
): Promise<Headers> {
  const form = { ...pair, 'content-type': 'application/x-www-form-urlencoded' }
  const { body } = await send(
    shop.service.app,
    'POST',
    '/v1/oauth/token',
    `grant_type=client_credentials&scope=${scope}`,
    form,
  )
  return { authorization: `Bearer ${body.access_token}` }
}

describe('of several reasons to refuse a request, the first in the documented order of checks is reported', () => {
  const steps = [
    ['route', { code: 404, key: 'not_found', details: 'Cannot find route POST /client/v1/promotions/known/nowhere' }],
    ['method', { code: 405, key: 'method_not_allowed' }],
    ['accept', { code: 406, key: 'not_acceptable' }],
    ['credentials', { code: 401, key: 'unauthorized' }],
    ['blocked key', { code: 403, details: 'API key is blocked' }],
    ['address', { code: 403, details: 'IP address 127.0.0.1 is not allowed' }],
    ['origin', { code: 403, details: "Origin 'https://evil.test' is not allowed" }],
    ['rate limit', { code: 429, key: 'too_many_requests' }],
    ['version', { code: 400, key: 'invalid_api_version' }],
    [
      'scope',
      {
        code: 403,
        details: 'Access token does not cover this resource. Required scope: client_api or client_promotions',
      },
    ],
    ['role', { code: 403, key: 'missing_required_permission' }],
    ['flag', { code: 403, details: 'Client-side operation is disabled: client_publish_enabled' }],
    ['size', { code: 413, key: 'payload_too_large' }],
    ['media type', { code: 415, key: 'unsupported_media_type' }],
    ['parse', { code: 400, key: 'invalid_payload', message: 'Invalid request payload JSON format' }],
    ['query', { code: 400, key: 'invalid_query_params', details: 'Property .limit must be <= 100' }],
    ['resource', { code: 404, key: 'not_found', resource_type: 'probe', resource_id: 'unknown' }],
    ['body', { code: 400, key: 'invalid_payload', details: "Payload should have required property 'name'" }],
    ['rules', { code: 400, key: 'invalid_payload', details: 'Property .name is inconsistent' }],
    ['nothing', { reached: 'the end' }],
  ] as const
  type Step = (typeof steps)[number][0]

  let limited: Shop
  let flagless: Shop
  let open: Shop
  beforeAll(async () => {
    limited = await shopWith()
    flagless = await shopWith()
    open = await shopWith({ client_publish_enabled: true })
  })

  /** A request that violates this step and every later one. */
  async function offendingFrom(first: Step): Promise<Answer> {
    const offends = (step: Step) =>
      steps.findIndex(([name]) => name === first) <= steps.findIndex(([name]) => name === step)
    const shop = offends('rate limit') ? limited : offends('flag') ? flagless : open
    const { id, pair } = await newKey(shop, {
      role: offends('role') ? 'VIEWER' : 'ADMIN',
      ip_whitelist: offends('address') ? ['10.0.0.1'] : [],
    })
    if (offends('blocked key')) await shop.manage('PUT', `/api-keys/${id}`, { status: 'BLOCKED' })
    const token = await newToken(shop, offends('scope') ? 'api' : 'client_promotions')
    if (shop === limited) {
      const onePerHour = { api_calls: [{ value: 1, duration: 'PT1H' }] }
      await shop.manage('PUT', '/limits', onePerHour)
      await shop.call('GET', '/v1/categories')
    }
    const answer = await send(
      shop.service.app,
      offends('method') && first !== 'route' ? 'DELETE' : 'POST',
      `/client/v1/promotions/${offends('resource') && first !== 'route' ? 'unknown' : 'known'}/${first === 'route' ? 'nowhere' : 'order'}${offends('query') ? '?limit=101' : ''}`,
      offends('size')
        ? 'x'.repeat(2_049)
        : offends('parse')
          ? '{"name":'
          : offends('body')
            ? '{}'
            : offends('rules')
              ? '{"name":"inconsistent"}'
              : '{"name":"fine"}',
      {
        ...pair,
        ...(offends('credentials') ? { authorization: 'Bearer unknown' } : token),
        accept: offends('accept') ? 'text/html' : 'application/json',
        origin: offends('origin') ? 'https://evil.test' : 'https://shop.test',
        'x-voucherify-api-version': offends('version') ? 'v1' : 'v2018-08-01',
        'content-type': offends('media type') ? 'text/plain' : 'application/json',
      },
    )
    if (shop === limited) await shop.manage('PUT', '/limits', null)
    return answer
  }

  test.each(steps)('%s', async (step, expected) => {
    const answer = await offendingFrom(step)
    expect(answer.body).toMatchObject(expected)
    expect(answer.status).toBe('code' in expected ? expected.code : 200)
  })
})

describe('paths and methods', () => {
  test.each([
    ['PUT', '/v1/nothing'],
    ['GET', '/nothing'],
    ['GET', '/v1'],
    ['GET', '/v2/categories'],
    ['GET', '/V1/categories'],
    ['POST', '/client/v1/nothing'],
    ['DELETE', '/management/v1/nothing'],
    ['OPTIONS', '/v1/nothing'],
    ['PATCH', '/v1/nothing'],
  ])('%s %s is an unknown route', async (method, path) => {
    const { service } = calm
    const answer = await send(service.app, method, `${path}?with=query`)
    expect(answer.status).toBe(404)
    expect(answer.body).toEqual({
      code: 404,
      key: 'not_found',
      message: 'Resource not found',
      details: expect.stringMatching(new RegExp(`^Cannot find route ${method} ${path}(?:\\. Did you mean \\S+\\?)?$`)),
      request_id: answer.headers['x-request-id'],
    })
  })

  test.each([
    ['DELETE', '/v1/probes/events', 'POST', 'POST'],
    ['GET', '/v1/probes/events', 'POST', 'POST'],
    ['DELETE', '/v1/categories', 'GET, HEAD, POST', 'GET or POST'],
    ['DELETE', '/v1/categories/', 'GET, HEAD, POST', 'GET or POST'],
    ['PUT', '/v1/categories?limit=1', 'GET, HEAD, POST', 'GET or POST'],
    ['PATCH', '/v1/categories', 'GET, HEAD, POST', 'GET or POST'],
    ['TRACE', '/v1/categories', 'GET, HEAD, POST', 'GET or POST'],
    ['PROPFIND', '/v1/categories', 'GET, HEAD, POST', 'GET or POST'],
    ['POST', '/v1/probes/many/a%2Fb', 'DELETE, GET, HEAD, PUT', 'DELETE, GET or PUT'],
    ['OPTIONS', '/v1/categories', 'GET, HEAD, POST', 'GET or POST'],
    ['OPTIONS', '/management/v1/projects', 'GET, HEAD, POST', 'GET or POST'],
    ['PATCH', '/management/v1/projects/proj_1', 'DELETE, GET, HEAD, PUT', 'DELETE, GET or PUT'],
    ['DELETE', '/client/v1/publish/flagged', 'POST', 'POST'],
    ['GET', '/v1/oauth/token', 'POST', 'POST'],
  ])('%s %s gets 405 with the allowed methods: %s', async (method, path, allow, spoken) => {
    const { service } = calm
    const answer = await send(service.app, method, path)
    expect(answer.status).toBe(405)
    expect(answer.headers.allow).toBe(allow)
    expect(answer.body).toEqual({
      code: 405,
      key: 'method_not_allowed',
      message: 'HTTP Method Not Allowed',
      details: `${method} is not supported by this endpoint. Did you mean ${spoken}?`,
      request_id: answer.headers['x-request-id'],
    })
  })

  test('a trailing slash is ignored', async () => {
    const shop = await shopWith()
    const created = await shop.call('POST', '/v1/categories/', { name: 'Summer', hierarchy: 0 })
    expect(created.status).toBe(200)
    expect((await shop.call('GET', `/v1/categories/${created.body.id}/`)).body).toEqual(created.body)
    expect((await shop.call('GET', '/v1/categories/?x=1')).body.total).toBe(1)
  })

  test.each([
    'a/b',
    '100%',
    '%41',
    '%2F',
    'ü',
    '🎁',
    'a+b',
    'a b',
    'a?b=c',
    'a#b',
    'a;b',
    "'",
    '"',
    '\\',
    '{code}',
    ':code',
    '__proto__',
    'x'.repeat(500),
  ])('the code %j in the path is decoded', async (code) => {
    expect((await calm.call('GET', `/v1/probes/codes/${encodeURIComponent(code)}`)).body).toEqual({ code })
  })

  test.each([
    '/v1/probes/codes/%',
    '/v1/probes/codes/%zz',
    '/v1/probes/codes/%FF',
    '/v1/probes/codes/%00',
    '/v1/probes/codes/a%00b',
    '/v1/categories/%00',
  ])('%s cannot be decoded and gives 404', async (path) => {
    const answer = await calm.call('GET', path)
    expect(answer.status).toBe(404)
    expect(answer.headers['x-request-id']).toMatch(/^v-[0-9a-f]{18}$/)
    expect(answer.headers['content-type']).toBe('application/json; charset=utf-8')
    expect(answer.body).toEqual({
      code: 404,
      key: 'not_found',
      message: 'Resource not found',
      details: `Cannot find route GET ${path}`,
      request_id: answer.headers['x-request-id'],
    })
  })
})

describe('HEAD', () => {
  test('works on every path with GET, with the same headers and no body', async () => {
    const shop = await shopWith()
    await shop.call('POST', '/v1/categories', { name: 'Summer', hierarchy: 0 })
    const { app } = shop.service
    const get = await app.inject({ method: 'GET', url: '/v1/categories', headers: shop.headers })
    const head = await app.inject({ method: 'HEAD', url: '/v1/categories', headers: shop.headers })
    expect(head.statusCode).toBe(200)
    expect(head.body).toBe('')
    const { date: _, 'x-request-id': __, ...same } = get.headers
    expect(head.headers).toMatchObject(same)
    expect(Number(head.headers['content-length'])).toBe(Buffer.byteLength(get.body))
  })

  test('is refused like GET', async () => {
    const shop = await shopWith()
    const status = async (path: string, headers: Headers) =>
      (await shop.service.app.inject({ method: 'HEAD', url: path, headers })).statusCode
    expect(await status('/v1/categories', {})).toBe(401)
    expect(await status('/v1/categories/cat_unknown', shop.headers)).toBe(404)
    expect(await status('/v1/probes/events', shop.headers)).toBe(405)
    expect(await status('/v1/nothing', shop.headers)).toBe(404)
    expect(await status('/v1/categories', { ...shop.headers, accept: 'text/html' })).toBe(406)
  })
})

describe('Accept', () => {
  test.each<[accept: string | undefined, acceptable: boolean]>([
    [undefined, true],
    ['', true],
    ['*/*', true],
    ['application/*', true],
    ['application/json', true],
    ['APPLICATION/JSON', true],
    ['application/json; charset=utf-8', true],
    ['application/json;q=0.1', true],
    ['application/hal+json', true],
    ['application/vnd.api+json; version=1', true],
    ['text/html, application/xhtml+xml, */*;q=0.8', true],
    ['text/html,application/json', true],
    ['text/html;q=0.9 , application/json;q=0.5', true],
    ['text/html', false],
    ['text/html,', false],
    ['text/*', false],
    ['image/png, text/csv', false],
    ['application/xml', false],
    ['application/jsonp', false],
    ['application/json;q=0', false],
    ['application/json;q=0.000', false],
    ['application/json; q=0, */*', false],
    ['*/*;q=0', false],
    ['text/html, */*;q=0', false],
    ['nonsense', false],
  ])('%j is acceptable: %s', async (accept, acceptable) => {
    const answer = await calm.call('GET', '/v1/categories', undefined, accept === undefined ? {} : { accept })
    expect(answer.status).toBe(acceptable ? 200 : 406)
    expect(answer.headers['content-type']).toBe('application/json; charset=utf-8')
    if (!acceptable) expect(answer.body).toMatchObject({ code: 406, key: 'not_acceptable', message: 'Not Acceptable' })
  })

  test('is checked on all three families of paths', async () => {
    const shop = await shopWith()
    const { app } = shop.service
    for (const path of ['/v1/categories', '/client/v1/promotions/tiers/probe', '/management/v1/projects'])
      expect(await send(app, 'GET', path, undefined, { accept: 'text/html' })).toMatchObject({ status: 406 })
  })
})

describe('the API version', () => {
  test('is optional; the only supported version is accepted and repeated in the response', async () => {
    const shop = await shopWith()
    expect((await shop.call('GET', '/v1/categories')).headers).not.toHaveProperty('x-voucherify-api-version')
    const current = { 'x-voucherify-api-version': 'v2018-08-01' }
    expect(await shop.call('GET', '/v1/categories', undefined, current)).toMatchObject({
      status: 200,
      headers: current,
    })
    expect(await shop.call('GET', '/v1/categories/cat_unknown', undefined, current)).toMatchObject({
      status: 404,
      headers: current,
    })
    expect(
      await send(shop.service.app, 'GET', '/management/v1/projects', undefined, { ...shop.management, ...current }),
    ).toMatchObject({ headers: current })
  })

  test.each(['v2017-04-20', 'V2018-08-01', '2018-08-01', '', 'v2018-08-01, v2018-08-01'])(
    '%j is refused',
    async (version) => {
      const answer = await calm.call('GET', '/v1/categories', undefined, { 'x-voucherify-api-version': version })
      expect(answer).toMatchObject({
        status: 400,
        body: { key: 'invalid_api_version', message: 'Invalid API version' },
      })
    },
  )
})

describe('scopes', () => {
  test('there are 45 scopes, one of them with two spellings', () => {
    expect(scopes.size).toBe(46)
    expect(scopes.has('SKUs') && scopes.has('skus')).toBe(true)
  })

  test('each scope grants exactly the paths whose first segment it names; the two wide ones grant their family', () => {
    for (const scope of scopes) {
      for (const other of scopes) {
        const client = other.startsWith('client_')
        const path = client ? `/client/v1/${other.slice(7)}/x` : `/v1/${other === 'SKUs' ? 'skus' : other}/x`
        const opens = scope === (client ? 'client_api' : 'api') || scope.toLowerCase() === other.toLowerCase()
        expect({ scope, path, opens: covers(scope, scopesFor(path) ?? []) }).toEqual({ scope, path, opens })
      }
    }
  })

  test('several scopes add up, and a scope does not match as part of another', () => {
    const opens = (scope: string, path: string) => covers(scope, scopesFor(path) ?? [])
    expect(opens('vouchers validations', '/v1/vouchers/{code}/redemption')).toBe(true)
    expect(opens('vouchers validations', '/v1/validations')).toBe(true)
    expect(opens('vouchers validations', '/v1/validation-rules')).toBe(false)
    expect(opens('validation-rules', '/v1/validation-rules-assignments')).toBe(false)
    expect(opens('validation-rules-assignments', '/v1/validation-rules')).toBe(false)
    expect(opens('client_redeem', '/client/v1/redemptions')).toBe(false)
    expect(opens('products', '/v1/products/{productId}/skus')).toBe(true)
    expect(opens('skus', '/v1/products/{productId}/skus')).toBe(false)
    expect(opens('vouchers', '/v1/campaigns/{campaignId}/vouchers')).toBe(false)
    expect(opens('', '/v1/vouchers')).toBe(false)
    expect(scopesFor('/v1/oauth/token')).toBeNull()
    expect(scopesFor('/management/v1/projects')).toBeNull()
  })

  test('a token with "vouchers validations" grants these two, and the error names the scope required for other paths', async () => {
    const shop = await shopWith()
    const token = await newToken(shop, 'vouchers validations')
    const call = (path: string) => shop.call('POST', path, undefined, token)
    expect(await call('/v1/validations/probe')).toMatchObject({ status: 200 })
    expect(await call('/v1/vouchers/ABC/probe')).toMatchObject({ status: 200 })
    expect(await call('/v1/validation-rules/probe')).toMatchObject({
      status: 403,
      body: {
        code: 403,
        key: 'forbidden',
        message: 'Forbidden',
        details: 'Access token does not cover this resource. Required scope: api or validation-rules',
      },
    })
    expect(await call('/v1/validation-rules-assignments/probe')).toMatchObject({
      status: 403,
      body: { details: expect.stringContaining('api or validation-rules-assignments') },
    })
    expect(await call('/v1/redemptions/probe')).toMatchObject({
      status: 403,
      body: { details: expect.stringContaining('api or redemptions') },
    })
    expect(await call('/client/v1/validations/probe')).toMatchObject({
      status: 403,
      body: { details: 'Access token does not cover this resource. Required scope: client_api or client_validations' },
    })
  })

  test.each(['SKUs', 'skus'])('the scope %s grants /v1/skus', async (scope) => {
    const shop = await shopWith()
    expect(await shop.call('POST', '/v1/skus/probe', undefined, await newToken(shop, scope))).toMatchObject({
      status: 200,
    })
  })

  test('neither wide scope grants the other family', async () => {
    const shop = await shopWith()
    const [server, client] = [await newToken(shop, 'api'), await newToken(shop, 'client_api')]
    expect(await shop.call('POST', '/client/v1/redeem/probe', undefined, server)).toMatchObject({ status: 403 })
    expect(await shop.call('POST', '/client/v1/redeem/probe', undefined, client)).toMatchObject({ status: 200 })
    expect(await shop.call('POST', '/v1/redemptions/probe', undefined, client)).toMatchObject({ status: 403 })
    expect(
      await shop.call('POST', '/client/v1/redemptions/probe', undefined, await newToken(shop, 'client_redeem')),
    ).toMatchObject({ status: 403 })
  })

  test('a key pair without a token is not restricted by scopes', async () => {
    const shop = await shopWith({}, 'either')
    const pair = { 'x-app-id': shop.app_id, 'x-app-token': shop.app_token }
    for (const path of ['/v1/validation-rules/probe', '/v1/skus/probe', '/client/v1/redeem/probe'])
      expect(await send(shop.service.app, 'POST', path, undefined, pair)).toMatchObject({ status: 200 })
  })
})

describe('roles', () => {
  test.each<[role: string, reads: number, writes: number, viewers: number, merchants: number]>([
    ['ADMIN', 200, 200, 200, 200],
    ['USER', 200, 200, 200, 200],
    ['USER_RESTRICTED', 200, 200, 200, 200],
    ['VIEWER', 200, 403, 200, 403],
    ['MERCHANT', 200, 403, 200, 200],
  ])('%s', async (role, reads, writes, viewers, merchants) => {
    const shop = await shopWith({}, 'either')
    const { pair } = await newKey(shop, { role })
    const status = async (method: string, path: string, body?: unknown) =>
      (await send(shop.service.app, method, path, body, pair)).status
    expect(await status('GET', '/v1/categories')).toBe(reads)
    expect(await status('HEAD', '/v1/categories')).toBe(reads)
    expect(await status('GET', '/client/v1/promotions/tiers/probe')).toBe(reads)
    expect(await status('POST', '/v1/categories', { name: 'A', hierarchy: 0 })).toBe(writes)
    expect(await status('PUT', '/v1/probes/many/1')).toBe(writes)
    expect(await status('DELETE', '/v1/probes/many/1')).toBe(writes)
    expect(await status('POST', '/client/v1/redeem/probe')).toBe(writes)
    expect(await status('POST', '/v1/probes/for-viewers')).toBe(viewers)
    expect(await status('POST', '/v1/probes/for-merchants')).toBe(merchants)
    // In strict mode a key needs its own token to call anything.
    expect(await newToken(shop, 'api', pair)).toEqual({ authorization: expect.stringMatching(/^Bearer \w{50}$/) })
  })

  test('a role without the permission gets 403, and nothing is stored', async () => {
    const shop = await shopWith({}, 'either')
    const { pair } = await newKey(shop, { role: 'VIEWER' })
    const answer = await send(shop.service.app, 'POST', '/v1/categories', { name: 'A', hierarchy: 0 }, pair)
    expect(answer.body).toEqual({
      code: 403,
      key: 'missing_required_permission',
      message: 'Missing permission',
      details: 'User does not have a required permission to perform this operation.',
      request_id: answer.headers['x-request-id'],
    })
    expect((await shop.call('GET', '/v1/categories')).body.total).toBe(0)
  })
})

describe('client flags', () => {
  test('a disabled operation is refused with the name of its flag until the project enables it', async () => {
    const shop = await shopWith()
    const call = () => shop.call('POST', '/client/v1/publish/flagged')
    expect(await call()).toMatchObject({
      status: 403,
      body: {
        code: 403,
        key: 'forbidden',
        message: 'Forbidden',
        details: 'Client-side operation is disabled: client_publish_enabled',
      },
    })
    expect(await shop.manage('PUT', '', { client_publish_enabled: true })).toMatchObject({ status: 200 })
    expect(await call()).toMatchObject({ status: 200 })
    expect(await shop.manage('PUT', '', { client_publish_enabled: false })).toMatchObject({ status: 200 })
    expect(await call()).toMatchObject({ status: 403 })
  })
})

describe('origins', () => {
  const trusted = ['shop.test', '.cdn.test', 'https://app.test:8443']
  const table: Array<[origin: string, allowed: boolean]> = [
    ['https://shop.test', true],
    ['http://shop.test:3000', true],
    ['https://www.shop.test', false],
    ['https://a.b.cdn.test', true],
    ['https://cdn.test', false],
    ['https://app.test:8443', true],
    ['http://app.test:8443', false],
    ['https://app.test', false],
    ['HTTPS://Shop.TEST', true],
    ['shop.test', true],
    ['shop.test:81', true],
    ['app.test:8443', true],
    ['app.test', false],
    ['https://shop.test/', true],
    ['https://evilcdn.test', false],
    ['https://shop.test.evil.test', false],
    ['https://shop.test@evil.test', false],
    ['https://shop.test:3000@evil.test', false],
    ['https://evil.test/shop.test', false],
    ['https://evil.test#shop.test', false],
    ['https://evil.test\\shop.test', false],
    ['null', false],
    ['', false],
  ]

  let shop: Shop
  beforeAll(async () => {
    shop = await shopWith({ client_trusted_domains: trusted })
  })

  test.each(table)('origin %j is allowed: %s', async (origin, allowed) => {
    expect(isTrustedOrigin(trusted, origin)).toBe(allowed)
    const answer = await shop.call('POST', '/client/v1/redeem/probe', undefined, { origin })
    expect(answer.status).toBe(allowed ? 200 : 403)
    if (!allowed) expect(answer.body).toMatchObject({ key: 'forbidden', details: `Origin '${origin}' is not allowed` })
  })

  test.each<[entries: string[], origin: string, allowed: boolean]>([
    [['*'], 'https://anything.test', true],
    [['*'], 'null', true],
    [[' * '], 'null', true],
    [[], 'https://shop.test', false],
    [[], 'null', false],
    [['https://*.shop.test'], 'https://www.shop.test', true],
    [['https://*.shop.test'], 'http://www.shop.test', false],
    [['https://*.shop.test'], 'https://shop.test', false],
    [['https://shop.test'], 'https://shop.test:444', true],
    [['https://shop.test:443'], 'https://shop.test', true],
    [['http://shop.test:80'], 'http://shop.test', true],
    [['shop.test:8443'], 'http://shop.test:8443', true],
    [['shop.test:8443'], 'https://shop.test', false],
    [['Shop.Test/'], 'https://shop.test', true],
    [['https://shop.test/path?x=1'], 'https://shop.test', true],
    [['.test'], 'https://shop.test', true],
    [['.shop.test'], 'https://.shop.test', false],
    [['http://localhost'], 'http://localhost:5173', true],
    [['127.0.0.1'], 'http://127.0.0.1:8080', true],
    [['[::1]'], 'http://[::1]:8080', true],
    [['app://mobile'], 'app://mobile', true],
    [['https://'], 'https://shop.test', false],
    [['h*.test'], 'https://hop.test', false],
  ])('%j and %s: %s', (entries, origin, allowed) => {
    expect(isTrustedOrigin(entries, origin)).toBe(allowed)
  })

  test('a missing Origin is accepted only with an application pair', async () => {
    const shop = await shopWith({ client_trusted_domains: trusted }, 'either')
    const call = (headers: Headers) => send(shop.service.app, 'POST', '/client/v1/redeem/probe', undefined, headers)
    const refused = { status: 403, body: { key: 'forbidden', details: 'Origin header is required' } }
    const client = { 'x-client-application-id': shop.client_id, 'x-client-token': shop.client_token }
    const application = { 'x-app-id': shop.app_id, 'x-app-token': shop.app_token }
    expect(await call(client)).toMatchObject(refused)
    expect(await call({ authorization: `Bearer ${shop.access_token}` })).toMatchObject(refused)
    expect(await call(application)).toMatchObject({ status: 200 })
    expect(await call({ ...application, ...client })).toMatchObject({ status: 200 })
    expect(await call({ ...application, origin: 'https://evil.test' })).toMatchObject({ status: 403 })
    expect(await call({ ...client, origin: 'https://shop.test' })).toMatchObject({ status: 200 })
  })

  test('are required by every client-side operation', async () => {
    const refused = { status: 403, body: { key: 'forbidden', details: "Origin 'https://evil.test' is not allowed" } }
    const onClientSide = operations.filter(({ path }) => familyOf(path) === 'client')
    expect(onClientSide.map(({ path }) => path)).toContain('/client/v1/validate')
    for (const { method, path } of onClientSide)
      expect(await shop.call(method, path, undefined, { origin: 'https://evil.test' }), path).toMatchObject(refused)
  })

  test('are not checked on /v1', async () => {
    const shop = await shopWith({ client_trusted_domains: [] })
    expect(await shop.call('GET', '/v1/categories', undefined, { origin: 'https://evil.test' })).toMatchObject({
      status: 200,
    })
  })
})

describe('CORS', () => {
  const origin = 'https://shop.test'
  const preflight = {
    origin,
    'access-control-request-method': 'POST',
    'access-control-request-headers': 'content-type',
  }
  const corsOf = ({ headers }: Answer) => Object.keys(headers).filter((name) => name.startsWith('access-control'))

  test('a preflight is answered without credentials, for an origin that any project trusts', async () => {
    const only = operations.filter(({ id }) => id === 'updateProject' || id === 'redeemVoucherOnClient')
    const { app, manage, made } = await newInstallation({ only })
    await manage('PUT', `/projects/${made.project_id}`, { client_trusted_domains: [origin] })
    const ask = (from: string) =>
      send(app, 'OPTIONS', '/client/v1/redeem', undefined, { ...preflight, origin: from, accept: 'text/html' })
    const refused = await ask('https://unknown.test')
    expect(refused).toMatchObject({ status: 403, body: { details: "Origin 'https://unknown.test' is not allowed" } })
    expect(corsOf(refused)).toEqual([])
    const answer = await ask(origin)
    expect(answer).toMatchObject({ status: 204, body: null })
    expect(answer.headers).toMatchObject({
      'access-control-allow-origin': origin,
      'access-control-allow-credentials': 'true',
      'access-control-allow-methods': 'GET, HEAD, POST, PUT, OPTIONS',
      'access-control-allow-headers':
        'Accept, Authorization, Content-Type, Guerdon-Position, Idempotency-Key, Prefer, X-App-Id, X-App-Token, X-Client-Application-Id, X-Client-Token, X-Request-Id, X-Voucherify-API-Version, X-Voucherify-Channel, X-Voucherify-Double-Opt-In',
      'access-control-max-age': '600',
      vary: 'Origin',
      'x-request-id': expect.stringMatching(/^v-/),
    })
  })

  test('OPTIONS counts as a preflight only on an existing client-side path and with both preflight headers', async () => {
    const { service } = calm
    const { origin: _, ...methodAlone } = preflight
    expect(await send(service.app, 'OPTIONS', '/client/v1/nothing', undefined, preflight)).toMatchObject({
      status: 404,
    })
    expect(await send(service.app, 'OPTIONS', '/client/v1/redeem/probe', undefined, { origin })).toMatchObject({
      status: 405,
    })
    expect(await send(service.app, 'OPTIONS', '/client/v1/redeem/probe', undefined, methodAlone)).toMatchObject({
      status: 405,
    })
    for (const path of ['/v1/categories', '/management/v1/projects']) {
      const answer = await send(service.app, 'OPTIONS', path, undefined, preflight)
      expect(answer.status).toBe(405)
      expect(corsOf(answer)).toEqual([])
    }
  })

  const expected = {
    'access-control-allow-origin': origin,
    'access-control-allow-credentials': 'true',
    vary: 'Origin',
    'access-control-expose-headers':
      'X-Rate-Limit-Limit, X-Rate-Limit-Remaining, X-Rate-Limit-Retry, X-Rate-Limit-Type, Retry-After, X-Request-Id, Guerdon-Ignored, Guerdon-Position, Preference-Applied',
  }

  test('a trusted origin may read the response, also a refusal', async () => {
    const shop = await shopWith()
    expect(await shop.call('POST', '/client/v1/redeem/probe', undefined, { origin })).toMatchObject({
      status: 200,
      headers: expected,
    })
    expect(await shop.call('POST', '/client/v1/publish/flagged', undefined, { origin })).toMatchObject({
      status: 403,
      headers: expected,
    })
    expect(
      await shop.call('POST', '/client/v1/redeem/probe', undefined, { origin, 'x-voucherify-api-version': 'v1' }),
    ).toMatchObject({ status: 400, headers: expected })
    expect(await shop.call('GET', '/client/v1/promotions/tiers/probe', undefined, { origin })).toMatchObject({
      status: 200,
      headers: expected,
    })
  })

  test('a refused origin gets no CORS headers, and no origin gets them on /v1', async () => {
    const shop = await shopWith({ client_trusted_domains: ['other.test'] })
    const refused = await shop.call('POST', '/client/v1/redeem/probe', undefined, { origin })
    expect(refused.status).toBe(403)
    expect(corsOf(refused)).toEqual([])
    const server = await shop.call('GET', '/v1/categories', undefined, { origin })
    expect(server.status).toBe(200)
    expect(corsOf(server)).toEqual([])
    const management = await send(shop.service.app, 'GET', '/management/v1/projects', undefined, {
      ...shop.management,
      origin,
    })
    expect(corsOf(management)).toEqual([])
  })

  test('without an Origin there are no CORS headers', async () => {
    const shop = await shopWith()
    expect(corsOf(await shop.call('POST', '/client/v1/redeem/probe'))).toEqual([])
  })
})

describe('request ids', () => {
  test('a request at 1767225600.000 gets v-19b76daa800 and seven digits, in the header and in the refusal', async () => {
    const { app } = await openNode(await testDatabase(), { now: () => 1_767_225_600_000 })
    const answer = await send(app, 'GET', '/v1/categories', undefined, { 'x-request-id': 'mine' })
    expect(answer.headers['x-request-id']).toMatch(/^v-19b76daa800[0-9a-f]{7}$/)
    expect(answer.body.request_id).toBe(answer.headers['x-request-id'])
  })

  test('every response has a unique request id', async () => {
    const shop = await shopWith()
    const answers = [
      await shop.call('GET', '/v1/categories'),
      await shop.call('GET', '/v1/nothing'),
      await shop.call('PATCH', '/v1/categories'),
      await send(shop.service.app, 'GET', '/v1/categories'),
      await shop.call('GET', '/v1/categories/%zz'),
      await shop.manage('GET', ''),
    ]
    for (const { headers } of answers) expect(headers['x-request-id']).toMatch(/^v-[0-9a-f]{18}$/)
    expect(new Set(answers.map(({ headers }) => headers['x-request-id'])).size).toBe(answers.length)
  })
})
