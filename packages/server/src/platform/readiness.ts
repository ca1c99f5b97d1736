import type { Database } from '../core/db/database.ts'
import { unavailable } from '../core/http/failures.ts'
import { limits } from '../core/lib/limits.ts'
import { within } from '../core/lib/within.ts'

/** A check that resolves if the database answers in time, and rejects with 503 otherwise. */
export function newReadiness(database: Database): () => Promise<void> {
  let pendingQuery: Promise<unknown> | null = null

  /** Concurrent probes share one query: they must not pile up in front of a slow database. */
  function queryDatabase(): Promise<unknown> {
    if (pendingQuery !== null) return pendingQuery
    const query = database.execute('select 1')
    const clear = () => {
      if (pendingQuery === query) pendingQuery = null
    }
    query.then(clear, clear)
    pendingQuery = query
    return query
  }

  return async () => {
    try {
      await within(limits.readiness_timeout_ms, queryDatabase())
    } catch (cause) {
      pendingQuery = null // the query may hang on a dead connection: the next probe sends a new one
      throw Object.assign(unavailable(), { cause })
    }
  }
}
