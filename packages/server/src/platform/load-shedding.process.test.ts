import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { json } from 'node:stream/consumers'
import { setTimeout as wait } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import { expect, onTestFinished, test } from 'vitest'
import { buildApp } from '../app.ts'
import type { Runtime } from '../core/context.ts'
import { limits } from '../core/lib/limits.ts'
import { type Answer, newProject, send, testService } from '../testing/app.ts'
import { newAdmissionController } from './load-shedding.ts'

const rejected = {
  status: 503,
  headers: {
    'retry-after': '5',
    'content-type': 'application/json; charset=utf-8',
    'x-request-id': expect.stringMatching(/^v-/),
  },
  body: {
    code: 503,
    key: 'service_unavailable',
    message: 'Service Unavailable',
    request_id: expect.stringMatching(/^v-/),
  },
}

const rejectedBy = (limit: string, details: string) => ({
  ...rejected,
  headers: { ...rejected.headers, 'guerdon-limit': limit },
  body: { ...rejected.body, details },
})

test('the rejected share rises while the event loop is late, and falls slowly afterwards', () => {
  const admission = newAdmissionController()
  const shareAfter = (lateMs: number) => {
    admission.adjust(lateMs)
    return admission.share()
  }
  expect([900, 900, 900, 900, 900, 900, 900].map(shareAfter)).toEqual([0, 0, 0.25, 0.5, 0.75, 0.9375, 0.9375])
  expect([0, 0, 900, 0].map(shareAfter)).toEqual([0.875, 0.8125, 0.9375, 0.875])
  expect(Array.from({ length: 15 }, () => shareAfter(0)).at(-1)).toBe(0)
})

test('one or two pauses of the event loop reject no request', () => {
  const admission = newAdmissionController()
  for (const lateMs of [5_000, 5_000, 0, 5_000, 400, 5_000, 5_000]) {
    admission.adjust(lateMs)
    expect(admission.shouldReject()).toBe(false)
  }
})

test('exactly the current share of requests is rejected', () => {
  const admission = newAdmissionController()
  for (let check = 0; check < 3; check += 1) admission.adjust(900)
  expect(Array.from({ length: 8 }, () => admission.shouldReject()).filter(Boolean)).toHaveLength(2)
})

test('however long the overload lasts, one request in sixteen is admitted', () => {
  const admission = newAdmissionController()
  for (let check = 0; check < 100; check += 1) admission.adjust(10_000)
  for (let round = 0; round < 10; round += 1)
    expect(Array.from({ length: 16 }, () => admission.shouldReject()).filter((isRejected) => !isRejected)).toHaveLength(
      1,
    )
})

test('operations are rejected while too many requests wait for the database, and the waiting ones are served', async () => {
  const { app, call, runtime } = await newService()
  await allServed(call) // its keys are cached, and no share of the requests is rejected for another reason
  const release = await occupyDatabase(runtime)
  const waiting = () => runtime.database.load().waiting
  const queue = Array.from({ length: 10 }, call)
  await expect.poll(waiting).toBeGreaterThanOrEqual(queue.length)
  const others = Array.from({ length: limits.database_waiting_max }, () => runtime.database.execute('select 1'))
  await expect.poll(waiting).toBeGreaterThanOrEqual(limits.database_waiting_max)

  for (const answer of await Promise.all(Array.from({ length: 100 }, call)))
    expect(answer).toMatchObject(rejectedBy('database_waiting_max', '1000 requests wait for the database'))
  expect(await send(app, 'GET', '/health/live')).toMatchObject({ status: 200 })
  const [ready, metrics] = await Promise.all(['/health/ready', '/metrics'].map((path) => send(app, 'GET', path)))
  expect(ready).toMatchObject(rejected)
  expect(metrics).toMatchObject({ status: 200 })
  expect(metrics?.body).toContain('guerdon_http_requests_shed_total{reason="database"} 100\n')

  release()
  await Promise.all(others)
  expect(new Set((await Promise.all(queue)).map(({ status }) => status))).toEqual(new Set([200]))
  await expect.poll(call).toMatchObject({ status: 200 })
  await expect.poll(() => send(app, 'GET', '/health/ready')).toMatchObject({ status: 200 })
})

test('a stopping process rejects operations and is not ready, but alive', async () => {
  const { runtime } = await testService()
  const app = buildApp({ runtime, sheds_load: true })
  const { promise: stopped, resolve: stop } = Promise.withResolvers<void>()
  app.addHook('preClose', () => stopped)
  const address = await app.listen({ port: 0, host: '127.0.0.1' })
  const ask = (path: string) => get(`${address}${path}`)
  await expect.poll(() => ask('/health/ready')).toMatchObject({ status: 200, body: { status: 'ok' } })

  const closed = app.close()
  await expect.poll(() => ask('/health/ready')).toMatchObject(rejected)
  expect(await ask('/management/v1/health')).toMatchObject(rejected)
  expect(await ask('/v1/categories')).toMatchObject(rejected)
  expect(await ask('/health/live')).toMatchObject({ status: 200, body: { status: 'ok' } })
  stop()
  await closed
})

test('with load shedding off, a service whose event loop cannot keep up rejects no request', async () => {
  const { app, call } = await newService({ sheds_load: false })
  await makeLate()
  expect(new Set((await Promise.all(Array.from({ length: 16 }, call))).map(({ status }) => status))).toEqual(
    new Set([200]),
  )
  const { body } = await send(app, 'GET', '/metrics')
  expect(body).toContain('guerdon_http_requests_shed_total{reason="event_loop"} 0\n')
})

test('operations are rejected while the event loop cannot keep up, and served again once it can', async () => {
  const { app, call } = await newService()
  await expect.poll(call).toMatchObject({ status: 200 })
  const shedBefore = await shedBy(app)
  await makeLate()
  const answers = await Promise.all(Array.from({ length: 8 }, call))
  const refused = answers.filter(({ status }) => status !== 200)
  expect(refused.length).toBeGreaterThanOrEqual(2)
  for (const answer of refused)
    expect(answer).toMatchObject(rejectedBy('event_loop_late_ms_max', 'The node is overloaded'))
  for (const path of ['/health/live', '/health/ready', '/docs/'])
    await expect.poll(() => send(app, 'GET', path), { message: path }).toMatchObject({ status: 200 })
  expect(await shedBy(app)).toBe(shedBefore + refused.length)

  await allServed(call)
})

test('a client that waits as long as Retry-After says gets through, although the node stays overloaded', async () => {
  const { call } = await newService()
  await expect.poll(call).toMatchObject({ status: 200 })
  await makeLate()
  const overload = setInterval(() => block(limits.event_loop_late_ms_max + 350), 1)
  onTestFinished(() => clearInterval(overload))
  const others = setInterval(() => void call(), 100)
  onTestFinished(() => clearInterval(others))
  let answer = await call()
  for (let tries = 1; answer.status === 503; tries += 1) {
    expect(tries).toBeLessThan(100)
    // A tenth of the time: to admit one request in sixteen does not depend on the pace.
    await wait(Number(answer.headers['retry-after']) * 100)
    answer = await call()
  }
  expect(answer).toMatchObject({ status: 200 })
})

/** Waits until the service rejects none: the rejected share changes by sixteenths. */
async function allServed(call: () => Promise<Answer>): Promise<void> {
  const statuses = async () =>
    new Set((await Promise.all(Array.from({ length: 16 }, call))).map(({ status }) => status))
  await expect.poll(statuses).toEqual(new Set([200]))
}

/** How many operations a service has rejected because its event loop was late. */
async function shedBy(app: FastifyInstance): Promise<number> {
  const { body } = await send(app, 'GET', '/metrics')
  return Number(/guerdon_http_requests_shed_total\{reason="event_loop"\} (\d+)/.exec(String(body))?.[1])
}

/** Delays the event loop often enough in a row for the service to count as overloaded. */
async function makeLate(): Promise<void> {
  for (let round = 0; round < 4; round += 1) {
    block(limits.event_loop_late_ms_max + 350)
    await wait(1)
  }
}

/** Stops the thread, as a long calculation would, but leaves the processor to other tests. */
function block(milliseconds: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds)
}

/** One request on a new connection: a stopping server may close a keep-alive connection at any moment. */
async function get(url: string): Promise<Answer> {
  const call = request(url, { agent: false }).end()
  const [answer] = (await once(call, 'response')) as [IncomingMessage]
  return { status: answer.statusCode as number, headers: answer.headers, body: (await json(answer)) as Answer['body'] }
}

/** A new service, and a call that reads from its database. */
async function newService({ sheds_load = true } = {}) {
  const { headers, service } = await newProject()
  const app = buildApp({ runtime: service.runtime, sheds_load })
  onTestFinished(() => app.close())
  return { app, runtime: service.runtime, call: () => send(app, 'GET', '/v1/categories', undefined, headers) }
}

/** Occupies every database connection until the returned function is called. */
async function occupyDatabase({ database }: Runtime): Promise<() => void> {
  const connections = database.kind === 'pglite' ? 1 : 8
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  onTestFinished(() => release())
  let occupied = 0
  for (let n = 0; n < connections; n += 1)
    void database.db.transaction().execute(async () => {
      occupied += 1
      await released
    })
  await expect.poll(() => occupied).toBe(connections)
  return release
}
