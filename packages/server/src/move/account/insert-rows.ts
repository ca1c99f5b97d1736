import { sql } from 'kysely'
import type { Ctx } from '../../core/context.ts'
import type { Tables } from '../../core/db/tables.ts'
import { sqlState } from '../../core/db/transaction.ts'

/** Columns of a row as JSON; `project_id` is added. */
export type NewRow = Readonly<Record<string, unknown>>
export type Table = keyof Tables & string

/**
 * Inserts rows of one shape in one statement and returns those that were new. A row that the database refuses (a constraint, a
 * text with a character that it cannot store) is passed to `onRefused`, and the others are inserted.
 */
export async function insertRows<Row extends NewRow>(
  ctx: Pick<Ctx, 'db' | 'project_id'>,
  table: Table,
  rows: readonly Row[],
  onRefused: (row: Row, reason: string) => void,
): Promise<Row[]> {
  if (rows.length === 0) return []
  try {
    await sql`savepoint rows`.execute(ctx.db)
    const inserted = await insertAll(ctx, table, rows)
    await sql`release savepoint rows`.execute(ctx.db)
    return inserted
  } catch (error) {
    if (!isAboutData(error)) throw error
    await sql`rollback to savepoint rows`.execute(ctx.db)
    await sql`release savepoint rows`.execute(ctx.db)
    const [only] = rows
    if (rows.length === 1 && only !== undefined) {
      onRefused(only, reasonOf(error))
      return []
    }
    // By halves: a batch with one bad row costs a few statements, not one for each row.
    const middle = Math.ceil(rows.length / 2)
    return [
      ...(await insertRows(ctx, table, rows.slice(0, middle), onRefused)),
      ...(await insertRows(ctx, table, rows.slice(middle), onRefused)),
    ]
  }
}

async function insertAll<Row extends NewRow>(
  { db, project_id }: Pick<Ctx, 'db' | 'project_id'>,
  table: Table,
  rows: readonly Row[],
): Promise<Row[]> {
  const names = ['project_id', ...Object.keys(rows[0] ?? {})]
  const columns = sql.join(names.map((name) => sql.ref(name)))
  const json = JSON.stringify(rows.map((row) => ({ ...row, project_id })))
  const key = 'id' in (rows[0] ?? {}) ? sql`id` : sql`null::text`
  const { rows: found } = await sql<{ id: string | null }>`
    insert into ${sql.table(table)} (${columns})
    select ${sql.join(names.map((name) => (name === 'project_id' ? sql`own.id` : sql.ref(`r.${name}`))))}
    from projects own, jsonb_populate_recordset(null::${sql.table(table)}, ${json}::jsonb) r where own.id = ${project_id}
    on conflict do nothing returning ${key} as id`.execute(db)
  if (found.length === rows.length) return [...rows]
  const ids = new Set(found.map(({ id }) => id))
  return rows.filter((row) => ids.has(row.id as string))
}

/** Data exceptions (22), constraints (23), limits of rows and indexes (54). */
const isAboutData = (error: unknown): boolean => ['22', '23', '54'].includes(sqlState(error)?.slice(0, 2) ?? '')

const reasonOf = (error: unknown): string => {
  const [message = ''] = (error as Error).message.split('\n')
  // Sizes and values differ from row to row, and equal reasons are counted.
  return `The database refuses it: ${message.replaceAll(/\d+/g, 'n').slice(0, 120)}`
}

/** Which of these ids the project has. */
export async function present(
  { db, project_id }: Pick<Ctx, 'db' | 'project_id'>,
  table: Table,
  ids: Iterable<string | null>,
): Promise<Set<string>> {
  const wanted = [...new Set([...ids].filter((id) => id !== null))]
  if (wanted.length === 0) return new Set()
  const { rows } = await sql<{ id: string }>`
    select id from ${sql.table(table)} where project_id = ${project_id} and id = any(${wanted}::text[])`.execute(db)
  return new Set(rows.map(({ id }) => id))
}
