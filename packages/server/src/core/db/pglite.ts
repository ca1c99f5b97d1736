import {
  AbortedTransactionError,
  type CompiledQuery,
  type DatabaseConnection,
  type Driver,
  type QueryResult,
} from 'kysely'
import { beginning } from './dialect.ts'
import type { Embedded, Instance } from './embedded.ts'

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

export function pgliteDriver(embedded: Embedded, turns: Turns): Driver {
  return {
    init: async () => {},
    acquireConnection: async () => {
      await turns.take()
      try {
        return new PgliteConnection(embedded, await embedded.open())
      } catch (error) {
        turns.give()
        throw error
      }
    },
    releaseConnection: async () => turns.give(),
    beginTransaction: async (connection, settings) =>
      void (await (connection as PgliteConnection).command(beginning(settings))),
    commitTransaction: async (connection) => {
      // PostgreSQL rolls back instead if an earlier statement of the transaction failed.
      if ((await (connection as PgliteConnection).command('commit')) === 'ROLLBACK') throw new AbortedTransactionError()
    },
    rollbackTransaction: async (connection) => {
      // Not thrown: it would replace the error that caused the rollback. A broken instance is replaced (embedded.ts).
      await (connection as PgliteConnection).command('rollback').catch(() => {})
    },
    destroy: async () => {
      await turns.take()
      await embedded.close()
    },
  }
}

/** One turn on the embedded database: a transaction or a single statement. */
class PgliteConnection implements DatabaseConnection {
  readonly #embedded: Embedded
  readonly #instance: Instance

  constructor(embedded: Embedded, instance: Instance) {
    this.#embedded = embedded
    this.#instance = instance
  }

  executeQuery<R>({ sql, parameters }: CompiledQuery): Promise<QueryResult<R>> {
    return this.#embedded.run(this.#instance, () => this.#instance.statements.run<R>(sql, parameters))
  }

  // PGlite returns all rows at once; callers page by key where that would be too much.
  async *streamQuery<R>(query: CompiledQuery): AsyncIterableIterator<QueryResult<R>> {
    yield await this.executeQuery<R>(query)
  }

  command(text: string): Promise<string | undefined> {
    return this.#embedded.run(this.#instance, () => this.#instance.statements.command(text))
  }
}
