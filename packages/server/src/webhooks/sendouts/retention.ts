import { sql } from 'kysely'
import { withinProjects } from '../../core/db/within-projects.ts'
import type { MaintenanceTask } from '../../core/jobs/maintenance.ts'
import { firstIdAt } from '../../core/lib/ids.ts'
import type { Settings } from '../../core/settings.ts'

const batchRows = 1_000

/**
 * Deletes send-outs older than `AUDIT_RETENTION_DAYS`. Their ids begin with their time, so that one look per project into the primary
 * key finds the oldest. What still waits stays two days longer: the schedule of retries lasts one.
 */
export const deleteOldSendouts = ({
  audit_retention_days,
}: Pick<Settings, 'audit_retention_days'>): MaintenanceTask => ({
  rows_max: batchRows,
  async processBatch(db, now) {
    const idAt = (days: number) => firstIdAt('sendout', Date.parse(now) - days * 86_400_000)
    return withinProjects(
      db,
      sql`webhook_sendouts where id < ${idAt(audit_retention_days)}
      and (due_at is null or id < ${idAt(audit_retention_days + 2)})`,
      async (within) => {
        const { numAffectedRows = 0n } = await sql`
      with old as materialized (
        select o.project_id, o.id from projects p cross join lateral (
          select s.project_id, s.id from webhook_sendouts s
          where s.project_id = p.id and ${within('s.project_id')} and s.id < ${idAt(audit_retention_days)}
            and (s.due_at is null or s.id < ${idAt(audit_retention_days + 2)})
          order by s.id limit ${sql.lit(batchRows)}
          for update skip locked
        ) o
        where ${within('p.id')} limit ${sql.lit(batchRows)}
      )
      delete from webhook_sendouts s using old where s.project_id = old.project_id and s.id = old.id
        and ${within('s.project_id')}`.execute(db)
        return Number(numAffectedRows)
      },
    )
  },
})
