import { sql } from 'kysely'
import type { Db } from '../../core/db/database.ts'
import { withinProjects } from '../../core/db/within-projects.ts'
import type { MaintenanceTask } from '../../core/jobs/maintenance.ts'
import type { Instant } from '../../core/lib/instant.ts'
import type { Settings } from '../../core/settings.ts'

const batchRows = 1_000

/** Deletes notifications as old as entries of the audit log may become, and marks that no longer prevent a notification. */
export const notificationMaintenance = ({ audit_retention_days }: Settings): MaintenanceTask[] => [
  { processBatch: (db, now) => deleteNotifications(db, now, audit_retention_days), rows_max: batchRows },
  { processBatch: deleteMarks, rows_max: batchRows },
]

async function deleteNotifications(db: Db, now: Instant, days: number): Promise<number> {
  return withinProjects(
    db,
    sql`notifications where created_at < ${now}::timestamptz - interval '1 day' * ${sql.lit(days)}`,
    async (within) => {
      const { numAffectedRows = 0n } = await sql`
      with over as materialized (
        select project_id, id from notifications where created_at < ${now}::timestamptz - interval '1 day' * ${sql.lit(days)}
          and ${within('project_id')}
        order by created_at limit ${sql.lit(batchRows)} for update skip locked
      )
      delete from notifications n using over where n.project_id = over.project_id and n.id = over.id and ${within('n.project_id')}`.execute(
        db,
      )
      return Number(numAffectedRows)
    },
  )
}

async function deleteMarks(db: Db, now: Instant): Promise<number> {
  return withinProjects(db, sql`raised_notifications where expires_at < ${now}`, async (within) => {
    const { numAffectedRows = 0n } = await sql`
      with over as materialized (
        select project_id, kind, subject from raised_notifications where expires_at < ${now} and ${within('project_id')}
        limit ${sql.lit(batchRows)} for update skip locked
      )
      delete from raised_notifications r using over
      where r.project_id = over.project_id and r.kind = over.kind and r.subject = over.subject
        and ${within('r.project_id')}`.execute(db)
    return Number(numAffectedRows)
  })
}
