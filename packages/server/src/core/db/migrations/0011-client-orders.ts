import { sql } from 'kysely'
import type { Db } from '../database.ts'

/**
 * Which orders a page created: the shop may use the same `source_id` later, and then what it sends replaces what the page sent.
 * Orders that exist already count as those of the shop. Without a check constraint, which would scan the table under a lock.
 */
export async function up(db: Db): Promise<void> {
  await sql`alter table orders add column client_order text`.execute(db)
}
