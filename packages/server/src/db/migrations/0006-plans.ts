import { sql } from 'kysely'
import type { Db } from '../connect.ts'
import { checkout_counted, checkout_facts } from '../functions/checkout-facts.ts'
import { checkout_save } from '../functions/checkout-save.ts'
import { loyalty_facts } from '../functions/loyalty-facts.ts'

/**
 * The functions of the checkout keep their plans, and no longer add up what was used. Points to go are those of `loyalty`:
 * a column of their own was never written.
 */
export async function up(db: Db): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const statements = [
  'alter table customers drop column points_to_go',
  'create index loyalty_members_customer on loyalty_members (project_id, customer_id) where due_on is not null',
  'drop function checkout_facts(jsonb), checkout_counted(text, jsonb, text, jsonb), checkout_save(jsonb), loyalty_facts(jsonb)',
  checkout_counted,
  checkout_facts,
  checkout_save,
  loyalty_facts,
]
