import { sql } from 'kysely'
import type { Db } from '../database.ts'

/** Pages publish from named campaigns only; and what they have redeemed is paid only once the shop says so. */
export async function up(db: Db): Promise<void> {
  await sql`alter table projects add column client_publish_campaigns jsonb not null default '[]'`.execute(db)
  // These have had their effects when the page redeemed.
  await sql`update orders set client_order = 'CONFIRMED' where client_order = 'UNCONFIRMED' and status <> 'CREATED'`.execute(
    db,
  )
}
