import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../db/database.ts'

/**
 * Deletes events and returns their types. Their data may be stored in parts shared with other events: those events get a copy of
 * their own data, with the same bytes (a webhook may have sent them already), and the shared parts are deleted, so that nothing of the
 * deleted events remains. A trigger deletes their send-outs (db/functions/delete_sendouts.sql).
 *
 * `await deleteEvents(db, project_id, sql`entity_id = ${customer_id}`)`; `using` names more tables for the condition.
 */
export async function deleteEvents(
  db: Db,
  projectId: string,
  condition: RawBuilder<unknown>,
  using: RawBuilder<unknown> | null = null,
): Promise<string[]> {
  const { rows } = await sql<{ type: string; parts_id: string | null }>`
    delete from event_rows as events ${using === null ? sql`` : sql`using ${using}`}
    where events.project_id = ${projectId} and ${condition}
    returning events.type, events.parts_id`.execute(db)
  const partsIds = [...new Set(rows.flatMap(({ parts_id }) => parts_id ?? []))]
  if (partsIds.length > 0) {
    await sql`
      update event_rows e set data = event_text(e.data, p.parts), parts_id = null
      from event_parts p
      where p.project_id = ${projectId} and p.id = any(${partsIds}::text[])
        and e.project_id = ${projectId} and e.id = any(p.event_ids)`.execute(db)
    await sql`delete from event_parts where project_id = ${projectId} and id = any(${partsIds}::text[])`.execute(db)
  }
  return rows.map(({ type }) => type)
}
