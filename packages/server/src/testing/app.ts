import { randomUUID } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import { buildApp } from '../app.ts'
import type { Runtime } from '../core/context.ts'
import type { Operation } from '../core/http/operation.ts'
import { operations } from '../operations.ts'
import { atEnd } from './closings.ts'
import { expectAllDeclared, expectDeclared } from './conformance.ts'
import { testDatabase } from './database.ts'
import './examples/record.ts' // only in npm run examples
import { insertTestProject, type TestKeys } from './project.ts'
import { openTestRuntime } from './runtime.ts'
import { closeReplicas } from './test-replica.ts'

/** A clock that tests can move: it follows the real one until it is set. */
export interface TestClock {
  now: () => number
  set(at: string | number): void
  advance(milliseconds: number): void
}

export interface TestService {
  app: FastifyInstance
  runtime: Runtime
  clock: TestClock
}

export interface ServiceOptions {
  /** Environment variables, as an operator would set them. */
  env?: Record<string, string>
  /** Operations besides those of the service. */
  extra?: readonly Operation[]
}

/** A service, and whether its state has changed in a way that would affect the next test file. */
interface OpenService extends TestService {
  hasChangedState(): boolean
}

const services = new Map<string, Promise<OpenService>>()
const plainKey = keyOf({})
let isPlainInUse = false

/**
 * A service on the test database: the same one for the same options. A service without options is reused by the next
 * file of this worker, since building it takes longer than running many a file.
 */
export function testService(options: ServiceOptions = {}): Promise<TestService> {
  const name = keyOf(options)
  const existing = services.get(name)
  if (existing !== undefined && (name !== plainKey || isPlainInUse)) return existing
  const service = existing === undefined ? openService(options) : reuseOrReplace(existing)
  services.set(name, service)
  isPlainInUse ||= name === plainKey
  // Responses to requests that were not made with `send` are checked only here.
  atEnd(async () => expectAllDeclared())
  atEnd(async () => {
    if (name === plainKey) {
      isPlainInUse = false
      return
    }
    services.delete(name)
    await closeService(await service)
  })
  return service
}

function keyOf({ env = {}, extra = [] }: ServiceOptions): string {
  return JSON.stringify([env, extra.map(({ id }) => id)])
}

/** The service of an earlier file, or a new one if it would not behave like new. */
async function reuseOrReplace(existing: Promise<OpenService>): Promise<OpenService> {
  const service = await existing.catch(() => null)
  if (service === null || service.runtime.database !== (await testDatabase())) return openService({})
  if (!service.hasChangedState()) return service
  await closeService(service)
  return openService({})
}

async function openService({ env = {}, extra = [] }: ServiceOptions): Promise<OpenService> {
  const clock = newClock()
  const testRuntime = await openTestRuntime(await testDatabase(), { env, now: clock.now })
  let hasWorkers = false
  const work: Runtime['jobs']['work'] = (queue, handle) => {
    hasWorkers = true
    return testRuntime.jobs.work(queue, handle)
  }
  const runtime = { ...testRuntime, jobs: { ...testRuntime.jobs, work } }
  const app = newTestApp(runtime, [...operations, ...extra])
  let hasClients = false
  app.addHook('onRequest', (request, _reply, next) => {
    hasClients ||= request.url.startsWith('/client/')
    next()
  })
  await app.ready()
  // The rate limiter counts client addresses over seconds, which the next file would notice.
  return { app, runtime, clock, hasChangedState: () => clock.isMoved() || hasWorkers || hasClients }
}

async function closeService({ app, runtime }: TestService): Promise<void> {
  await app.close()
  await runtime.jobs.close()
  await runtime.deferred.close()
  await runtime.auditLog.close()
  await runtime.credentials.close()
  await closeReplicas(runtime)
}

/**
 * The service, except for two things: load shedding is off, since it depends on what else the machine does, and every
 * injected request takes a turn of the event loop.
 */
export function newTestApp(runtime: Runtime, served: readonly Operation[] = operations): FastifyInstance {
  const app = buildApp({ runtime, operations: served, sheds_load: false })
  // PGlite answers within one turn of the event loop: a test that only sends requests would delay every timer.
  app.addHook('onRequest', (_request, _reply, next) => void setImmediate(next))
  return app
}

/**
 * Returns a function that waits until every request to a service has ended and is logged, which happens after the client has
 * the response. Call it before the service is ready.
 */
export function waitForRequests(app: FastifyInstance): () => Promise<void> {
  let inFlight = 0
  app.addHook('onRequest', (_request, reply, next) => {
    inFlight += 1
    reply.raw.on('close', () => {
      inFlight -= 1
    })
    next()
  })
  return async () => {
    while (inFlight > 0) await new Promise((resolve) => setImmediate(resolve))
  }
}

/** The latest moment that a clock of tests has shown, and the earliest that the next request may see. */
let lastRead = 0
let earliest = 0

export function newClock(): TestClock & { isMoved(): boolean } {
  let offset = 0
  return {
    isMoved: () => offset !== 0,
    now() {
      lastRead = Math.max(Date.now(), earliest)
      return lastRead + offset
    },
    set(at) {
      offset = new Date(at).getTime() - Date.now()
    },
    advance(milliseconds) {
      offset += milliseconds
    },
  }
}

export interface Answer<T = Record<string, unknown>> {
  status: number
  headers: Record<string, string | string[] | number | undefined>
  body: T
}

/** A new project with keys and a token of scope `api client_api`, and functions that call the service with them. */
export interface Shop extends TestKeys {
  service: TestService
  project_id: string
  /** Headers of a full server-side call in strict mode. */
  headers: Record<string, string>
  management: Record<string, string>
  // biome-ignore lint/suspicious/noExplicitAny: an answer in a test is whatever the test expects of it
  call(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer<any>>
  // biome-ignore lint/suspicious/noExplicitAny: as above
  manage(method: string, path: string, body?: unknown): Promise<Answer<any>>
}

export async function newProject(options: ServiceOptions & { project?: Record<string, unknown> } = {}): Promise<Shop> {
  return newProjectOn(await testService(options), options.project)
}

/** A new project on any service, such as a node with a database of its own. */
export async function newProjectOn(service: TestService, project: Record<string, unknown> = {}): Promise<Shop> {
  const keys = await insertTestProject(service.runtime, project)
  const headers = {
    'x-app-id': keys.app_id,
    'x-app-token': keys.app_token,
    authorization: `Bearer ${keys.access_token}`,
  }
  const management = { 'x-management-id': keys.management_id, 'x-management-token': keys.management_token }
  return {
    ...keys,
    service,
    headers,
    management,
    call: (method, path, body, more = {}) => send(service.app, method, path, body, { ...headers, ...more }),
    manage: (method, path, body) =>
      send(service.app, method, `/management/v1/projects/${keys.project_id}${path}`, body, management),
  }
}

/** Sends one request: objects as JSON, text unchanged. Throws if the operation does not declare the response. */
export async function send(
  app: FastifyInstance,
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const isText = typeof body === 'string' || body instanceof Uint8Array
  // The clock ticks: in one millisecond, lists by time would not tell which of two requests came first.
  earliest = lastRead + 1
  const answer = await app.inject({
    method: method as 'GET',
    url: path,
    headers: { ...(body === undefined || isText ? {} : { 'content-type': 'application/json' }), ...headers },
    ...(body === undefined ? {} : { payload: isText ? (body as string) : JSON.stringify(body) }),
  })
  expectDeclared(String(answer.headers['x-request-id']))
  return {
    status: answer.statusCode,
    headers: answer.headers as Answer['headers'],
    body:
      answer.body === ''
        ? (null as never)
        : answer.headers['content-type']?.toString().includes('json')
          ? answer.json()
          : (answer.body as never),
  }
}

export const uniqueName = (word: string): string => `${word}-${randomUUID().slice(0, 8)}`
