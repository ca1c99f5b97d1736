import { sql } from 'kysely'
import type { Db } from '../database.ts'

/** Drops `points_to_go`, which was never written: the value comes from `loyalty`. */
export async function up(db: Db): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const statements = [
  'alter table customers drop column points_to_go',
  'create index loyalty_members_customer on loyalty_members (project_id, customer_id) where due_on is not null',
]
