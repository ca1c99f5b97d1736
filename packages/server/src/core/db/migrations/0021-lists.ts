import { sql } from 'kysely'
import type { Db } from '../database.ts'

/**
 * Lists of vouchers leave out those of campaigns in the bin (docs/decisions/0055-plans-of-lists.md): these few are read on every call,
 * without the other campaigns. The table is small, so that the index is built at once.
 */
export async function up(db: Db): Promise<void> {
  await sql`create index campaigns_binned on campaigns (project_id, id) where deleted_at is not null`.execute(db)
}
