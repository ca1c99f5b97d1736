import {
  AbortedTransactionError,
  CompiledQuery,
  type DatabaseConnection,
  type Driver,
  type QueryResult,
  type TransactionSettings,
} from 'kysely'
import type pg from 'pg'
import type { ConnectionWatch, WatchedConnection } from './connection-watch.ts'
import { beginning } from './dialect.ts'
import { commitId, type LatestCommit } from './latest-commit.ts'
import { namedRunner, type ServerSessions } from './named-statements.ts'
import { transactionSettings } from './pooled-session.ts'
import type { PreparedStatement, StatementResult } from './prepared-query.ts'
import { declaredNameOf, FrequentStatements, plannedForValues } from './prepared-statements.ts'
import { isOutdated, sqlState } from './transaction.ts'

/** Kysely's driver over a pool of `pg`: each connection prepares the declared statements and those that prove to be frequent. */
export class PostgresDriver implements Driver {
  readonly #pool: pg.Pool
  readonly #watch: ConnectionWatch
  readonly #connections = new WeakMap<pg.PoolClient, PostgresConnection>()
  readonly #latestCommit: LatestCommit | null
  readonly #statements: Statements
  /** Sent with `begin`. */
  readonly #settings: string

  constructor(
    pool: pg.Pool,
    watch: ConnectionWatch,
    sessions: ServerSessions,
    latestCommit: LatestCommit | null = null,
  ) {
    this.#pool = pool
    this.#watch = watch
    this.#latestCommit = latestCommit
    this.#statements = {
      runNamed: namedRunner(sessions),
      frequent: sessions.prepares ? new FrequentStatements() : null,
      is_pooled: sessions.is_pooled,
    }
    this.#settings = sessions.is_pooled ? transactionSettings : ''
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<PostgresConnection> {
    const client = await this.#pool.connect()
    const connection = this.#connections.get(client) ?? new PostgresConnection(client, this.#watch, this.#statements)
    this.#connections.set(client, connection)
    return connection
  }

  /** Runs one statement on any connection. */
  async runAlone(query: CompiledQuery): Promise<QueryResult<unknown>> {
    const connection = await this.acquireConnection()
    try {
      return await connection.executeQuery(query)
    } finally {
      await this.releaseConnection(connection)
    }
  }

  async beginTransaction(connection: PostgresConnection, settings: TransactionSettings): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw(`${beginning(settings)}${this.#settings}`))
    connection.isInTransaction = true
  }

  async commitTransaction(connection: PostgresConnection): Promise<void> {
    if (this.#latestCommit !== null) {
      this.#latestCommit.note(await connection.commitWithId())
      return
    }
    const { command } = await connection.executeQuery(CompiledQuery.raw('commit'))
    connection.isInTransaction = false
    // PostgreSQL rolls back instead if an earlier statement of the transaction failed.
    if (command === 'ROLLBACK') throw new AbortedTransactionError()
  }

  async rollbackTransaction(connection: PostgresConnection): Promise<void> {
    // The caller gets the error that made it roll back, not that of a connection that is lost anyway.
    await connection.executeQuery(CompiledQuery.raw('rollback')).catch(() => {
      connection.isBroken = true
    })
    connection.isInTransaction = false
  }

  async releaseConnection({ client, isBroken }: PostgresConnection): Promise<void> {
    client.release(isBroken)
  }

  async destroy(): Promise<void> {
    await this.#pool.end()
  }
}

/** How the connections of a driver run statements. */
interface Statements {
  runNamed: ReturnType<typeof namedRunner>
  /** Null: nothing is prepared. */
  frequent: FrequentStatements | null
  is_pooled: boolean
}

interface PostgresResult<Row> extends QueryResult<Row> {
  /** The first word of the statement that PostgreSQL completed. */
  command: string | undefined
}

class PostgresConnection implements DatabaseConnection {
  readonly client: pg.PoolClient
  /** The pool closes the connection instead of reusing it: its transaction may still be open. */
  isBroken = false
  isInTransaction = false
  readonly #watched: WatchedConnection
  readonly #statements: Statements

  constructor(client: pg.PoolClient, watch: ConnectionWatch, statements: Statements) {
    this.client = client
    this.#watched = watch.of(client)
    this.#statements = statements
  }

  async executeQuery<Row>({ sql, parameters }: CompiledQuery): Promise<PostgresResult<Row>> {
    this.#watched.sent()
    try {
      // The result of several statements in one text is a list; such a text returns no rows.
      const { command, rowCount, rows = [] }: Partial<StatementResult> = await this.#run(sql, parameters as unknown[])
      return isChange(command) ? { command, rows, numAffectedRows: BigInt(rowCount as number) } : { command, rows }
    } finally {
      this.#watched.answered()
    }
  }

  /** Commits and returns the id of the transaction, in one message; null: it has written nothing. */
  async commitWithId(): Promise<string | null> {
    this.#watched.sent()
    try {
      const [asked] = (await this.client.query(`select ${commitId}; commit`)) as unknown as StatementResult[]
      this.isInTransaction = false
      return asked?.rows[0]?.commit_id ?? null
    } catch (error) {
      if (sqlState(error) !== '25P02') throw error
      // An earlier statement of the transaction has failed, so the server refuses this one too.
      await this.client.query('rollback')
      this.isInTransaction = false
      throw new AbortedTransactionError()
    } finally {
      this.#watched.answered()
    }
  }

  // Callers page by key where all rows at once would be too much.
  async *streamQuery<Row>(query: CompiledQuery): AsyncIterableIterator<QueryResult<Row>> {
    yield await this.executeQuery<Row>(query)
  }

  #run(text: string, values: unknown[]): Promise<StatementResult> {
    const { frequent, runNamed } = this.#statements
    if (frequent === null) return this.client.query({ text, values })
    const declaredName = declaredNameOf(text)
    if (declaredName !== undefined) return runNamed(this.#watched, { name: declaredName, text, values })
    const isPrepared = values.length > 0 && !text.endsWith(plannedForValues)
    const name = isPrepared ? frequent.statementNameOf(text) : undefined
    return name === undefined
      ? this.client.query({ text, values })
      : this.#runFrequent(frequent, { name, text, values })
  }

  async #runFrequent(
    frequent: FrequentStatements,
    { name, text, values }: PreparedStatement,
  ): Promise<StatementResult> {
    const { is_pooled, runNamed } = this.#statements
    try {
      return await runNamed(this.#watched, { name, text: is_pooled ? frequent.pooledTextOf(text) : text, values })
    } catch (error) {
      frequent.resetIfSchemaChanged(error, { name, text })
      // A failed statement aborts its transaction, which `inTransaction` runs again; a single statement is repeated here.
      if (this.isInTransaction || !isOutdated(error)) throw error
      return this.client.query({ text, values: values as unknown[] })
    }
  }
}

const isChange = (command: string | undefined): boolean =>
  command === 'INSERT' || command === 'UPDATE' || command === 'DELETE' || command === 'MERGE'
