import type { PGlite } from '@electric-sql/pglite'
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult,
} from 'kysely'
import { PgliteStatements } from './pglite-statements.ts'

/**
 * PGlite is one connection. Whoever uses it has it alone: a request's transaction, a single statement, a job queue's
 * maintenance. Without the turns, a statement sent while somebody's transaction is open would run inside of it.
 */
export interface Turns {
  take(): Promise<void>
  give(): void
  readonly waiting: number
}

export function newTurns(): Turns {
  let taken = false
  const queue: Array<() => void> = []
  return {
    take() {
      if (!taken) {
        taken = true
        return Promise.resolve()
      }
      return new Promise((resolve) => queue.push(resolve))
    },
    give() {
      const next = queue.shift()
      if (next === undefined) taken = false
      else next()
    },
    get waiting() {
      return queue.length
    },
  }
}

export function pgliteDialect(pglite: PGlite, turns: Turns): Dialect {
  return {
    createAdapter: () => new PostgresAdapter(),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
    createDriver: () => pgliteDriver(pglite, turns),
  }
}

function pgliteDriver(pglite: PGlite, turns: Turns): Driver {
  const statements = new PgliteStatements(pglite)
  const connection: DatabaseConnection = {
    executeQuery: <R>({ sql, parameters }: CompiledQuery) => statements.run<R>(sql, parameters),
    // PGlite answers with all rows at once; the caller pages by key where that would be too much.
    async *streamQuery<R>(query: CompiledQuery): AsyncIterableIterator<QueryResult<R>> {
      yield await connection.executeQuery<R>(query)
    },
  }
  return {
    init: async () => {
      await pglite.waitReady
      // Nobody else looks at tables that grow: what is prepared is planned for what is there now, each time.
      await pglite.exec('set plan_cache_mode = force_custom_plan')
    },
    acquireConnection: async () => {
      await turns.take()
      return connection
    },
    releaseConnection: async () => turns.give(),
    beginTransaction: async (_, { isolationLevel }) =>
      statements.command(isolationLevel === undefined ? 'begin' : `begin isolation level ${isolationLevel}`),
    commitTransaction: async () => statements.command('commit'),
    rollbackTransaction: async () => statements.command('rollback'),
    destroy: async () => {
      await turns.take()
      await pglite.close()
    },
  }
}
