import { sql } from 'kysely'
import type { Db } from '../database.ts'

/**
 * What waits for a webhook is given up, or begins its schedule anew, in batches after the webhook was switched on. A trigger deletes the
 * send-outs of deleted events: also of those that a node of the previous release deletes (docs/decisions/0047-webhook-delivery.md).
 */
export async function up(db: Db): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const statements = [
  `alter table webhooks
    -- How often its owner has switched it on again.
    add column activation integer not null default 0,
    -- Delivery had switched it off: what waits since before this activation is given up. Null when nothing is left of it.
    add column give_up_before integer,
    -- When its owner switched it on: what waits since before is due at that moment. Null when all of it is.
    add column restarted_at timestamptz(3)`,

  // The activation in which its schedule began. A constant default: the table is not rewritten.
  `alter table webhook_sendouts add column activation integer not null default 0`,

  // Needed by the trigger below; functions/delete_sendouts.sql replaces it.
  `create function delete_sendouts() returns trigger language plpgsql as $$ begin return null; end $$`,
  `create trigger delete_sendouts after delete on event_rows referencing old table as deleted
    for each statement execute function delete_sendouts()`,
]
