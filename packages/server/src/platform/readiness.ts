import type { Database } from '../core/db/database.ts'
import { unavailable } from '../core/http/failures.ts'
import { limits } from '../core/lib/limits.ts'
import { within } from '../core/lib/within.ts'

/** Resolves while the database answers in time, otherwise rejects with 503. */
export function newReadiness(database: Database): () => Promise<void> {
  let question: Promise<unknown> | null = null

  /** Everybody who asks meanwhile waits for the same answer: probes must not pile up before a database that is slow. */
  function ask(): Promise<unknown> {
    if (question !== null) return question
    const asked = database.execute('select 1')
    const forget = () => {
      if (question === asked) question = null
    }
    asked.then(forget, forget)
    question = asked
    return asked
  }

  return async () => {
    try {
      await within(limits.readiness_timeout_ms, ask())
    } catch (cause) {
      question = null // it may have gone down a dead connection: the next probe asks anew
      throw Object.assign(unavailable(), { cause })
    }
  }
}
