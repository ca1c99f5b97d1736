import type { PgBoss, QueueResult } from 'pg-boss'
import type { Database } from '../db/database.ts'
import { type QueueName, type QueueOptions, queues } from './queues.ts'

/**
 * The heartbeats of a dead node stop, and other nodes take over its jobs after `heartbeatSeconds` and at most one more
 * supervision interval. The embedded database has no other node: active jobs at start belong to a dead process
 * (`returnAbandonedJobs` in jobs.ts).
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
export async function declareQueues(boss: PgBoss, kind: Database['kind']): Promise<void> {
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

export const queueNames = Object.keys(queues) as QueueName[]
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
