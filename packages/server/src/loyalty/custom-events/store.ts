import { type Insertable, sql } from 'kysely'
import type { Ctx } from '../../core/context.ts'
import type { CustomEventRow } from '../../core/db/tables.ts'

/** Stores an event and updates its tally: filters ask how often a customer did something, and when first and last. */
export async function insertCustomEvent(
  { db, project_id }: Ctx,
  event: Omit<Insertable<CustomEventRow>, 'project_id'>,
): Promise<void> {
  await db
    .insertInto('custom_events')
    .values({ project_id, ...event })
    .execute()
  const { customer_id, type, created_at } = event
  await sql`
    insert into custom_event_tallies as t (project_id, customer_id, type, count, first_at, last_at)
    values (${project_id}, ${customer_id}, ${type}, 1, ${created_at}, ${created_at})
    on conflict (project_id, customer_id, type) do update set
      count = t.count + 1,
      first_at = least(t.first_at, excluded.first_at),
      last_at = greatest(t.last_at, excluded.last_at)`.execute(db)
}
