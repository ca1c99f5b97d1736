import { sql } from 'kysely'
import type { Db } from '../database.ts'

/** What a request with unknown fields gets. Projects that exist already keep ignoring them, so that an upgrade does not stop their clients. */
export async function up(db: Db): Promise<void> {
  await sql`
    alter table projects
      add column unknown_fields text not null default 'IGNORE' check (unknown_fields in ('REFUSE', 'IGNORE'))`.execute(
    db,
  )
}
