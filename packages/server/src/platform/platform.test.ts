import { request } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { text } from 'node:stream/consumers'
import type { FastifyInstance } from 'fastify'
import { expect, onTestFinished, test } from 'vitest'
import { connectPostgres } from '../core/db/connect.ts'
import { openLog } from '../core/lib/log.ts'
import { version } from '../core/lib/version.ts'
import { documentOf } from '../document.ts'
import { operations } from '../operations.ts'
import { newProject, newTestApp, send, testService } from '../testing/app.ts'
import { until } from '../testing/background.ts'
import { databaseKind } from '../testing/database.ts'

const paths = [
  '/',
  '/docs',
  '/docs/',
  '/openapi.json',
  '/health/live',
  '/health/ready',
  '/management/v1/health',
  '/metrics',
]

test('health checks need no credentials', async () => {
  const { app } = await testService()
  for (const path of ['/health/live', '/health/ready', '/management/v1/health'])
    await expect
      .poll(() => send(app, 'GET', path), { message: path })
      .toMatchObject({ status: 200, body: { status: 'ok' } })
})

test('without its database the service is alive but not ready', async () => {
  const { runtime } = await testService()
  const database = connectPostgres({ connectionString: 'postgres://unknown@127.0.0.1:1/nothing' })
  const app = newTestApp({ ...runtime, database })
  onTestFinished(() => app.close())
  expect(await send(app, 'GET', '/health/live')).toMatchObject({ status: 200 })
  for (const path of ['/health/ready', '/management/v1/health'])
    expect(await send(app, 'GET', path), path).toMatchObject({
      status: 503,
      headers: { 'retry-after': '5' },
      body: {
        code: 503,
        key: 'service_unavailable',
        message: 'Service Unavailable',
        request_id: expect.stringMatching(/^v-/),
      },
    })
  await database.close()
})

test('platform routes answer GET and HEAD, and 405 to every other method', async () => {
  const { app } = await testService()
  for (const path of paths) {
    for (const method of ['POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS'])
      expect(await send(app, method, path), `${method} ${path}`).toMatchObject({
        status: 405,
        headers: { allow: 'GET, HEAD' },
        body: {
          code: 405,
          key: 'method_not_allowed',
          details: `${method} is not supported by this endpoint. Did you mean GET?`,
        },
      })
    const { status } = await send(app, 'GET', path)
    expect(await send(app, 'HEAD', path), path).toMatchObject({ status, body: null })
  }
})

test('a request that cannot be parsed is answered with a request id', async () => {
  const { app, runtime } = await testService()
  const undecodable = await send(app, 'GET', '/v1/%zz')
  expect(undecodable).toMatchObject({
    status: 404,
    body: { key: 'not_found', details: 'Cannot find route GET /v1/%zz' },
  })
  expect(undecodable.headers['x-request-id']).toBe(undecodable.body.request_id)

  const listening = newTestApp(runtime)
  onTestFinished(() => listening.close())
  await listening.listen({ port: 0, host: '127.0.0.1' })
  const broken = await rawExchange(listening.server.address() as AddressInfo, 'NONSENSE\r\n\r\n')
  const [head = '', body = ''] = broken.split('\r\n\r\n')
  expect(JSON.parse(body)).toMatchObject({ code: 400, key: 'invalid_payload', details: 'The request is malformed' })
  expect(head).toContain(`X-Request-Id: ${JSON.parse(body).request_id}`)
})

test('the root redirects to the documentation, also behind a proxy with a path prefix', async () => {
  const { app } = await testService()
  expect(await send(app, 'GET', '/')).toMatchObject({ status: 302, headers: { location: 'docs/' } })
})

test('openapi.json describes the operations that are served', async () => {
  const { app } = await testService()
  const { body, headers } = await send(app, 'GET', '/openapi.json')
  expect(headers['content-type']).toBe('application/json; charset=utf-8')
  expect(body).toEqual(JSON.parse(JSON.stringify(documentOf(operations))))
})

test('metrics count requests and cover database, jobs, credentials, event loop and process', async () => {
  const shop = await newProject()
  // Its own: a request that another file has broken off may still be in flight on the service that files share.
  const app = newTestApp(shop.service.runtime)
  onTestFinished(() => app.close())
  const get = (path: string) => send(app, 'GET', path, undefined, shop.headers)
  const read = () => readMetrics(app)
  const requests = async (operation: string, status: number) =>
    (await read())[`guerdon_http_requests_total{operation="${operation}",status="${status}"}`] ?? 0
  const durations = 'guerdon_http_request_duration_seconds_count{operation="getCategory",status_class="4xx"}'
  const before = await requests('getCategory', 404)
  const durationsBefore = (await read())[durations] ?? 0
  await get('/v1/categories/nothing')
  await get('/v1/categories/nothing')
  await send(app, 'GET', '/unknown')
  expect(await requests('getCategory', 404)).toBe(before + 2)
  expect(await requests('unknown', 404)).toBeGreaterThan(0)
  expect(await requests('GET /metrics', 200)).toBeGreaterThan(0)

  // Jobs are counted while the database answers in time.
  const metrics = await until(async () => {
    const found = await read()
    return Object.keys(found).some((name) => name.startsWith('guerdon_jobs{')) ? found : undefined
  })
  expect(metrics).toMatchObject({
    guerdon_http_requests_in_flight: 1, // this one
    guerdon_database_waiting: 0,
    'guerdon_jobs{queue="maintenance",state="failed"}': 0,
    'guerdon_job_lag_seconds{queue="purge-project"}': expect.any(Number), // other tests delete projects
    'guerdon_mails_total{result="sent"}': 0,
    'guerdon_mails_total{result="dropped"}': 0,
    guerdon_database_connections_max: databaseKind() === 'postgres' ? 8 : 1,
    'guerdon_rate_limited_total{limit="api_calls"}': expect.any(Number),
    'guerdon_http_requests_shed_total{reason="database"}': 0,
  })
  expect(metrics.guerdon_database_connections).toBeGreaterThan(0)
  // Key, token, project and the result of authentication; on PostgreSQL until a notification of changed credentials.
  const afterCall = async (name: string) => {
    await get('/v1/categories')
    return (await read())[name]
  }
  await expect.poll(() => afterCall('guerdon_credentials_remembered')).toBeGreaterThanOrEqual(4)
  await expect.poll(() => afterCall('guerdon_credentials_lookups_total{found="memory"}')).toBeGreaterThanOrEqual(1)
  expect(metrics[durations]).toBe(durationsBefore + 2)
  expect(metrics.guerdon_event_loop_utilization).toBeLessThanOrEqual(1)
  for (const name of [
    'guerdon_event_loop_late_seconds',
    'process_cpu_seconds_total',
    'process_resident_memory_bytes',
    'nodejs_eventloop_lag_p99_seconds',
  ])
    expect(metrics[name], name).toBeGreaterThanOrEqual(0)
  expect(Object.keys(metrics).find((name) => name.startsWith('guerdon_build_info{'))).toContain(
    `version="${version}",node="${process.version}",database="${databaseKind()}"`,
  )
})

test('metrics count redemptions by result and error key, and a repeated reply once', async () => {
  const shop = await newProject()
  const app = newTestApp(shop.service.runtime)
  onTestFinished(() => app.close())
  const post = (path: string, body: unknown, headers = {}) =>
    send(app, 'POST', path, body, { ...shop.headers, ...headers })
  await post('/v1/vouchers/ONCE', {
    type: 'DISCOUNT_VOUCHER',
    discount: { type: 'AMOUNT', amount_off: 500 },
    redemption: { quantity: 1 },
  })
  const order = { amount: 2_000 }
  const redeem = { redeemables: [{ object: 'voucher', id: 'ONCE' }], order }
  const key = { 'idempotency-key': 'first' }
  expect(await post('/v1/redemptions', redeem, key)).toMatchObject({ status: 200 })
  expect(await post('/v1/redemptions', redeem, key)).toMatchObject({ headers: { 'idempotency-replayed': 'true' } })
  expect(await post('/v1/redemptions', redeem)).toMatchObject({ status: 400, body: { key: 'quantity_exceeded' } })
  expect(await post('/v1/vouchers/ONCE/redemption', { order })).toMatchObject({ body: { key: 'quantity_exceeded' } })
  expect(await post('/v1/redemptions', {})).toMatchObject({ status: 400, body: { key: 'invalid_payload' } })
  const redemptions = async () =>
    Object.entries(await readMetrics(app)).filter(([name]) => name.startsWith('guerdon_redemptions_total'))
  await expect.poll(redemptions).toEqual([
    ['guerdon_redemptions_total{result="success"}', 1],
    ['guerdon_redemptions_total{result="failed"}', 0],
    ['guerdon_redemptions_total{result="refused",key="quantity_exceeded"}', 2],
    ['guerdon_redemptions_total{result="refused",key="invalid_payload"}', 1],
  ])
})

test('metrics count 429 by the limit that was reached', async () => {
  const env = { RATE_LIMIT_API_CALLS: '1/P1D', OAUTH_MAX_TOKENS_PER_PROJECT: '1' }
  const { app, clock } = await testService({ env })
  clock.set('2030-06-01T12:00:00.000Z')
  const shop = await newProject({ env }) // has the one token
  const issueToken = () =>
    send(app, 'POST', '/v1/oauth/token', 'grant_type=client_credentials&scope=api', {
      'x-app-id': shop.app_id,
      'x-app-token': shop.app_token,
      'content-type': 'application/x-www-form-urlencoded',
    })
  expect(await issueToken()).toMatchObject({ status: 429, body: { key: 'oauth_tokens_limit_exceeded' } })
  // The one call of the day is used up.
  for (let call = 0; call < 2; call += 1)
    expect(await issueToken()).toMatchObject({ status: 429, body: { key: 'too_many_requests' } })
  const limited = async () => {
    const metrics = await readMetrics(app)
    return ['oauth_tokens', 'api_calls', 'client_calls'].map(
      (limit) => metrics[`guerdon_rate_limited_total{limit="${limit}"}`],
    )
  }
  await expect.poll(limited).toEqual([1, 2, 0])
})

test('METRICS_PORT serves the metrics on a port of its own, and the API port does not', async () => {
  const shop = await newProject({ env: { METRICS_PORT: '0' } })
  const { app, runtime } = shop.service
  expect(await send(app, 'GET', '/metrics')).toMatchObject({ status: 404, body: { key: 'not_found' } })

  const written: string[] = []
  const log = openLog('info', { write: (line) => void written.push(line) })
  const own = newTestApp({ ...runtime, log })
  await own.ready()
  const { port } = written.map((line) => JSON.parse(line)).find(({ msg }) => /^metrics are served/.test(msg))
  const address = `http://127.0.0.1:${port}`
  const scrape = await fetch(`${address}/metrics`)
  expect(scrape.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8')
  expect(samplesOf(await scrape.text())).toMatchObject({ guerdon_http_requests_in_flight: 0 })
  for (const [method, path] of [
    ['GET', '/'],
    ['GET', '/v1/categories'],
    ['POST', '/metrics'],
    ['GET', '/health/live'],
  ] as const)
    expect((await fetch(`${address}${path}`, { method })).status, `${method} ${path}`).toBe(404)

  const taken = newTestApp({ ...runtime, settings: { ...runtime.settings, metrics_port: port } })
  await expect(taken.ready()).rejects.toThrow(/^METRICS_PORT cannot be opened: .*EADDRINUSE/)
  await taken.close()
  await own.close()
  await expect(fetch(`${address}/metrics`)).rejects.toThrow()
})

test('metrics are served while the database is unavailable', async () => {
  const { runtime } = await testService()
  const app = newTestApp({
    ...runtime,
    jobs: { ...runtime.jobs, counts: () => Promise.reject(new Error('away')) },
  })
  onTestFinished(() => app.close())
  const { status, body } = await send(app, 'GET', '/metrics')
  expect(status).toBe(200)
  expect(body).toContain('guerdon_database_waiting')
  expect(body).not.toContain('guerdon_jobs{')
})

test('a request whose client disconnects is counted as 499 and no longer in flight', async () => {
  const shop = await newProject()
  const app = newTestApp(shop.service.runtime)
  onTestFinished(() => app.close())
  await app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = app.server.address() as AddressInfo
  const headers = { ...shop.headers, 'content-type': 'application/json', 'content-length': '100' }
  const call = request({ port, host: '127.0.0.1', method: 'POST', path: '/v1/categories', headers })
  call.on('error', () => {})
  call.write('{') // the rest of the body is never sent
  const metrics = async () => String((await send(app, 'GET', '/metrics')).body)
  await expect.poll(metrics).toContain('guerdon_http_requests_in_flight 2\n')
  call.destroy()
  await expect.poll(metrics).toContain('guerdon_http_requests_total{operation="createCategory",status="499"} 1\n')
  expect(await metrics()).toContain('guerdon_http_requests_in_flight 1\n')
})

/** Sends raw bytes to a service and returns everything it answers. */
async function rawExchange({ port }: AddressInfo, bytes: string): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  socket.write(bytes)
  return text(socket)
}

/** The samples of a scrape, by name and labels. */
async function readMetrics(app: FastifyInstance): Promise<Record<string, number>> {
  const { body, headers } = await send(app, 'GET', '/metrics')
  expect(headers['content-type']).toBe('text/plain; version=0.0.4; charset=utf-8')
  return samplesOf(String(body))
}

function samplesOf(scrape: string): Record<string, number> {
  const lines = scrape.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  for (const line of lines) expect(line).toMatch(/^[a-z_0-9]+(\{[a-z_]+="[^"]*"(,[a-z_]+="[^"]*")*\})? (\S+)$/i)
  return Object.fromEntries(
    lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ')))]),
  )
}
