import { fromKysely, type Job, PgBoss, type QueueResult } from 'pg-boss'
import type { Database, Db } from '../db/database.ts'
import type { Instant } from '../lib/instant.ts'
import { limits } from '../lib/limits.ts'
import { type QueueData, type QueueName, type QueueOptions, queues, type WatchName } from './queues.ts'
import { type Look, startWatch, type Watch } from './watch.ts'

/** The job queues of this process. */
export interface Jobs {
  /**
   * Sends a job in the caller's transaction: it exists if and only if that commits, and starts as soon as it does.
   * Answers false when the queue's policy keeps only one and has it already.
   */
  send<Q extends QueueName>(writing: Writing, queue: Q, data: QueueData[Q], options?: SendOptions): Promise<boolean>
  /** Runs the jobs of a queue in this process from now on. A job that throws is tried again as its queue says. */
  work<Q extends QueueName>(queue: Q, handle: Handler<Q>): Promise<void>
  /** Sends an empty job at the times a cron expression names (UTC), once however many nodes there are. */
  schedule(queue: QueueName, cron: string): Promise<void>
  /** Has this process look after work that waits in a table of its own (core/jobs/watch.ts). */
  watch(name: WatchName, look: Look): void
  counts(): Promise<QueueCounts[]>
  /** Looks for work now instead of at the next tick. */
  wake(name: QueueName | WatchName): void
  /** Takes no more jobs, waits for the running ones, and gives back those that are not done in time. */
  close(options?: { graceful_seconds?: number }): Promise<void>
}

/** The part of a context that a send needs. */
export interface Writing {
  db: Db
  afterCommit(work: () => void): void
}

export interface SendOptions {
  /** A UUID; where the queue keeps the order, jobs of one lane and one instant run in the order of their ids. */
  id?: string
  /** In a queue that keeps the order: the jobs that wait for each other. */
  lane?: string
  /** Not before this moment, by the clock of the database. */
  start_after?: Instant
}

/** `again`: the job is not done and goes back to the queue, to be taken up at once by any node. */
export type Handler<Q extends QueueName> = (data: QueueData[Q], run: Run) => Promise<'again' | undefined>

export interface Run {
  /** How often the job was taken up before. */
  retries: number
  /** Aborted when the process stops or another one has taken the job over. */
  signal: AbortSignal
}

export interface QueueCounts {
  queue: QueueName
  /** Waiting for their turn, their time or their next try. */
  queued: number
  active: number
  /** Given up within the last minutes. */
  failed: number
}

/** Creates and touches every queue; no job runs yet. `report` hears of what goes wrong, also of every job that throws. */
export async function openJobs(database: Database, report: (problem: unknown) => void = () => {}): Promise<Jobs> {
  const boss = new PgBoss({
    db: { executeSql: (text, values) => database.execute(text, values) },
    backend: database.kind,
    ...(database.kind === 'postgres' ? supervision.postgres : supervision.pglite),
    maintenanceIntervalSeconds: 300,
    cronWorkerIntervalSeconds: 10,
    flowIntervalSeconds: 86_400, // we have no flows
    queueCacheIntervalSeconds: 600, // only the options of a queue change, with a release
  })
  boss.on('error', report)
  boss.on('warning', report)
  // pg-boss takes a lock of its own, but a node that waited for it may still remember that there is no such schema, and
  // fail to make it a second time.
  await database.alone(async () => {
    await boss.start()
    await declareQueues(boss, database.kind)
  })
  if (database.kind === 'pglite') await returnAbandonedJobs(database)

  const crews = new Map<QueueName, Crew>()
  const watches = new Map<WatchName, Watch>()
  const closing = new AbortController()
  const ticker = startTicking(database, crews, wake, report)
  let closed: Promise<void> | undefined

  /** Wakes one idle worker; one that finds a job wakes the next. */
  function wake(queue: QueueName): void {
    const [worker] = crews.get(queue)?.idle ?? []
    if (worker !== undefined) boss.notifyWorker(worker)
  }

  async function hire<Q extends QueueName>(queue: Q, crew: Crew, handle: Handler<Q>): Promise<void> {
    let worker = ''
    worker = await boss.work<QueueData[Q]>(queue, workerOptions, async ([job]) => {
      if (job === undefined) return
      crew.idle.delete(worker)
      wake(queue)
      try {
        const signal = AbortSignal.any([job.signal, closing.signal])
        const outcome = await handle(job.data, { retries: job.retryCount, signal })
        if (outcome === 'again') await giveBack(database, queue, job)
      } catch (error) {
        report(error)
        throw error
      } finally {
        crew.idle.add(worker)
        boss.notifyWorker(worker)
      }
    })
    crew.idle.add(worker)
  }

  async function close(gracefulSeconds: number): Promise<void> {
    clearInterval(ticker)
    const stopped = Promise.all([
      ...[...crews.keys()].map((queue) => boss.offWork(queue, { wait: true })),
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
    async send(writing, queue, data, { id, lane, start_after } = {}) {
      const sent = await boss.send(queue, data as object, {
        db: fromKysely(writing.db),
        ...(id === undefined ? {} : { id }),
        ...(lane === undefined ? {} : { singletonKey: lane }),
        ...(start_after === undefined ? {} : { startAfter: start_after }),
      })
      writing.afterCommit(() => wake(queue))
      return sent !== null
    },
    async work(queue, handle) {
      const crew: Crew = { idle: new Set() }
      crews.set(queue, crew)
      for (let hired = 0; hired < queues[queue].concurrency[database.kind]; hired += 1) await hire(queue, crew, handle)
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
interface Crew {
  /** Ids of those that have no job at the moment. */
  idle: Set<string>
}

const tickSeconds = 1

/** A worker looks for a job when it is woken; by itself, next to never. */
const workerOptions = { pollingIntervalSeconds: 86_400, heartbeatRefreshSeconds: 10 }

/**
 * A node that dies stops its heartbeats, and the others take its jobs up after `heartbeat` and at most one more
 * supervision. Embedded, there is no other node: what is active was left by a process that is gone (see below).
 */
const heartbeatSeconds = { postgres: 30, pglite: null }
export const supervision = {
  postgres: { superviseIntervalSeconds: 15, monitorIntervalSeconds: 15 },
  pglite: { superviseIntervalSeconds: 60, monitorIntervalSeconds: 60, monitorVacuum: false },
}

/**
 * Brings the queues to what is declared, and makes pg-boss remember each: one it does not remember it looks up on a
 * connection of its own, which inside a transaction on PGlite waits for ever.
 */
async function declareQueues(boss: PgBoss, kind: Database['kind']): Promise<void> {
  const known = new Map((await boss.getQueues(queueNames)).map((queue) => [queue.name, queue]))
  for (const name of queueNames) {
    const { concurrency: _, policy, ...options } = queues[name]
    const found = known.get(name)
    if (found === undefined) await boss.createQueue(name, createOptions(name, kind))
    else if (found.policy !== policy)
      throw new Error(`The policy of queue ${name} cannot change from ${found.policy} to ${policy}`)
    else if (isChanged(found, { ...options, heartbeatSeconds: heartbeatSeconds[kind] }))
      await boss.updateQueue(name, { ...options, heartbeatSeconds: heartbeatSeconds[kind] })
    await boss.touch(name, nobody)
  }
}

const queueNames = Object.keys(queues) as QueueName[]
const nobody = '00000000-0000-0000-0000-000000000000'

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
 * Finds the queues that have something to do and wakes them: jobs of other nodes, jobs whose time has come, tries after
 * a failure. One statement however many queues and workers there are, instead of one for each.
 */
function startTicking(
  database: Database,
  crews: ReadonlyMap<QueueName, Crew>,
  wake: (queue: QueueName) => void,
  report: (problem: unknown) => void,
): NodeJS.Timeout {
  let isLooking = false
  let isFailing = false
  const tick = async () => {
    const attentive = [...crews].filter(([, { idle }]) => idle.size > 0).map(([queue]) => queue)
    if (isLooking || attentive.length === 0) return
    isLooking = true
    try {
      const { rows } = await database.execute(dueQueues, [attentive])
      for (const { name } of rows as Array<{ name: QueueName }>) wake(name)
      isFailing = false
    } catch (error) {
      if (!isFailing) report(error) // once per outage
      isFailing = true
    } finally {
      isLooking = false
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

/** An active job goes back to the queue, ahead of its lane; whoever held it can no longer settle it. */
async function giveBack(database: Database, queue: QueueName, { id, retryCount }: Job<unknown>): Promise<void> {
  await database.execute(
    `update pgboss.job set state = 'retry', start_after = now()
     where name = $1 and id = $2 and retry_count = $3 and state = 'active'`,
    [queue, id, retryCount],
  )
}

/** Jobs the last process was at when it ended. Its folder is ours now, so nobody is at them any more. */
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
