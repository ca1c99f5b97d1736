import type { PGlite } from '@electric-sql/pglite'
import {
  AbortedTransactionError,
  type CompiledQuery,
  type DatabaseConnection,
  type Driver,
  type QueryResult,
} from 'kysely'
import { beginning } from './dialect.ts'
import { PgliteStatements } from './pglite-statements.ts'

/**
 * A mutex for the single connection of PGlite. Each user holds it exclusively: the transaction of a request, a single
 * statement, the maintenance of the job queue. Otherwise a statement sent during an open transaction would run inside it.
 */
export interface Turns {
  take(): Promise<void>
  give(): void
  readonly waiting: number
}

export function newTurns(): Turns {
  let isLocked = false
  const queue: Array<() => void> = []
  return {
    take() {
      if (!isLocked) {
        isLocked = true
        return Promise.resolve()
      }
      return new Promise((resolve) => queue.push(resolve))
    },
    give() {
      const next = queue.shift()
      if (next === undefined) isLocked = false
      else next()
    },
    get waiting() {
      return queue.length
    },
  }
}

export function pgliteDriver(pglite: PGlite, turns: Turns): Driver {
  const statements = new PgliteStatements(pglite)
  const connection: DatabaseConnection = {
    executeQuery: <R>({ sql, parameters }: CompiledQuery) => statements.run<R>(sql, parameters),
    // PGlite returns all rows at once; callers page by key where that would be too much.
    async *streamQuery<R>(query: CompiledQuery): AsyncIterableIterator<QueryResult<R>> {
      yield await connection.executeQuery<R>(query)
    },
  }
  return {
    init: async () => {
      await pglite.waitReady
      // PGlite has no autovacuum to refresh statistics: prepared statements are planned again for the current table size each time.
      await pglite.exec('set plan_cache_mode = force_custom_plan')
    },
    acquireConnection: async () => {
      await turns.take()
      return connection
    },
    releaseConnection: async () => turns.give(),
    beginTransaction: async (_, settings) => void (await statements.command(beginning(settings))),
    commitTransaction: async () => {
      // PostgreSQL rolls back instead if an earlier statement of the transaction failed.
      if ((await statements.command('commit')) === 'ROLLBACK') throw new AbortedTransactionError()
    },
    rollbackTransaction: async () => void (await statements.command('rollback')),
    destroy: async () => {
      await turns.take()
      await pglite.close()
    },
  }
}
