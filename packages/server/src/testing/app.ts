import { randomUUID } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import { afterAll } from 'vitest'
import { buildApp } from '../app.ts'
import type { House } from '../context.ts'
import type { Operation } from '../http/operation.ts'
import { operations } from '../operations.ts'
import { testDatabase } from './database.ts'
import { openTestHouse } from './house.ts'
import { insertTestProject, type TestKeys } from './project.ts'

/** A clock the tests move: it runs with the real one until it is set. */
export interface TestClock {
  now: () => number
  set(at: string | number): void
  advance(milliseconds: number): void
}

export interface TestService {
  app: FastifyInstance
  house: House
  clock: TestClock
}

export interface ServiceOptions {
  /** Environment variables, as an operator would set them. */
  env?: Record<string, string>
  /** Operations besides those of the service. */
  extra?: readonly Operation[]
}

const services = new Map<string, Promise<TestService>>()

/** A service on the database of this test file; the same one for the same options, since it keeps no state of its own. */
export function testService({ env = {}, extra = [] }: ServiceOptions = {}): Promise<TestService> {
  const name = JSON.stringify([env, extra.map(({ id }) => id)])
  let service = services.get(name)
  if (service === undefined) {
    service = openService(env, extra)
    services.set(name, service)
  }
  return service
}

async function openService(env: Record<string, string>, extra: readonly Operation[]): Promise<TestService> {
  const clock = newClock()
  const house = await openTestHouse(await testDatabase(), { env, now: clock.now })
  const app = newTestApp(house, extra)
  await app.ready()
  return { app, house, clock }
}

/** The service as it is, but for one thing: every injected request takes a turn of the event loop. */
export function newTestApp(house: House, extra: readonly Operation[]): FastifyInstance {
  const app = buildApp({ house, operations: [...operations, ...extra] })
  // PGlite needs no turn to answer, so that a busy test looks like an overload, of which requests are turned away.
  app.addHook('onRequest', (_request, _reply, next) => void setImmediate(next))
  return app
}

function newClock(): TestClock {
  let offset = 0
  return {
    now: () => Date.now() + offset,
    set(at) {
      offset = new Date(at).getTime() - Date.now()
    },
    advance(milliseconds) {
      offset += milliseconds
    },
  }
}

afterAll(async () => {
  for (const opened of services.values()) {
    const { app, house } = await opened
    await app.close()
    await house.jobs.close()
    await house.credentials.close()
  }
  services.clear()
})

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
  const keys = await insertTestProject(service.house, options.project ?? {})
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

/** One request: objects travel as JSON, text as it is. */
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
