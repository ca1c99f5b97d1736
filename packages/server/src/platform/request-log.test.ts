import { sql } from 'kysely'
import { Type } from 'typebox'
import { expect, onTestFinished, test } from 'vitest'
import { operation } from '../core/http/operation.ts'
import { trackingProof } from '../core/http/tracking-id.ts'
import { loggable, openLog } from '../core/lib/log.ts'
import { operations } from '../operations.ts'
import { newProject, newTestApp, type Shop, send, waitForRequests } from '../testing/app.ts'

const form = { 'content-type': 'application/x-www-form-urlencoded' }

/** Fails in the database, with a secret among the parameters of the statement. */
const failInDatabase = operation({
  id: 'failInDatabase',
  method: 'POST',
  path: '/v1/categories/{categoryId}/fail',
  summary: 'Fail in the database',
  body: Type.Object({ secret: Type.String() }),
  reply: null,
  errors: [],
  run: async (ctx, { body }) => {
    const { project_id, now } = ctx
    await sql`insert into categories (project_id, id, name, hierarchy, created_at, config_version)
      values (${project_id}, ${body.secret}, null, 1, ${now}, 1)`.execute(ctx.db)
  },
})

test('at level info a rejected request is logged in one line with caller, operation, status and duration', async () => {
  const { app, shop, allEnded, lines } = await newLoggingService('info')
  await send(app, 'GET', '/v1/categories/nothing?color=red', undefined, shop.headers)
  await send(app, 'GET', '/v1/categories', undefined, shop.headers)
  await allEnded()
  expect(lines()).toEqual([
    {
      level: 'info',
      time: expect.stringMatching(/Z$/),
      request_id: expect.stringMatching(/^v-[0-9a-f]{18}$/),
      operation: 'getCategory',
      method: 'GET',
      path: '/v1/categories/nothing',
      status: 404,
      duration_ms: expect.any(Number),
      app_id: shop.app_id,
      msg: 'request',
    },
  ])
})

test('successful requests are logged at level debug, internal failures at level error with their cause', async () => {
  const { app, shop, allEnded, lines } = await newLoggingService('debug')
  await send(app, 'GET', '/v1/categories', undefined, shop.headers)
  await send(app, 'POST', '/v1/categories/x/fail', { secret: 'hush' }, shop.headers)
  await send(app, 'GET', '/health/live')
  await send(app, 'PUT', '/health/live')
  await allEnded()
  expect(lines()).toMatchObject([
    { level: 'debug', operation: 'listCategories', status: 200, app_id: shop.app_id },
    {
      level: 'error',
      operation: 'failInDatabase',
      status: 500,
      error: { code: '23502', message: expect.stringContaining('null value'), stack: expect.any(String) },
    },
    { level: 'debug', operation: 'GET /health/live', status: 200, app_id: null },
    { level: 'info', operation: null, method: 'PUT', path: '/health/live', status: 405 },
  ])
})

test('with LOG_REQUESTS every request of the API is logged at level info; health checks and scrapes are not', async () => {
  const { app, shop, allEnded, lines } = await newLoggingService('info', { LOG_REQUESTS: 'true' })
  await send(app, 'GET', '/v1/categories', undefined, shop.headers)
  await send(app, 'GET', '/v1/categories/nothing', undefined, shop.headers)
  for (const path of ['/health/live', '/metrics']) await send(app, 'GET', path)
  await allEnded()
  expect(lines()).toMatchObject([
    { level: 'info', operation: 'listCategories', status: 200 },
    { level: 'info', operation: 'getCategory', status: 404 },
  ])
})

test('a request through an unknown proxy is warned of once an hour, and not when the proxy is known', async () => {
  const unknown = await newLoggingService('warn')
  const forwarded = { 'x-forwarded-for': '198.51.100.7' }
  const { clock } = unknown.shop.service
  const ask = ({ app }: typeof unknown, headers: Record<string, string>) =>
    send(app, 'GET', '/health/live', undefined, headers)
  await ask(unknown, {})
  expect(unknown.lines()).toEqual([])
  await ask(unknown, forwarded)
  await ask(unknown, forwarded)
  clock.advance(59 * 60_000)
  await ask(unknown, forwarded)
  expect(unknown.lines()).toMatchObject([
    { level: 'warn', msg: expect.stringMatching(/^a request has X-Forwarded-For, but TRUST_PROXY_HOPS is 0: /) },
  ])
  expect(unknown.text()).not.toContain('198.51.100.7')
  clock.advance(60_000)
  await ask(unknown, forwarded)
  expect(unknown.lines()).toHaveLength(2)

  const known = await newLoggingService('warn', { TRUST_PROXY_HOPS: '1', BASE_URL: 'https://shop.example' })
  await ask(known, forwarded)
  expect(known.lines()).toEqual([])
})

test('a start with BASE_URL of https and no trusted proxy warns', async () => {
  const { lines } = await newLoggingService('warn', { BASE_URL: 'https://shop.example' })
  expect(lines()).toMatchObject([
    { msg: expect.stringMatching(/^BASE_URL is https, so there is a proxy, but TRUST_PROXY_HOPS/) },
  ])
})

test('no secret ever reaches the log', async () => {
  const { app, shop, allEnded, text, lines } = await newLoggingService('trace')
  const secrets = [shop.app_token, shop.client_token, shop.access_token, shop.management_token]
  const remember = <T>(secret: T): T => {
    expect(secret).toEqual(expect.stringMatching(/.{4}/))
    secrets.push(secret as string)
    return secret
  }
  const pair = { 'x-app-id': shop.app_id, 'x-app-token': shop.app_token }
  const manage = (method: string, path: string, body?: unknown) =>
    send(app, method, `/management/v1/projects/${shop.project_id}${path}`, body, shop.management)

  const issued = await send(app, 'POST', '/v1/oauth/token', 'grant_type=client_credentials&scope=api', {
    ...pair,
    ...form,
  })
  const token = remember(issued.body.access_token)
  const headers = { ...pair, authorization: `Bearer ${token}` }
  await send(app, 'POST', '/v1/categories', { name: remember('Name of a thing'), hierarchy: 1 }, headers)
  await send(app, 'POST', '/v1/categories', { name: 'Name of a thing', hierarchy: 1 }, headers)
  await send(app, 'POST', '/v1/categories', remember('{"malformed body'), {
    ...headers,
    'content-type': 'application/json',
  })
  await send(app, 'GET', `/v1/categories?token=${remember('secret-in-query')}`, undefined, headers)
  await send(app, 'GET', `/v1/unknown?token=${remember('secret-in-unknown')}`, undefined, headers)
  await send(app, 'PATCH', '/v1/categories', undefined, { cookie: remember('cookie=of-a-browser') })
  await send(app, 'GET', '/v1/categories', undefined, { ...headers, 'x-app-token': remember('wrong-app-token') })
  await send(app, 'GET', '/v1/categories', undefined, {
    ...pair,
    authorization: `Bearer ${remember('wrong-access-token')}`,
  })
  await send(app, 'GET', '/v1/categories', undefined, {
    ...headers,
    'x-voucherify-api-version': remember('version-of-mine'),
  })
  await send(app, 'POST', '/v1/oauth/introspect', `access_token=${token}`, { ...pair, ...form })
  await send(app, 'POST', '/v1/oauth/token/revoke', `access_token=${token}`, { ...pair, ...form })

  const created = await manage('POST', '/api-keys', { name: 'Shop' })
  remember(created.body.secret)
  remember((await manage('POST', `/api-keys/${created.body.id}/regenerate`)).body.secret)
  remember((await manage('POST', '/webhook-token/regenerate')).body.webhook_token)
  await manage('PUT', `/api-keys/${created.body.id}`, { role: remember('BOSS-OF-ALL') })
  const failed = await send(app, 'POST', '/v1/categories/x/fail', { secret: remember('secret-of-a-row') }, shop.headers)
  expect(failed.status).toBe(500)
  await allEnded()

  expect(lines().map(({ status }) => status)).toEqual([
    200, 200, 409, 400, 200, 404, 405, 401, 401, 400, 200, 204, 200, 200, 200, 400, 500,
  ])
  for (const secret of secrets) expect(text()).not.toContain(secret)
})

test('what proves a customer, and the token of a report, are hidden in every path, however they are written', async () => {
  const { app, shop, allEnded, text, lines } = await newLoggingService('info', { LOG_REQUESTS: 'true' })
  const proof = trackingProof({ tracking_secret: 'of a project' }, 'c1', Date.now())
  const rest = proof.slice('track_v2.'.length)
  const encoded = [...rest].map((letter) => `%${letter.charCodeAt(0).toString(16)}`).join('')
  const paths = [
    ['GET', `/client/v1/customers/${proof}/consents`],
    ['PUT', `/client/v1/customers/${proof}/consents`],
    ['GET', `/client/v1/customers/trac%6B_v2%2e${encoded}/consents`],
    ['GET', `/v1/unknown/x${proof}y`],
    ['GET', `/v1/task%2Dresults/${rest}`],
  ] as const
  for (const [method, path] of paths) await send(app, method, path, undefined, shop.headers)
  await allEnded()
  expect(lines().map(({ path }) => path)).toEqual([
    '/client/v1/customers/track_v2.***/consents',
    '/client/v1/customers/track_v2.***/consents',
    '/client/v1/customers/trac%6B_v2%2e***/consents',
    '/v1/unknown/xtrack_v2.***',
    '/v1/task-results/{token}',
  ])
  expect(text()).not.toContain(rest)
  expect(text()).not.toContain(encoded)
})

test('an error and its cause are logged without parameters and row values', () => {
  const error = Object.assign(
    new Error('duplicate key', { cause: Object.assign(new TypeError('inner'), { params: ['hush'] }) }),
    {
      code: '23505',
      detail: 'Key (name)=(hush) already exists',
      params: ['hush'],
    },
  )
  const written = loggable(error)
  expect(written).toMatchObject({
    type: 'Error',
    message: 'duplicate key',
    code: '23505',
    cause: { type: 'TypeError', message: 'inner' },
  })
  expect(JSON.stringify(written)).not.toContain('hush')
  expect(loggable('text')).toEqual({ type: 'string', message: 'text' })
  expect(loggable({ message: 'slow query', data: { token: 'x' } })).toEqual({ type: 'object', message: 'slow query' })
})

/** A service that logs into memory. */
async function newLoggingService(level: string, env: Record<string, string> = {}) {
  const shop: Shop = await newProject({ env })
  const written: string[] = []
  const log = openLog(level, { write: (line) => void written.push(line) })
  const app = newTestApp({ ...shop.service.runtime, log }, [...operations, failInDatabase])
  const allEnded = waitForRequests(app)
  await app.ready()
  onTestFinished(() => app.close())
  const lines = () => written.map((line) => JSON.parse(line) as Record<string, unknown>)
  return { app, shop, allEnded, text: () => written.join(''), lines }
}
