import { CompiledQuery, type QueryResult } from 'kysely'
import type pg from 'pg'
import type { Db } from './database.ts'
import { isOutdated } from './transaction.ts'

/** Statements by their text: what a connection has prepared it knows by a name. */
const names = new Map<string, string>()
let namesGiven = 0

/** Outside of transactions they go straight to the connections, without a query builder on the way. */
const pools = new WeakMap<Db, pg.Pool>()

/**
 * A statement that checkouts run again and again. Each connection reads and plans it once, which takes longer than to run it. Its
 * columns must not depend on those of a table: what is prepared does not survive a new one.
 *
 * `const ask = hotStatement<{ n: number }>('select count_of($1) as n')`, then `await ask(db, ['customers'])`
 */
export function preparedStatement<Row>(text: string): (db: Db, values: readonly unknown[]) => Promise<Row[]> {
  const name = newName()
  names.set(text, name)
  return async (db, values) => {
    const pool = pools.get(db)
    if (pool !== undefined) return runOn(pool, { name, text, values: [...values] })
    const { rows }: QueryResult<unknown> = await db.executeQuery(CompiledQuery.raw(text, [...values]))
    return rows as Row[]
  }
}

const newName = (): string => `guerdon_${++namesGiven}`

/** A statement that is refused leaves its connection as good as it was; one that has broken the pool does not take back. */
async function runOn<Row>(pool: pg.Pool, statement: pg.QueryConfig): Promise<Row[]> {
  const client = await pool.connect()
  try {
    return (await client.query<Row & pg.QueryResultRow>(statement)).rows
  } finally {
    client.release()
  }
}

/**
 * Has the connections of a database prepare what is hot, and what shows to be: whatever comes often enough. Where statements are
 * logged, all of them go through Kysely, which logs them.
 */
export function enablePreparedStatements(db: Db, pool: pg.Pool, { is_logged = false } = {}): void {
  if (!is_logged) pools.set(db, pool)
  const often = new FrequentStatements()
  pool.on('connect', (client) => prepareOften(client, often))
}

function prepareOften(client: pg.ClientBase, often: FrequentStatements): void {
  const query = (...sent: unknown[]) => Object.getPrototypeOf(client).query.apply(client, sent)
  let plannedAt = Date.now()
  const runNamed = async (statement: pg.QueryConfig) => {
    const now = Date.now()
    if (now - plannedAt > plansLastMs) {
      plannedAt = now
      await query('discard plans')
    }
    try {
      return await query(statement)
    } catch (error) {
      often.resetIfSchemaChanged(error)
      throw error
    }
  }
  const named = (text: unknown, values: unknown, ...more: unknown[]) => {
    const hot = names.get(text as string)
    if (hot !== undefined) return query({ name: hot, text, values }, ...more)
    // What comes with a callback is not ours but the job queue's.
    const isOurs = typeof text === 'string' && Array.isArray(values) && values.length > 0 && more.length === 0
    const name = isOurs ? often.statementNameOf(text) : undefined
    return name === undefined
      ? query(text, values, ...more)
      : runNamed({ name, text: text as string, values: values as unknown[] })
  }
  client.query = named as typeof client.query
}

/** A plan that was made for a few rows must not outlive them by much: the database looks at a table that grows only once a minute. */
const plansLastMs = 10_000

/** How often a statement comes within a minute before it is worth a name: as often as PostgreSQL tries before it keeps a plan. */
const usesMin = 5
const minuteMs = 60_000
/** Each of several connections keeps all of them, with their plans. */
const preparedMax = 200
/** What is longer was written for so many rows, and will hardly come again. */
const textLengthMax = 10_000
/** Texts that have come less often. */
const seenMax = 2_000

/** Statements that come often. Filters and lists make up so many that not all of them can be kept: what is rare has no place. */
export class FrequentStatements {
  readonly #names = new Map<string, string>()
  readonly #uses = new Map<string, number>()
  readonly #namesMax: number
  #countedSince = 0

  constructor(namesMax: number = preparedMax) {
    this.#namesMax = namesMax
  }

  /** Undefined: it has none yet. `at` is Unix milliseconds. */
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
    const given = newName()
    this.#names.set(text, given)
    return given
  }

  /** Somebody has changed a table: whatever was prepared for it goes by another name from now on. */
  readonly resetIfSchemaChanged = (error: unknown): void => {
    if (isOutdated(error)) this.#names.clear()
  }
}
