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
import { discardPlans } from './plan-lifetime.ts'
import { type PreparedStatement, runPrepared, type StatementResult } from './prepared-query.ts'
import { declaredNameOf, FrequentStatements, plannedForValues } from './prepared-statements.ts'
import { isOutdated, sqlState } from './transaction.ts'

/** Kysely's driver over a pool of `pg`: each connection prepares the declared statements and those that prove to be frequent. */
export class PostgresDriver implements Driver {
  readonly #pool: pg.Pool
  readonly #watch: ConnectionWatch
  readonly #connections = new WeakMap<pg.PoolClient, PostgresConnection>()
  readonly #latestCommit: LatestCommit | null
  readonly #frequent = new FrequentStatements()

  constructor(pool: pg.Pool, watch: ConnectionWatch, latestCommit: LatestCommit | null = null) {
    this.#pool = pool
    this.#watch = watch
    this.#latestCommit = latestCommit
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<PostgresConnection> {
    const client = await this.#pool.connect()
    const connection = this.#connections.get(client) ?? new PostgresConnection(client, this.#watch, this.#frequent)
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
    await connection.executeQuery(CompiledQuery.raw(beginning(settings)))
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
  readonly #frequent: FrequentStatements

  constructor(client: pg.PoolClient, watch: ConnectionWatch, frequent: FrequentStatements) {
    this.client = client
    this.#watched = watch.of(client)
    this.#frequent = frequent
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
    const declaredName = declaredNameOf(text)
    if (declaredName !== undefined) return this.#runDeclared({ name: declaredName, text, values })
    const isPrepared = values.length > 0 && !text.endsWith(plannedForValues)
    const name = isPrepared ? this.#frequent.statementNameOf(text) : undefined
    return name === undefined ? this.client.query({ text, values }) : this.#runFrequent({ name, text, values })
  }

  async #runDeclared(statement: PreparedStatement): Promise<StatementResult> {
    if (this.#watched.plans.areOld()) await this.client.query({ text: discardPlans })
    return runPrepared(this.client, statement)
  }

  async #runFrequent(statement: PreparedStatement): Promise<StatementResult> {
    if (this.#watched.plans.areOld()) await this.client.query({ text: discardPlans })
    try {
      return await runPrepared(this.client, statement)
    } catch (error) {
      this.#frequent.resetIfSchemaChanged(error)
      // A failed statement aborts its transaction, which `inTransaction` runs again; a single statement is repeated here.
      if (this.isInTransaction || !isOutdated(error)) throw error
      return this.client.query({ text: statement.text, values: statement.values as unknown[] })
    }
  }
}

const isChange = (command: string | undefined): boolean =>
  command === 'INSERT' || command === 'UPDATE' || command === 'DELETE' || command === 'MERGE'
