import { sql } from 'kysely'
import type { Db } from './database.ts'

/**
 * The id of the open transaction on the server that has the project; null if there is no such project. In a statement of its own, because a
 * distributed database evaluates what a statement writes on the coordinator, whose transactions have other ids.
 */
export async function transactionOn(db: Db, projectId: string): Promise<string | null> {
  const { rows } = await sql<{ id: string }>`
    select pg_current_xact_id()::text as id from projects where id = ${projectId}`.execute(db)
  return rows[0]?.id ?? null
}
