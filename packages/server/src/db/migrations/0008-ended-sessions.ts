import { sql } from 'kysely'
import type { Db } from '../connect.ts'
import { checkout_facts } from '../functions/checkout-facts.ts'
import { checkout_save } from '../functions/checkout-save.ts'

/** A checkout knows of sessions that are over, and ends those whose things somebody takes. */
export async function up(db: Db): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

// In their place: nodes that are still running call them.
const statements = [checkout_facts, checkout_save].map((statement) =>
  statement.replace('create function', 'create or replace function'),
)
