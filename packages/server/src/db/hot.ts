import { CompiledQuery, type QueryResult } from 'kysely'
import type pg from 'pg'
import type { Db } from './connect.ts'

/** Statements by their text: what a connection has prepared it knows by a name. */
const names = new Map<string, string>()

/** Outside of transactions they go straight to the connections, without a query builder on the way. */
const pools = new WeakMap<Db, pg.Pool>()

/**
 * A statement that checkouts run again and again. Each connection reads and plans it once, which takes longer than to run it;
 * for all others that is not worth the memory. Its columns must not depend on those of a table: what is prepared does not
 * survive a new one.
 *
 * `const ask = hotStatement<{ n: number }>('select count_of($1) as n')`, then `await ask(db, ['customers'])`
 */
export function hotStatement<Row>(text: string): (db: Db, values: readonly unknown[]) => Promise<Row[]> {
  const name = `guerdon_${names.size + 1}`
  names.set(text, name)
  return async (db, values) => {
    const pool = pools.get(db)
    if (pool !== undefined) return runOn(pool, { name, text, values: [...values] })
    const { rows }: QueryResult<unknown> = await db.executeQuery(CompiledQuery.raw(text, [...values]))
    return rows as Row[]
  }
}

/** A statement that is refused leaves its connection as good as it was; one that has broken the pool does not take back. */
async function runOn<Row>(pool: pg.Pool, statement: pg.QueryConfig): Promise<Row[]> {
  const client = await pool.connect()
  try {
    return (await client.query<Row & pg.QueryResultRow>(statement)).rows
  } finally {
    client.release()
  }
}

/** Has the connections of a database prepare what is hot. */
export function prepareHot(db: Db, pool: pg.Pool): void {
  pools.set(db, pool)
  pool.on('connect', nameHot)
}

/** Also what comes from a query builder, in a transaction. */
function nameHot(client: pg.ClientBase): void {
  const query = (...sent: unknown[]) => Object.getPrototypeOf(client).query.apply(client, sent)
  const named = (text: unknown, values: unknown, ...more: unknown[]) => {
    const name = names.get(text as string)
    return name === undefined ? query(text, values, ...more) : query({ name, text, values }, ...more)
  }
  client.query = named as typeof client.query
}
