import { CompiledQuery, type QueryResult } from 'kysely'
import type { Db } from './database.ts'
import type { PreparedStatement, StatementResult } from './prepared-query.ts'
import { isOutdated } from './transaction.ts'

/** SQL text → name of the prepared statement, the same on every connection. */
const names = new Map<string, string>()
let namesCount = 0

/** Outside transactions, statements whose text is known go directly to the pool and skip the query builder. */
const pools = new WeakMap<Db, Pool>()

/** Runs one statement on any connection of a pool. */
export interface Pool {
  runPrepared(statement: PreparedStatement): Promise<Pick<StatementResult, 'rows'>>
  /** Runs any statement, prepared if it is frequent. */
  run(query: CompiledQuery): Promise<Pick<QueryResult<unknown>, 'rows'>>
}

/**
 * A statement that checkouts run constantly. Each connection parses and plans it once, which takes longer than running it. Its
 * result columns must not depend on the columns of a table (`select *`): a new column would invalidate the prepared statement.
 *
 * `const ask = preparedStatement<{ n: number }>('select count_of($1) as n')`, then `await ask(db, ['customers'])`
 */
export function preparedStatement<Row>(text: string): (db: Db, values: readonly unknown[]) => Promise<Row[]> {
  const name = newName()
  names.set(text, name)
  return async (db, values) => {
    const pool = pools.get(db)
    if (pool !== undefined) return (await pool.runPrepared({ name, text, values })).rows as Row[]
    const { rows }: QueryResult<unknown> = await db.executeQuery(CompiledQuery.raw(text, [...values]))
    return rows as Row[]
  }
}

/** Runs a statement that was compiled before. Its columns may be those of a table, and it is planned again when the table grows. */
export async function runCompiled(db: Db, text: string, values: readonly unknown[]): Promise<unknown[]> {
  const query = CompiledQuery.raw(text, values as unknown[])
  const { rows } = await (pools.get(db)?.run(query) ?? db.executeQuery(query))
  return rows
}

/** The name under which connections prepare a declared statement; undefined if the text is not declared. */
export const declaredNameOf = (text: string): string | undefined => names.get(text)

const newName = (): string => `guerdon_${++namesCount}`

/** Sends such statements of a database directly to its pool. Statements that are logged need Kysely, which logs them. */
export function skipKysely(db: Db, pool: Pool): void {
  pools.set(db, pool)
}

/**
 * Ends a statement whose best plan depends on its values, such as the filter of a list: some values match most rows, others a few, and
 * each needs another index. PostgreSQL plans it on every execution, while a prepared one may get a plan for average values.
 */
export const plannedForValues = '/* planned for its values */'

/** Uses within a minute before a statement is prepared: PostgreSQL also makes five custom plans before it keeps a generic one. */
const usesMin = 5
const minuteMs = 60_000
/** Prepared statements at most: every connection keeps all of them with their plans. */
const preparedMax = 200
/** A longer text contains a list for a certain number of rows and hardly repeats. */
const textLengthMax = 10_000
/** Texts counted at a time that are not yet frequent. */
const seenMax = 2_000

/**
 * Gives a prepared-statement name to SQL texts seen at least five times within a minute, 200 at most by default: the many
 * variants of dynamic filters would otherwise fill the cache of every connection.
 */
export class FrequentStatements {
  readonly #names = new Map<string, string>()
  readonly #uses = new Map<string, number>()
  readonly #namesMax: number
  #countedSince = 0
  #schemaChanges = 0

  constructor(namesMax: number = preparedMax) {
    this.#namesMax = namesMax
  }

  /** Counts a use and returns the name, or undefined if the text is not frequent yet. `at` is Unix milliseconds. */
  statementNameOf(text: string, at: number = Date.now()): string | undefined {
    const name = this.#names.get(text)
    if (name !== undefined) return name
    if (this.#names.size >= this.#namesMax || text.length > textLengthMax) return undefined
    if (at - this.#countedSince > minuteMs || this.#uses.size >= seenMax) {
      this.#uses.clear()
      this.#countedSince = at
    }
    const uses = (this.#uses.get(text) ?? 0) + 1
    if (uses < usesMin) {
      this.#uses.set(text, uses)
      return undefined
    }
    this.#uses.delete(text)
    const newStatementName = newName()
    this.#names.set(text, newStatementName)
    return newStatementName
  }

  /**
   * After a table changed, prepared statements fail: drops all names, so that the texts are prepared again under new ones. Once for a
   * change: the same statement may fail on other connections too, under the name that it has no longer.
   */
  resetIfSchemaChanged(error: unknown, { name, text }: { name: string; text: string }): void {
    if (!isOutdated(error) || this.#names.get(text) !== name) return
    this.#names.clear()
    this.#schemaChanges += 1
  }

  /** A pooler gives two names of one text the same prepared statement: after a schema change the text has to be another one too. */
  pooledTextOf(text: string): string {
    return this.#schemaChanges === 0 ? text : `${text}\n/* schema change ${this.#schemaChanges} */`
  }
}
