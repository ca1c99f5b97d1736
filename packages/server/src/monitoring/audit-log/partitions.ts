import type { Runtime } from '../../core/context.ts'
import type { Db } from '../../core/db/database.ts'
import { dropPartition, listPartitions, makePartitions, type PartitionedTables } from '../../core/db/partitions.ts'
import { dayMs, days } from '../../core/db/periods.ts'
import type { MaintenanceTask } from '../../core/jobs/maintenance.ts'
import { firstIdAt } from '../../core/lib/ids.ts'

/**
 * The audit log, by days. There is no default partition, which each new one would have to search for its rows: an entry of a day without
 * a partition, after a jump of the clock, makes it.
 */
export const auditTables: PartitionedTables = {
  names: ['audit_log', 'audit_bodies'],
  period: days,
  key: 'id',
  boundAt: (at) => firstIdAt('audit_entry', at),
  has_default: false,
}

/** Makes the partitions of the days of these moments that do not exist. */
export const makeAuditPartitions = (db: Db, moments: readonly number[]): Promise<void> =>
  makePartitions(db, auditTables, moments)

/** Days ahead for which there are partitions, so that no entry has to wait for one at midnight. */
const daysAhead = 2

/** Makes the partitions of the next days and drops those in which every entry is older than the retention. */
export async function maintainPartitions({
  database: { db },
  settings,
  now,
}: Pick<Runtime, 'database' | 'settings' | 'now'>): Promise<void> {
  const today = days.startOf(now())
  await makeAuditPartitions(
    db,
    Array.from({ length: daysAhead + 1 }, (_, ahead) => today + ahead * dayMs),
  )
  const oldestKept = today - settings.audit_retention_days * dayMs
  for (const partition of await listPartitions(db, auditTables))
    if (partition.from < oldestKept) await dropPartition(db, partition)
}

export const partitionMaintenance = (runtime: Runtime): MaintenanceTask => ({
  rows_max: 1,
  async processBatch(_, now) {
    await maintainPartitions({ ...runtime, now: () => Date.parse(now) })
    return 0
  },
})
