import { randomUUID } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import { buildApp } from '../app.ts'
import type { Runtime } from '../core/context.ts'
import type { Operation } from '../core/http/operation.ts'
import { operations } from '../operations.ts'
import { atEnd } from './closings.ts'
import { expectAllDeclared, expectDeclared } from './conformance.ts'
import { testDatabase } from './database.ts'
import { insertTestProject, type TestKeys } from './project.ts'
import { openTestRuntime } from './runtime.ts'

/** A clock the tests move: it runs with the real one until it is set. */
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

/** A service, and whether something has happened to it that the next test file would feel. */
interface OpenService extends TestService {
  isWorn(): boolean
}

const services = new Map<string, Promise<OpenService>>()
const plain = nameOf({})
let isPlainInUse = false

/**
 * A service on the database of the tests: the same one for the same options. One without options is handed on to the
 * next file of this worker, since it takes longer to build than many a file takes to run.
 */
export function testService(options: ServiceOptions = {}): Promise<TestService> {
  const name = nameOf(options)
  const before = services.get(name)
  if (before !== undefined && (name !== plain || isPlainInUse)) return before
  const service = before === undefined ? openService(options) : handedOn(before)
  services.set(name, service)
  isPlainInUse ||= name === plain
  // Requests that are not made with `send` are known to nobody else.
  atEnd(async () => expectAllDeclared())
  atEnd(async () => {
    if (name === plain) {
      isPlainInUse = false
      return
    }
    services.delete(name)
    await closeService(await service)
  })
  return service
}

function nameOf({ env = {}, extra = [] }: ServiceOptions): string {
  return JSON.stringify([env, extra.map(({ id }) => id)])
}

/** The service that an earlier file has used, or another one if it would not behave like new. */
async function handedOn(before: Promise<OpenService>): Promise<OpenService> {
  const service = await before.catch(() => null)
  if (service === null || service.runtime.database !== (await testDatabase())) return openService({})
  if (!service.isWorn()) return service
  await closeService(service)
  return openService({})
}

async function openService({ env = {}, extra = [] }: ServiceOptions): Promise<OpenService> {
  const clock = newClock()
  const opened = await openTestRuntime(await testDatabase(), { env, now: clock.now })
  let isAtWork = false
  const work: Runtime['jobs']['work'] = (queue, handle) => {
    isAtWork = true
    return opened.jobs.work(queue, handle)
  }
  const runtime = { ...opened, jobs: { ...opened.jobs, work } }
  const app = newTestApp(runtime, [...operations, ...extra])
  let hasClients = false
  app.addHook('onRequest', (request, _reply, next) => {
    hasClients ||= request.url.startsWith('/client/')
    next()
  })
  await app.ready()
  // The service counts the addresses of clients for seconds.
  return { app, runtime, clock, isWorn: () => clock.isMoved() || isAtWork || hasClients }
}

async function closeService({ app, runtime }: TestService): Promise<void> {
  await app.close()
  await runtime.jobs.close()
  await runtime.deferred.close()
  await runtime.credentials.close()
}

/**
 * The service as it is, but for two things: it turns nobody away for being overloaded, since that depends on what else the
 * machine does, and every injected request takes a turn of the event loop.
 */
export function newTestApp(runtime: Runtime, served: readonly Operation[] = operations): FastifyInstance {
  const app = buildApp({ runtime, operations: served, sheds_load: false })
  // PGlite needs no turn to answer: without this one a test that only sends requests would keep every timer waiting.
  app.addHook('onRequest', (_request, _reply, next) => void setImmediate(next))
  return app
}

/**
 * Tells when every request that a service was sent has ended, and is in its log: that happens after whoever sent it has the
 * answer. To be called before the service is ready.
 */
export function endsOf(app: FastifyInstance): () => Promise<void> {
  let underWay = 0
  app.addHook('onRequest', (_request, reply, next) => {
    underWay += 1
    reply.raw.on('close', () => {
      underWay -= 1
    })
    next()
  })
  return async () => {
    while (underWay > 0) await new Promise((resolve) => setImmediate(resolve))
  }
}

function newClock(): TestClock & { isMoved(): boolean } {
  let offset = 0
  return {
    isMoved: () => offset !== 0,
    now: () => Date.now() + offset,
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

/** A project of its own with keys and a token of scope `api client_api`, and ways to call the service as it. */
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
  const service = await testService(options)
  const keys = await insertTestProject(service.runtime, options.project ?? {})
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

/** One request: objects travel as JSON, text as it is. An answer that the operation does not declare is a failure. */
export async function send(
  app: FastifyInstance,
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const isText = typeof body === 'string' || body instanceof Uint8Array
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
