import type { Job, PgBoss } from 'pg-boss'
import type { Database } from '../db/database.ts'
import { limits } from '../lib/limits.ts'
import { type QueueData, type QueueName, queues } from './queues.ts'

/** `again`: the job is not done and returns to the queue; any node may continue it at once. */
export type Handler<Q extends QueueName> = (data: QueueData[Q], run: JobRun) => Promise<'again' | undefined>

export interface JobRun {
  /** Number of earlier attempts. */
  retries: number
  /** Aborted when the process stops or another node has taken over the job. */
  signal: AbortSignal
  /** Whether it has had its turn (`job_turn_seconds`) and others wait: it returns `again` then, and they come first. */
  isTurnOver?(): Promise<boolean>
}

/** Of jobs that have had a turn, and of the second and further jobs of an owner: those of 0 are taken first. */
export const laterPriority = -1

/** The workers of this process, for all queues. */
export interface Workers {
  start<Q extends QueueName>(queue: Q, handle: Handler<Q>): Promise<void>
  /** Wakes one idle worker of the queue; a worker that finds a job wakes the next. */
  wake(queue: QueueName): void
  /** Aborts the running jobs and resolves when they have ended. */
  stop(): Promise<void>
}

export function newWorkers(boss: PgBoss, database: Database, report: (problem: unknown) => void): Workers {
  /** Ids of idle workers. */
  const idleOf = new Map<QueueName, Set<string>>()
  const stopping = new AbortController()
  const ticker = startTicking(database, idleOf, wake, report)

  function wake(queue: QueueName): void {
    const [worker] = idleOf.get(queue) ?? []
    if (worker !== undefined) boss.notifyWorker(worker)
  }

  async function startWorker<Q extends QueueName>(queue: Q, idle: Set<string>, handle: Handler<Q>): Promise<void> {
    let worker = ''
    worker = await boss.work<QueueData[Q]>(queue, workerOptions, async ([job]) => {
      if (job === undefined) return
      idle.delete(worker)
      wake(queue)
      try {
        const signal = AbortSignal.any([job.signal, stopping.signal])
        const isTurnOver = newTurn(() => hasWaiting(database, queue))
        const outcome = await handle(job.data, { retries: job.retryCount, signal, isTurnOver })
        if (outcome === 'again') await returnToQueue(database, queue, job)
      } catch (error) {
        report(error)
        throw error
      } finally {
        idle.add(worker)
        boss.notifyWorker(worker)
      }
    })
    idle.add(worker)
  }

  return {
    wake,
    async start(queue, handle) {
      const idle = new Set<string>()
      idleOf.set(queue, idle)
      for (let started = 0; started < queues[queue].concurrency[database.kind]; started += 1)
        await startWorker(queue, idle, handle)
    },
    async stop() {
      clearInterval(ticker)
      const stopped = [...idleOf.keys()].map((queue) => boss.offWork(queue, { wait: true }))
      stopping.abort()
      await Promise.all(stopped)
    },
  }
}

const tickSeconds = 1

/** Workers fetch a job when `wake` notifies them; their own polling is practically off. */
const workerOptions = { pollingIntervalSeconds: 86_400, heartbeatRefreshSeconds: 10 }

/**
 * Finds the queues that have due jobs and wakes their workers: jobs sent by other nodes, jobs whose start time has come,
 * retries. One statement per tick instead of one per queue or worker.
 */
function startTicking(
  database: Database,
  idleOf: ReadonlyMap<QueueName, ReadonlySet<string>>,
  wake: (queue: QueueName) => void,
  report: (problem: unknown) => void,
): NodeJS.Timeout {
  let isPolling = false
  let isFailing = false
  const tick = async () => {
    const idleQueues = [...idleOf].filter(([, idle]) => idle.size > 0).map(([queue]) => queue)
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

/** Asks whether others wait at the end of each turn only. */
function newTurn(hasWaiting: () => Promise<boolean>): () => Promise<boolean> {
  let beganAt = performance.now()
  return async () => {
    if (performance.now() - beganAt < limits.job_turn_seconds * 1_000) return false
    beganAt = performance.now()
    return hasWaiting()
  }
}

/** Whether a job could be taken if a worker were free: the next of its key. */
async function hasWaiting(database: Database, queue: QueueName): Promise<boolean> {
  const { rows } = await database.execute(
    `select from pgboss.job j
     where j.name = $1 and j.state < 'active' and not j.blocked and j.start_after <= now() and not exists (
       select from pgboss.job before
       where before.name = j.name and before.singleton_key = j.singleton_key and before.id <> j.id
         and before.state in ('retry', 'active')
     )
     limit 1`,
    [queue],
  )
  return rows.length > 0
}

/**
 * Returns an active job to the queue, ahead of others with its key and behind all other keys; the worker that ran it can no longer
 * complete it.
 */
async function returnToQueue(database: Database, queue: QueueName, { id, retryCount }: Job<unknown>): Promise<void> {
  await database.execute(
    `update pgboss.job set state = 'retry', start_after = now(), created_on = now(), priority = ${laterPriority}
     where name = $1 and id = $2 and retry_count = $3 and state = 'active'`,
    [queue, id, retryCount],
  )
}
