import { sql } from 'kysely'
import type { Db } from './database.ts'

/**
 * Lets the planner look at a table again that has more than doubled since it last did. It looks by itself within a minute,
 * but until then it takes a table of a million new rows for an empty one, and reads all of them to show ten. Whoever writes
 * thousands of rows calls this after each of its steps; the looks are as few as the doublings.
 */
export async function analyzeIfGrown(db: Db, projectId: string, table: 'vouchers' | 'customers'): Promise<void> {
  const { rows } = await sql`
    select 1 from pg_class
    where oid = ${table}::regclass and 2 * greatest(reltuples, 0) + ${rowsUnknownMax} <
      (select coalesce(sum(delta), 0) from tallies where project_id = ${projectId} and name = ${table})`.execute(db)
  if (rows.length > 0) await sql`analyze ${sql.table(table)}`.execute(db)
}

/** Of so few rows every plan is good enough. */
const rowsUnknownMax = 2_000
