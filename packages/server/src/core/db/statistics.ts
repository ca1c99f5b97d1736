import { sql } from 'kysely'
import type { Db } from './database.ts'

/**
 * Runs `analyze` on a table that has more than doubled since its last statistics. Autovacuum does so within a minute, but until
 * then the planner believes that a table of a million new rows is empty, and reads all of them to return ten. A job that
 * writes thousands of rows calls this after each step; it analyzes once per doubling.
 */
export async function analyzeIfGrown(db: Db, projectId: string, table: 'vouchers' | 'customers'): Promise<void> {
  const { rows } = await sql`
    select 1 from pg_class
    where oid = ${table}::regclass and 2 * greatest(reltuples, 0) + ${rowsUnknownMax} <
      (select coalesce(sum(delta), 0) from tallies where project_id = ${projectId} and name = ${table})`.execute(db)
  if (rows.length > 0) await sql`analyze ${sql.table(table)}`.execute(db)
}

/** Up to this many rows any plan is fast enough. */
const rowsUnknownMax = 2_000
