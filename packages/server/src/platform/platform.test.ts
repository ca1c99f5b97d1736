import { request } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { gunzipSync } from 'node:zlib'
import { expect, onTestFinished, test } from 'vitest'
import { connectPostgres } from '../core/db/connect.ts'
import { openapiOf } from '../core/http/openapi.ts'
import { operations } from '../operations.ts'
import { namedSchemas } from '../schema-names.ts'
import { newProject, newTestApp, send, testService } from '../testing/app.ts'
import { until } from '../testing/background.ts'
import { databaseKind } from '../testing/database.ts'

const paths = ['/', '/docs', '/openapi.json', '/health/live', '/health/ready', '/management/v1/health', '/metrics']

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
  expect(await send(app, 'GET', '/')).toMatchObject({ status: 302, headers: { location: 'docs' } })
})

test('openapi.json describes the operations that are served', async () => {
  const { app } = await testService()
  const { body, headers } = await send(app, 'GET', '/openapi.json')
  expect(headers['content-type']).toBe('application/json; charset=utf-8')
  expect(body).toEqual(JSON.parse(JSON.stringify(openapiOf(operations, namedSchemas))))
})

test('the documentation is served compressed, and with 304 when the client has it cached', async () => {
  const { app } = await testService()
  const plain = await app.inject({ url: '/docs' })
  const zipped = await app.inject({ url: '/docs', headers: { 'accept-encoding': 'br, gzip' } })
  expect(zipped.headers).toMatchObject({ 'content-encoding': 'gzip', vary: 'Accept-Encoding' })
  expect(gunzipSync(zipped.rawPayload).toString()).toBe(plain.body)
  const again = await app.inject({ url: '/docs', headers: { 'if-none-match': String(plain.headers.etag) } })
  expect(again).toMatchObject({ statusCode: 304, body: '' })
})

test('the documentation page lists every operation and schema, and all its links resolve', async () => {
  const { app } = await testService()
  const page = (await app.inject('/docs')).body
  const { paths, components } = openapiOf(operations, namedSchemas)
  for (const { operationId, summary } of Object.values(paths).flatMap((methods) => Object.values(methods))) {
    expect(page).toContain(`<article id="${operationId}"><h3>${summary}</h3>`)
    expect(page).toContain(`<a href="#${operationId}">${summary}</a>`)
  }
  for (const path of Object.keys(paths)) expect(page).toContain(`<code>${path}</code>`)
  for (const name of Object.keys(components.schemas)) expect(page).toContain(`<article id="schema-${name}">`)

  const ids = [...page.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id as string)
  expect(ids).toEqual([...new Set(ids)])
  for (const [, target] of page.matchAll(/ href="#([^"]+)"/g)) expect(ids).toContain(target)
})

test('the documentation page loads nothing from other hosts and runs no script', async () => {
  const { app } = await testService()
  const { body, headers } = await app.inject('/docs')
  expect(body).not.toMatch(/<(script|link|img|iframe|object|embed|base|form)\b/i)
  expect(body).not.toMatch(/@import|url\(|\ssrc=|\son[a-z]+=/i)
  expect([...body.matchAll(/ href="([^"#][^"]*)"/g)].map(([, target]) => target)).toEqual(['openapi.json'])
  expect(headers['content-security-policy']).toMatch(/^default-src 'none'; style-src 'unsafe-inline'/)
})

test('metrics count requests and cover database, jobs, credentials, event loop and process', async () => {
  const shop = await newProject()
  const { app } = shop.service
  const requests = async (operation: string, status: number) =>
    (await read())[`guerdon_http_requests_total{operation="${operation}",status="${status}"}`] ?? 0
  const durations = 'guerdon_http_request_duration_seconds_count{operation="getCategory",status_class="4xx"}'
  const before = await requests('getCategory', 404)
  const durationsBefore = (await read())[durations] ?? 0
  await shop.call('GET', '/v1/categories/nothing')
  await shop.call('GET', '/v1/categories/nothing')
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
    'guerdon_http_requests_shed_total{reason="database"}': 0,
  })
  expect(metrics.guerdon_database_connections).toBeGreaterThan(0)
  // Key, token, project and the result of authentication; on PostgreSQL until a notification of changed credentials.
  const remembered = async () => {
    await shop.call('GET', '/v1/categories')
    return (await read()).guerdon_credentials_remembered
  }
  await expect.poll(remembered).toBeGreaterThanOrEqual(4)
  expect(metrics['guerdon_credentials_lookups_total{found="memory"}']).toBeGreaterThanOrEqual(1) // the second call asks once
  expect(metrics[durations]).toBe(durationsBefore + 2)
  expect(metrics.guerdon_event_loop_utilization).toBeLessThanOrEqual(1)
  for (const name of [
    'guerdon_event_loop_late_seconds',
    'process_cpu_seconds_total',
    'process_resident_memory_bytes',
    'nodejs_eventloop_lag_p99_seconds',
  ])
    expect(metrics[name], name).toBeGreaterThanOrEqual(0)
  expect(Object.keys(metrics).find((name) => name.startsWith('guerdon_info{'))).toContain(
    `database="${databaseKind()}"`,
  )

  async function read(): Promise<Record<string, number>> {
    const { body, headers } = await send(app, 'GET', '/metrics')
    expect(headers['content-type']).toBe('text/plain; version=0.0.4; charset=utf-8')
    const lines = String(body)
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'))
    for (const line of lines) expect(line).toMatch(/^[a-z_0-9]+(\{[a-z_]+="[^"]*"(,[a-z_]+="[^"]*")*\})? (\S+)$/i)
    return Object.fromEntries(
      lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ')))]),
    )
  }
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
