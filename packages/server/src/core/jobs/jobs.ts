import { sql } from 'kysely'
import { fromKysely, PgBoss } from 'pg-boss'
import type { Database, Db } from '../db/database.ts'
import { isDistributed } from '../db/is-distributed.ts'
import type { Instant } from '../lib/instant.ts'
import { limits } from '../lib/limits.ts'
import { declareQueues, queueNames, supervision } from './declare-queues.ts'
import type { QueueData, QueueName, WatchName } from './queues.ts'
import { type JobWatch, type Look, startWatch, type WatchOptions } from './watch.ts'
import { type Handler, laterPriority, newWorkers } from './workers.ts'

/** The job queues of this process. */
export interface Jobs {
  /**
   * Sends a job in the caller's transaction: it exists if and only if the transaction commits, and starts right after.
   * Returns false if the policy of the queue allows only one job and there is one already.
   */
  send<Q extends QueueName>(ctx: Writing, queue: Q, data: QueueData[Q], options?: SendOptions): Promise<boolean>
  /** Starts workers for a queue in this process. A job that throws is retried as its queue configures. */
  work<Q extends QueueName>(queue: Q, handle: Handler<Q>): Promise<void>
  /** Sends an empty job at the times of a cron expression (UTC), once for all nodes together. */
  schedule(queue: QueueName, cron: string): Promise<void>
  /** Polls a table for pending work in this process (core/jobs/watch.ts). */
  watch(name: WatchName, look: Look, options?: WatchOptions): void
  counts(): Promise<QueueCounts[]>
  /** Failed runs in this process so far, by queue or watch. */
  failures(): Record<string, number>
  /** Polls now instead of at the next tick. */
  wake(name: QueueName | WatchName): void
  /** Says that this process has committed rows for a watch that is not woken for each of them (core/jobs/watch.ts). */
  note(name: WatchName): void
  /** Stops taking jobs, waits for the running ones, and returns those that are not done in time to the queue. */
  close(options?: { graceful_seconds?: number }): Promise<void>
}

/** The part of a context that `send` needs. */
export interface Writing {
  db: Db
  afterCommit(work: () => void): void
}

export interface SendOptions {
  /** A UUID; in a FIFO queue, jobs with the same `lane` and creation time run in the order of their ids. */
  id?: string
  /** The serialisation key in a FIFO queue: jobs with the same key run one after another. */
  lane?: string
  /** Whose job it is, in a FIFO queue, where `lane` begins with it: an owner with many jobs does not keep the only one of another waiting. */
  owner?: string
  /** Earliest start, by the clock of the database. */
  start_after?: Instant
}

export interface QueueCounts {
  queue: QueueName
  /** Waiting for a worker, their start time or their next retry. */
  queued: number
  active: number
  /** Failed for good within the last minutes. */
  failed: number
  /** For how long the oldest due job has waited for a worker. */
  lag_seconds: number
}

/** Creates all queues; no job runs yet. `report` is called with every error, also of jobs that throw. */
export async function openJobs(database: Database, report: (problem: unknown) => void = () => {}): Promise<Jobs> {
  const boss = new PgBoss({
    db: { executeSql: (text, values) => database.execute(text, values) },
    backend: database.kind,
    ...(database.kind === 'postgres' ? supervision.postgres : supervision.pglite),
    maintenanceIntervalSeconds: 300,
    cronWorkerIntervalSeconds: 10,
    flowIntervalSeconds: 86_400, // not used
    queueCacheIntervalSeconds: 600, // queue options change only with a release
  })
  boss.on('error', report)
  boss.on('warning', report)
  // pg-boss takes a lock of its own, but a node that waited for it may have checked for the schema before, and fail when it
  // creates it a second time.
  await database
    .alone(async () => {
      await boss.start()
      await declareQueues(boss, database.kind)
    })
    .catch(async (error: unknown) => {
      await boss.stop({ graceful: false }).catch(() => {}) // its timers would keep the process alive
      throw error
    })
  if (database.kind === 'pglite') await returnAbandonedJobs(database)

  // To look for work everywhere costs a statement on every shard.
  const idleMs = (await isDistributed(database.db)) ? limits.distributed_look_seconds * 1_000 : undefined
  const workers = newWorkers(boss, database, report)
  const watches = new Map<WatchName, JobWatch>()
  const failures: Record<string, number> = {}
  let closed: Promise<void> | undefined

  function countingFailures<A extends unknown[], T>(
    name: QueueName | WatchName,
    work: (...args: A) => Promise<T>,
  ): (...args: A) => Promise<T> {
    failures[name] = 0
    return async (...args) => {
      try {
        return await work(...args)
      } catch (error) {
        failures[name] = (failures[name] as number) + 1
        throw error
      }
    }
  }

  async function close(gracefulSeconds: number): Promise<void> {
    const stopped = Promise.all([workers.stop(), ...[...watches.values()].map((watch) => watch.close())])
    let deadline: NodeJS.Timeout | undefined
    const timeout = new Promise((resolve) => {
      deadline = setTimeout(resolve, gracefulSeconds * 1_000)
    })
    await Promise.race([stopped, timeout])
    clearTimeout(deadline)
    await boss.stop({ graceful: false })
  }

  return {
    wake(name) {
      const watch = watches.get(name as WatchName)
      if (watch === undefined) workers.wake(name as QueueName)
      else watch.wake()
    },
    watch(name, look, options) {
      watches.set(name, startWatch(countingFailures(name, look), report, { idle_ms: idleMs, ...options }))
    },
    note: (name) => watches.get(name)?.note(),
    async send(ctx, queue, data, { id, lane, owner, start_after } = {}) {
      const isLater = owner !== undefined && (await hasJobs(ctx.db, queue, owner))

      const sent = await boss.send(queue, data as object, {
        db: fromKysely(ctx.db),
        ...(id === undefined ? {} : { id }),
        ...(lane === undefined ? {} : { singletonKey: lane }),
        ...(isLater ? { priority: laterPriority } : {}),
        ...(start_after === undefined ? {} : { startAfter: start_after }),
      })
      ctx.afterCommit(() => workers.wake(queue))
      return sent !== null
    },
    work: (queue, handle) => workers.start(queue, countingFailures(queue, handle)),
    async schedule(queue, cron) {
      await boss.schedule(queue, cron, null, { tz: 'UTC' })
    },
    counts: () => countJobs(database),
    failures: () => failures,
    close: ({ graceful_seconds = limits.shutdown_seconds } = {}) => {
      closed ??= close(graceful_seconds)
      return closed
    },
  }
}

/** Returns jobs that the previous process ran when it died. This process holds the folder lock, so no other runs them. */
async function returnAbandonedJobs(database: Database): Promise<void> {
  await database.execute(
    `update pgboss.job set state = 'retry', start_after = now() where name = any($1::text[]) and state = 'active'`,
    [queueNames],
  )
}

async function hasJobs(db: Db, queue: QueueName, owner: string): Promise<boolean> {
  const { rows } = await sql`
    select from pgboss.job
    where name = ${queue} and state <= 'active' and starts_with(singleton_key, ${`${owner} `}) limit 1`.execute(db)
  return rows.length > 0
}

async function countJobs(database: Database): Promise<QueueCounts[]> {
  const { rows } = await database.execute(
    `select q.name as queue,
       count(*) filter (where j.state < 'active')::int as queued,
       count(*) filter (where j.state = 'active')::int as active,
       count(*) filter (where j.state = 'failed')::int as failed,
       coalesce(extract(epoch from now() - min(j.start_after) filter (
         where j.state < 'active' and not j.blocked and j.start_after <= now()
       )), 0)::float8 as lag_seconds
     from unnest($1::text[]) as q (name) left join pgboss.job j on j.name = q.name
     group by q.name order by q.name`,
    [queueNames],
  )
  return rows as QueueCounts[]
}
