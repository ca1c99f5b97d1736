import { sql } from 'kysely'
import type { Db } from './database.ts'

const known = new WeakMap<Db, Promise<boolean>>()

/**
 * Whether the tables of this database are distributed over several servers by project (docs/operate/citus.md). Asked once for each pool: nodes
 * are stopped while a database is distributed. Within a transaction it is always asked.
 */
export function isDistributed(db: Db): Promise<boolean> {
  if (db.isTransaction) return ask(db)
  const asked = known.get(db)
  if (asked !== undefined) return asked
  const asking = ask(db).catch((error: unknown) => {
    known.delete(db)
    throw error
  })
  known.set(db, asking)
  return asking
}

async function ask(db: Db): Promise<boolean> {
  const { rows } = await sql<{ has_catalogue: boolean }>`
    select to_regclass('pg_catalog.pg_dist_partition') is not null as has_catalogue`.execute(db)
  if (rows[0]?.has_catalogue !== true) return false
  const { rows: found } = await sql<{ is_distributed: boolean }>`
    select exists (select from pg_dist_partition where logicalrelid = to_regclass('projects')) as is_distributed`.execute(
    db,
  )
  return found[0]?.is_distributed === true
}
