import { sql } from 'kysely'
import type { Db } from '../../core/db/database.ts'
import type { MaintenanceTask } from '../../core/jobs/maintenance.ts'
import type { Instant } from '../../core/lib/instant.ts'
import { limits } from '../../core/lib/limits.ts'

const batchRows = 1_000

/** Deletes sessions that have ended, and wrong attempts that are forgotten. */
export const signInMaintenance: readonly MaintenanceTask[] = [
  { processBatch: deleteEndedSessions, rows_max: batchRows },
  { processBatch: deleteForgottenAttempts, rows_max: batchRows },
]

async function deleteEndedSessions(db: Db, now: Instant): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    with over as materialized (
      select id from user_sessions
      where last_used_at < ${now}::timestamptz - interval '1 hour' * ${sql.lit(limits.session_idle_hours)} or expires_at < ${now}
      limit ${sql.lit(batchRows)} for update skip locked
    )
    delete from user_sessions s using over where s.id = over.id`.execute(db)
  return Number(numAffectedRows)
}

async function deleteForgottenAttempts(db: Db, now: Instant): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    with over as materialized (
      select subject from sign_in_brakes
      where last_at < ${now}::timestamptz - interval '1 hour' * ${sql.lit(limits.sign_in_memory_hours)}
      order by last_at limit ${sql.lit(batchRows)} for update skip locked
    )
    delete from sign_in_brakes b using over where b.subject = over.subject`.execute(db)
  return Number(numAffectedRows)
}
