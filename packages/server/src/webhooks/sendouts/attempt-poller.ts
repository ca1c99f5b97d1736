import type { Db } from '../../core/db/database.ts'
import { getSendout } from './log.ts'
import type { Sendout } from './schema.ts'
import { listRequested, type SendoutKey } from './store.ts'

/** Asks the database for all waiting requests of this node together, so that they cost the same however many there are. */
export interface AttemptPoller {
  /**
   * The send-out after its requested attempt, which this node or another one makes; or as it is at the deadline (by
   * `performance.now`).
   */
  attempted(sendout: SendoutKey, deadline: number): Promise<Sendout>
}

interface Waiter extends SendoutKey {
  deadline: number
  resolve(sendout: Promise<Sendout>): void
  reject(error: unknown): void
}

/** Most attempts end soon after they were requested. The pause grows while no further one is requested. */
const pauseMinMs = 100
const pauseMaxMs = 500
const pauseGrowth = 1.5

export function newAttemptPoller(db: Db): AttemptPoller {
  const waiting = new Set<Waiter>()
  let pauseMs = pauseMinMs
  let isPolling = false
  let scheduled: { timer: NodeJS.Timeout; pause_ms: number } | null = null

  function schedule(): void {
    if (isPolling || (scheduled !== null && scheduled.pause_ms <= pauseMs)) return
    clearTimeout(scheduled?.timer)
    scheduled = { timer: setTimeout(poll, pauseMs), pause_ms: pauseMs }
  }

  async function poll(): Promise<void> {
    scheduled = null
    isPolling = true
    pauseMs = Math.min(pauseMs * pauseGrowth, pauseMaxMs)
    // Without those that come while the statement runs: it may not see what they have requested.
    const asked = [...waiting]
    try {
      const requested = new Set((await listRequested(db, asked)).map(nameOf))
      const now = performance.now()
      answer(asked.filter((each) => !requested.has(nameOf(each)) || each.deadline <= now))
    } catch (error) {
      for (const waiter of asked) {
        waiting.delete(waiter)
        waiter.reject(error)
      }
    }
    isPolling = false
    if (waiting.size > 0) schedule()
  }

  /** Those that wait for the same send-out share one read: it may have a megabyte. */
  function answer(ended: readonly Waiter[]): void {
    const reads = new Map<string, Promise<Sendout>>()
    for (const waiter of ended) {
      const name = nameOf(waiter)
      const read = reads.get(name) ?? getSendout({ db, project_id: waiter.project_id }, waiter.id)
      reads.set(name, read)
      waiting.delete(waiter)
      waiter.resolve(read)
    }
  }

  return {
    attempted: ({ project_id, id }, deadline) =>
      new Promise((resolve, reject) => {
        waiting.add({ project_id, id, deadline, resolve, reject })
        pauseMs = pauseMinMs
        schedule()
      }),
  }
}

const nameOf = ({ project_id, id }: SendoutKey): string => `${project_id} ${id}`
