import { fromKysely, type Job, PgBoss, type QueueResult } from 'pg-boss'
import type { Database, Db } from '../db/database.ts'
import type { Instant } from '../lib/instant.ts'
import { limits } from '../lib/limits.ts'
import { type QueueData, type QueueName, type QueueOptions, queues, type WatchName } from './queues.ts'
import { type Look, startWatch, type Watch } from './watch.ts'

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
  watch(name: WatchName, look: Look): void
  counts(): Promise<QueueCounts[]>
  /** Polls now instead of at the next tick. */
  wake(name: QueueName | WatchName): void
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
  /** Earliest start, by the clock of the database. */
  start_after?: Instant
}

/** `again`: the job is not done and returns to the queue; any node may continue it at once. */
export type Handler<Q extends QueueName> = (data: QueueData[Q], run: Run) => Promise<'again' | undefined>

export interface Run {
  /** Number of earlier attempts. */
  retries: number
  /** Aborted when the process stops or another node has taken over the job. */
  signal: AbortSignal
}

export interface QueueCounts {
  queue: QueueName
  /** Waiting for a worker, their start time or their next retry. */
  queued: number
  active: number
  /** Failed for good within the last minutes. */
  failed: number
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
  await database.alone(async () => {
    await boss.start()
    await declareQueues(boss, database.kind)
  })
  if (database.kind === 'pglite') await returnAbandonedJobs(database)

  const workersByQueue = new Map<QueueName, Workers>()
  const watches = new Map<WatchName, Watch>()
  const closing = new AbortController()
  const ticker = startTicking(database, workersByQueue, wake, report)
  let closed: Promise<void> | undefined

  /** Wakes one idle worker; a worker that finds a job wakes the next. */
  function wake(queue: QueueName): void {
    const [worker] = workersByQueue.get(queue)?.idle ?? []
    if (worker !== undefined) boss.notifyWorker(worker)
  }

  async function startWorker<Q extends QueueName>(queue: Q, workers: Workers, handle: Handler<Q>): Promise<void> {
    let worker = ''
    worker = await boss.work<QueueData[Q]>(queue, workerOptions, async ([job]) => {
      if (job === undefined) return
      workers.idle.delete(worker)
      wake(queue)
      try {
        const signal = AbortSignal.any([job.signal, closing.signal])
        const outcome = await handle(job.data, { retries: job.retryCount, signal })
        if (outcome === 'again') await returnToQueue(database, queue, job)
      } catch (error) {
        report(error)
        throw error
      } finally {
        workers.idle.add(worker)
        boss.notifyWorker(worker)
      }
    })
    workers.idle.add(worker)
  }

  async function close(gracefulSeconds: number): Promise<void> {
    clearInterval(ticker)
    const stopped = Promise.all([
      ...[...workersByQueue.keys()].map((queue) => boss.offWork(queue, { wait: true })),
      ...[...watches.values()].map((watch) => watch.close()),
    ])
    closing.abort()
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
      if (watch === undefined) wake(name as QueueName)
      else watch.wake()
    },
    watch(name, look) {
      watches.set(name, startWatch(look, report))
    },
    async send(ctx, queue, data, { id, lane, start_after } = {}) {
      const sent = await boss.send(queue, data as object, {
        db: fromKysely(ctx.db),
        ...(id === undefined ? {} : { id }),
        ...(lane === undefined ? {} : { singletonKey: lane }),
        ...(start_after === undefined ? {} : { startAfter: start_after }),
      })
      ctx.afterCommit(() => wake(queue))
      return sent !== null
    },
    async work(queue, handle) {
      const workers: Workers = { idle: new Set() }
      workersByQueue.set(queue, workers)
      for (let started = 0; started < queues[queue].concurrency[database.kind]; started += 1)
        await startWorker(queue, workers, handle)
    },
    async schedule(queue, cron) {
      await boss.schedule(queue, cron, null, { tz: 'UTC' })
    },
    counts: () => countJobs(database),
    close: ({ graceful_seconds = limits.shutdown_seconds } = {}) => {
      closed ??= close(graceful_seconds)
      return closed
    },
  }
}

/** The workers of one queue. */
interface Workers {
  /** Ids of idle workers. */
  idle: Set<string>
}

const tickSeconds = 1

/** Workers fetch a job when `wake` notifies them; their own polling is practically off. */
const workerOptions = { pollingIntervalSeconds: 86_400, heartbeatRefreshSeconds: 10 }

/**
 * The heartbeats of a dead node stop, and other nodes take over its jobs after `heartbeatSeconds` and at most one more
 * supervision interval. The embedded database has no other node: active jobs at start belong to a dead process (see below).
 */
const heartbeatSeconds = { postgres: 30, pglite: null }
export const supervision = {
  postgres: { superviseIntervalSeconds: 15, monitorIntervalSeconds: 15 },
  pglite: { superviseIntervalSeconds: 60, monitorIntervalSeconds: 60, monitorVacuum: false },
}

/**
 * Creates or updates the queues as declared, and makes pg-boss cache each of them: it looks up an uncached queue on another
 * connection, which inside a transaction on PGlite would deadlock.
 */
async function declareQueues(boss: PgBoss, kind: Database['kind']): Promise<void> {
  const queuesByName = new Map((await boss.getQueues(queueNames)).map((queue) => [queue.name, queue]))
  for (const name of queueNames) {
    const { concurrency: _, policy, ...options } = queues[name]
    const found = queuesByName.get(name)
    if (found === undefined) await boss.createQueue(name, createOptions(name, kind))
    else if (found.policy !== policy)
      throw new Error(`The policy of queue ${name} cannot change from ${found.policy} to ${policy}`)
    else if (isChanged(found, { ...options, heartbeatSeconds: heartbeatSeconds[kind] }))
      await boss.updateQueue(name, { ...options, heartbeatSeconds: heartbeatSeconds[kind] })
    await boss.touch(name, unknownJobId)
  }
}

const queueNames = Object.keys(queues) as QueueName[]
const unknownJobId = '00000000-0000-0000-0000-000000000000'

function createOptions(name: QueueName, kind: Database['kind']) {
  const { concurrency: _, ...options } = queues[name]
  const heartbeat = heartbeatSeconds[kind]
  return heartbeat === null ? options : { ...options, heartbeatSeconds: heartbeat }
}

function isChanged(
  found: QueueResult,
  declared: Omit<QueueOptions, 'concurrency'> & { heartbeatSeconds: number | null },
): boolean {
  return Object.entries(declared).some(([option, value]) => found[option as keyof QueueResult] !== value)
}

/**
 * Finds the queues that have due jobs and wakes their workers: jobs sent by other nodes, jobs whose start time has come,
 * retries. One statement per tick instead of one per queue or worker.
 */
function startTicking(
  database: Database,
  workersByQueue: ReadonlyMap<QueueName, Workers>,
  wake: (queue: QueueName) => void,
  report: (problem: unknown) => void,
): NodeJS.Timeout {
  let isPolling = false
  let isFailing = false
  const tick = async () => {
    const idleQueues = [...workersByQueue].filter(([, { idle }]) => idle.size > 0).map(([queue]) => queue)
    if (isPolling || idleQueues.length === 0) return
    isPolling = true
    try {
      const { rows } = await database.execute(dueQueues, [idleQueues])
      for (const { name } of rows as Array<{ name: QueueName }>) wake(name)
      isFailing = false
    } catch (error) {
      if (!isFailing) report(error) // once per outage
      isFailing = true
    } finally {
      isPolling = false
    }
  }
  return setInterval(tick, tickSeconds * 1_000).unref()
}

const dueQueues = `
  select q.name from unnest($1::text[]) as q (name)
  cross join lateral (
    select from pgboss.job j
    where j.name = q.name and j.state < 'active' and not j.blocked and j.start_after <= now()
    limit 1
  ) due`

/** Returns an active job to the queue, ahead of others with its key; the worker that ran it can no longer complete it. */
async function returnToQueue(database: Database, queue: QueueName, { id, retryCount }: Job<unknown>): Promise<void> {
  await database.execute(
    `update pgboss.job set state = 'retry', start_after = now()
     where name = $1 and id = $2 and retry_count = $3 and state = 'active'`,
    [queue, id, retryCount],
  )
}

/** Returns jobs that the previous process ran when it died. This process holds the folder lock, so no other runs them. */
async function returnAbandonedJobs(database: Database): Promise<void> {
  await database.execute(
    `update pgboss.job set state = 'retry', start_after = now() where name = any($1::text[]) and state = 'active'`,
    [queueNames],
  )
}

async function countJobs(database: Database): Promise<QueueCounts[]> {
  const { rows } = await database.execute(
    `select q.name as queue,
       count(*) filter (where j.state < 'active')::int as queued,
       count(*) filter (where j.state = 'active')::int as active,
       count(*) filter (where j.state = 'failed')::int as failed
     from unnest($1::text[]) as q (name) left join pgboss.job j on j.name = q.name
     group by q.name order by q.name`,
    [queueNames],
  )
  return rows as QueueCounts[]
}
