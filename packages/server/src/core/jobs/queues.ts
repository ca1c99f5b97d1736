import type { Queue } from 'pg-boss'
import type { Database } from '../db/database.ts'
import type { Id } from '../lib/ids.ts'

/** What a job of each queue carries: enough to find its work, never the work itself. */
export interface QueueData {
  'async-actions': { project_id: string; action_id: Id<'async_action'> }
  maintenance: null
  'purge-project': { project_id: string }
}

export type QueueName = keyof QueueData

/** Work that waits in tables of its own: see core/jobs/watch.ts. */
export type WatchName = 'exports' | 'segments' | 'members' | 'usage'

export interface QueueOptions extends Omit<Queue, 'name' | 'heartbeatSeconds'> {
  /** Jobs of the queue that run at the same time in one process. */
  concurrency: Record<Database['kind'], number>
}

/** Every queue, created when the jobs are opened. A policy is for ever; the other options may change between releases. */
export const queues: { readonly [Q in QueueName]: QueueOptions } = {
  'async-actions': {
    policy: 'key_strict_fifo',
    // A step on PGlite makes every request wait: two of them are enough for a long import not to stop all others.
    concurrency: { postgres: 4, pglite: 2 },
    // A failed job would block its lane for ever. So none ever fails: the handler counts the attempts and gives up itself.
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
  'purge-project': {
    policy: 'standard',
    concurrency: { postgres: 1, pglite: 1 },
    retryLimit: 1_000_000,
    retryDelay: 60,
    retryBackoff: true,
    retryDelayMax: 3_600,
    expireInSeconds: 6 * 3_600,
    retentionSeconds: 365 * 86_400,
    deleteAfterSeconds: 600,
  },
}
