import type { FastifyInstance } from 'fastify'
import { buildApp } from '../app.ts'
import { processSegments } from '../audience/segments/worker.ts'
import type { Ctx, Runtime } from '../core/context.ts'
import { listStartedActions, runAsyncAction } from '../core/jobs/async-action.ts'
import { inBackground, newBackgroundRun } from '../core/jobs/background.ts'
import { maintain } from '../core/jobs/maintenance.ts'
import { toInstant } from '../core/lib/instant.ts'
import { runDueMembersBatch } from '../loyalty/points/daily-job.ts'
import { asyncActions } from '../work.ts'

/** A clock that only goes forward, and never beyond the present: nothing of the demo shop may happen in the future. */
export interface ShopClock {
  now(): number
  /** Moves to a moment in Unix milliseconds, unless it is past already. */
  moveTo(at: number): void
  advance(seconds: number): void
}

export function newShopClock(start: number, present: number): ShopClock {
  let at = start
  const moveTo = (to: number) => {
    at = Math.min(Math.max(at, to), present)
  }
  return { now: () => at, moveTo, advance: (seconds) => moveTo(at + seconds * 1_000) }
}

// biome-ignore lint/suspicious/noExplicitAny: a reply of the API, of which the demo shop reads a few fields
export type Reply = any

/** Answers of the service to the demo shop: what it calls and what it has to wait for, at the time of a moved clock. */
export interface DemoShop {
  clock: ShopClock
  /** Calls an operation; throws unless it is answered with 2xx. */
  call(method: 'GET' | 'POST' | 'PUT', path: string, body?: unknown): Promise<Reply>
  /** The same for a call that may be refused: the error has a `key`. */
  attempt(method: 'POST', path: string, body: unknown): Promise<{ is_refused: boolean; reply: Reply }>
  /** Sends a CSV file, runs the import and returns its async action. */
  importCsv(path: string, csv: string): Promise<Reply>
  /** Runs a story for which there is only a management operation. */
  inProject<T>(work: (ctx: Ctx) => Promise<T>): Promise<T>
  /** Runs the async actions that were started. */
  runAsyncActions(): Promise<void>
  /** Runs what the jobs of a service would have done by now: segments, expired points, tiers. */
  runDailyJobs(): Promise<void>
  /** Merges sums and refreshes the planner's statistics, as the maintenance of a service does every minute. */
  maintain(): Promise<void>
  close(): Promise<void>
}

/** The credentials of the demo shop. */
export interface ShopKey {
  project_id: string
  app_id: string
  secret: string
}

/**
 * The demo shop as a client of the service in this process. Its calls take the way of every call, from admission to the reply, but on a
 * clock of its own; they are not in the audit log, whose partitions are days of the real clock. No job worker of the service may run
 * meanwhile: it would do the work of the past with the time of the present.
 */
export async function openDemoShop(runtime: Runtime, key: ShopKey, clock: ShopClock): Promise<DemoShop> {
  const { project_id: projectId } = key
  const moved: Runtime = {
    ...runtime,
    now: clock.now,
    // Refusals are part of the history: one line for each would hide what the command says.
    log: ['trace', 'debug', 'info'].includes(runtime.log.level)
      ? runtime.log.child({}, { level: 'warn' })
      : runtime.log,
    // The metrics of the service are served already.
    settings: { ...runtime.settings, auth_mode: 'either', audit_log: 'off', metrics_port: null },
  }
  const app = buildApp({ runtime: moved, sheds_load: false })
  await app.ready()
  const headers = { 'x-app-id': key.app_id, 'x-app-token': key.secret }
  const send = (method: 'GET' | 'POST' | 'PUT', path: string, body?: unknown) =>
    inject(app, method, path, headers, body === undefined ? undefined : JSON.stringify(body), 'application/json')

  async function call(method: 'GET' | 'POST' | 'PUT', path: string, body?: unknown): Promise<Reply> {
    const { status, reply } = await send(method, path, body)
    if (status >= 300) throw unexpected(method, path, reply)
    return reply
  }

  async function runStarted(): Promise<void> {
    const run = { retries: 0, signal: new AbortController().signal }
    for (const action of await listStartedActions(moved, projectId))
      await runAsyncAction(moved, asyncActions, action, run)
  }

  return {
    clock,
    call,
    async attempt(method, path, body) {
      const { status, reply } = await send(method, path, body)
      if (status >= 500 || (status >= 400 && reply?.key === undefined)) throw unexpected(method, path, reply)
      return { is_refused: status >= 400, reply }
    },
    async importCsv(path, csv) {
      const { status, reply } = await inject(app, 'POST', path, headers, multipart(csv), multipartType)
      if (status >= 300) throw unexpected('POST', path, reply)
      await runStarted()
      return call('GET', `/v1/async-actions/${reply.async_action_id}`)
    },
    inProject: async (work) => {
      const result = await inBackground(moved, projectId, newBackgroundRun(clock.now()), work)
      if (result === null) throw new Error(`The project ${projectId} was deleted.`)
      return result
    },
    runAsyncActions: runStarted,
    async runDailyJobs() {
      while (await processSegments(moved, { daily: true, only: projectId }));
      while (await runDueMembersBatch(moved, { only: projectId }));
    },
    async maintain() {
      await moved.deferred.flush()
      await maintain(moved.database, toInstant(clock.now()))
    },
    async close() {
      await moved.deferred.flush()
      await app.close()
    },
  }
}

const unexpected = (method: string, path: string, reply: Reply): Error =>
  new Error(`The demo shop could not ${method} ${path}: ${JSON.stringify(reply)}`)

const boundary = 'demo-shop-part'
const multipartType = `multipart/form-data; boundary=${boundary}`
const multipart = (csv: string): string =>
  `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="demo.csv"\r\nContent-Type: text/csv\r\n\r\n${csv}\r\n--${boundary}--\r\n`

async function inject(
  app: FastifyInstance,
  method: 'GET' | 'POST' | 'PUT',
  url: string,
  headers: Record<string, string>,
  payload: string | undefined,
  type: string,
): Promise<{ status: number; reply: Reply }> {
  const answer = await app.inject({
    method,
    url,
    headers: payload === undefined ? headers : { ...headers, 'content-type': type },
    ...(payload === undefined ? {} : { payload }),
  })
  return { status: answer.statusCode, reply: answer.body === '' ? null : JSON.parse(answer.body) }
}
