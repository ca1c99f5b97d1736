import { insertProjectOf } from '../account/projects/create.ts'
import type { CreateProject } from '../account/projects/schema.ts'
import type { Ctx, Runtime } from '../core/context.ts'
import type { Database } from '../core/db/database.ts'
import type { Project } from '../core/db/project-row.ts'
import { inTransaction } from '../core/db/transaction.ts'
import { type AsyncActionDefinition, listStartedActions, runAsyncAction } from '../core/jobs/async-action.ts'
import { backgroundCtx } from '../core/jobs/background.ts'
import type { QueueName } from '../core/jobs/queues.ts'
import { newId } from '../core/lib/ids.ts'
import { toInstant } from '../core/lib/instant.ts'
import { atEnd } from './closings.ts'
import { openTestRuntime } from './runtime.ts'

/** A runtime without job workers; a second one on the same database simulates another process. */
export async function openIdleRuntime(database: Database): Promise<Runtime> {
  const runtime = await openTestRuntime(database)
  atEnd(() => runtime.credentials.close())
  atEnd(() => runtime.deferred.close())
  atEnd(() => runtime.jobs.close({ graceful_seconds: 1 }))
  return runtime
}

export function insertProject({ database, now }: Pick<Runtime, 'database' | 'now'>): Promise<Project> {
  const body = { name: 'Test shop', timezone: 'UTC', currency: 'USD', case_sensitive_codes: true } as CreateProject
  return insertProjectOf(database.db, toInstant(now()), body, { auth_mode: 'either' })
}

/** Runs `work` as a request to a project would: in one transaction, with the callbacks of `afterCommit` after it. */
export async function asRequest<T>(runtime: Runtime, project: Project, work: (ctx: Ctx) => Promise<T>): Promise<T> {
  const afterCommit: Array<() => void> = []
  const result = await inTransaction(runtime.database.db, (trx) =>
    work({
      ...backgroundCtx(runtime, project, { request_id: newId('request'), caller: testCaller }),
      db: trx,
      afterCommit: (after) => void afterCommit.push(after),
    }),
  )
  for (const after of afterCommit) after()
  return result
}

export const testCaller = {
  channel: 'API',
  api_key: { id: 'key_1', name: 'Server key', app_id: 'app-1' },
  role: 'ADMIN',
} as const

/**
 * Runs the queued async actions of a project one after another in this process, without the job queue: on PostgreSQL all
 * test files share the queue, and another file would take the job. `await runAsyncActions(shop.service.runtime, shop.project_id, [importCustomers])`
 */
export async function runAsyncActions(
  runtime: Runtime,
  projectId: string,
  actions: readonly AsyncActionDefinition[],
  { are_concurrent = false } = {},
): Promise<void> {
  const run = { retries: 0, signal: new AbortController().signal }
  const started = await listStartedActions(runtime, projectId)
  const runOne = (action: (typeof started)[number]) => runAsyncAction(runtime, actions, action, run)
  if (are_concurrent) await Promise.all(started.map(runOne))
  else for (const action of started) await runOne(action)
}

/** Like `until`, but failed jobs are retried at once, as if their retry delay had passed. */
export function untilRetried<T>(
  { database, jobs }: Pick<Runtime, 'database' | 'jobs'>,
  look: () => T | undefined | Promise<T | undefined>,
): Promise<T> {
  return until(async () => {
    const { rows } = await database.execute(
      `update pgboss.job set start_after = now() where state = 'retry' and start_after > now() returning name`,
    )
    for (const { name } of rows as Array<{ name: QueueName }>) jobs.wake(name)
    return look()
  })
}

/** Polls until `look` returns a value. The timeout is long enough for a busy machine. */
export async function until<T>(look: () => T | undefined | Promise<T | undefined>, { pause_ms = 20 } = {}): Promise<T> {
  const deadline = Date.now() + timeoutMs
  for (;;) {
    const found = await look()
    if (found !== undefined) return found
    if (Date.now() > deadline) throw new Error(`The condition was not met within ${timeoutMs} ms`)
    await new Promise((resolve) => setTimeout(resolve, pause_ms))
  }
}

const timeoutMs = 120_000
