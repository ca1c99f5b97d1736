import type { Queue } from 'pg-boss'
import type { Database } from '../db/database.ts'
import type { Id } from '../lib/ids.ts'
import { limits } from '../lib/limits.ts'

/** The data of a job, by queue: ids of its work, never the work itself. */
export interface QueueData {
  'async-actions': { project_id: string; action_id: Id<'async_action'> }
  maintenance: null
  mail: { mail_id: Id<'mail'> }
  'purge-project': { project_id: string }
  'erase-late-events': { project_id: string; customer_id: string }
}

export type QueueName = keyof QueueData

/** Pending work in its own tables: see core/jobs/watch.ts. */
export type WatchName = 'exports' | 'segments' | 'members' | 'statistics' | 'usage' | 'webhooks'

export interface QueueOptions extends Omit<Queue, 'name' | 'heartbeatSeconds'> {
  /** Concurrent jobs of the queue in one process. */
  concurrency: Record<Database['kind'], number>
}

/** One at a time, as often as it fails. */
const untilDone: QueueOptions = {
  policy: 'standard',
  concurrency: { postgres: 1, pglite: 1 },
  retryLimit: 1_000_000,
  retryDelay: 60,
  retryBackoff: true,
  retryDelayMax: 3_600,
  expireInSeconds: 6 * 3_600,
  retentionSeconds: 365 * 86_400,
  deleteAfterSeconds: 600,
}

/** Every queue. Its policy can never change; other options may change between releases. */
export const queues: { readonly [Q in QueueName]: QueueOptions } = {
  'async-actions': {
    policy: 'key_strict_fifo',
    // A step on PGlite blocks every request; two concurrent actions are enough that a long import does not block all others.
    concurrency: { postgres: 4, pglite: 2 },
    // A failed job would block the jobs with the same key for ever. So jobs never fail: the handler counts attempts and gives up.
    retryLimit: 1_000_000,
    retryDelay: 1,
    retryBackoff: true,
    retryDelayMax: 30,
    expireInSeconds: 6 * 3_600,
    retentionSeconds: 365 * 86_400,
    deleteAfterSeconds: 600,
  },
  maintenance: {
    policy: 'exclusive',
    concurrency: { postgres: 1, pglite: 1 },
    retryLimit: 0,
    expireInSeconds: 900,
    retentionSeconds: 3_600,
    deleteAfterSeconds: 600,
  },
  mail: {
    policy: 'standard',
    // No connection to the database is used while a mail is sent.
    concurrency: { postgres: 2, pglite: 2 },
    // The handler counts the attempts and gives up: a retry after a crash or a restart of the node is none.
    retryLimit: 1_000,
    retryDelay: limits.mail_retry_seconds,
    retryBackoff: false,
    expireInSeconds: 300,
    retentionSeconds: limits.mail_ttl_days * 86_400,
    deleteAfterSeconds: 600,
  },
  'purge-project': untilDone,
  'erase-late-events': untilDone,
}
