import { sql } from 'kysely'
import type { Db } from '../../core/db/database.ts'
import { detachPartition, type Partition, type PartitionedTables } from '../../core/db/partitions.ts'
import type { AuditLogRow } from '../../core/db/tables.ts'
import type { Trx } from '../../core/db/transaction.ts'
import { detachEvents, eventTables } from '../../core/events/partitions.ts'
import { timeDigitsAt } from '../../core/lib/ids.ts'
import { auditTables } from '../../monitoring/audit-log/partitions.ts'
import { withBodies } from '../../monitoring/audit-log/store.ts'

/** What is archived, a file for each of its partitions. */
export interface ArchiveKind {
  tables: PartitionedTables
  /** The table whose rows are the lines, and the one with what belongs to them. */
  main: string
  companion: string
  /** The rows of a partition as JSON texts, those of one project if it is given. */
  readRows(trx: Trx, partition: Partition, projectId: string | null): AsyncGenerator<string[]>
  /** Inserts such rows into a partition of the main table; those that are there already are left alone. Returns how many were inserted. */
  insertRows(db: Db, partition: string, rows: readonly string[]): Promise<number>
  /** Takes a partition out of sight. */
  detach(db: Db, partition: Partition): Promise<void>
}

export type ArchiveKindName = 'events' | 'audit-log'

/** Rows of a cursor are read so many at a time. */
const rowsAtOnce = 500

/** What belongs to the first and last rows of a partition may be in its neighbours. */
const marginMs = 3_600_000

export const archiveKinds: Readonly<Record<ArchiveKindName, ArchiveKind>> = {
  events: {
    tables: eventTables,
    main: 'event_rows',
    companion: 'event_parts',
    async *readRows(trx, { name, from, to }, projectId) {
      const bounds = [
        ...(Number.isFinite(from) ? [sql`right(p.id, 18) >= ${sql.lit(timeDigitsAt(from - marginMs))}`] : []),
        ...(Number.isFinite(to) ? [sql`right(p.id, 18) < ${sql.lit(timeDigitsAt(to + marginMs))}`] : []),
      ]
      // What events share was written beside them: to look it up one by one reads what is in memory already.
      await sql`set local enable_hashjoin = off`.execute(trx)
      await sql`set local enable_mergejoin = off`.execute(trx)
      const rows = readCursor<{ row: string }>(
        trx,
        sql`select row_to_json(r)::text as row from (
          select e.project_id, e.id, e.type, e.category, e.entity_id, e.created_at, e.group_id, e.event_source, e.campaign_id,
            e.voucher_id, e.position, event_text(e.data, p.parts)::json as data
          from ${sql.table(name)} e left join event_parts p
            on ${sql.join([sql`p.project_id = e.project_id`, sql`p.id = e.parts_id`, ...bounds], sql` and `)}
          ${whereProject(projectId)}) r`,
      )
      for await (const batch of rows) yield batch.map(({ row }) => row)
    },
    async insertRows(db, partition, rows) {
      const { numAffectedRows = 0n } = await sql`
        insert into ${sql.table(partition)} (project_id, id, type, category, entity_id, created_at, group_id, event_source, campaign_id,
          voucher_id, position, data)
        select r.project_id, r.id, r.type, r.category, r.entity_id, r.created_at, r.group_id, r.event_source, r.campaign_id,
          r.voucher_id, r.position, r.data
        from json_populate_recordset(null::event_rows, ${`[${rows.join(',')}]`}::json) r
        where exists (select from projects p where p.id = r.project_id and p.deleted_at is null)
        on conflict do nothing`.execute(db)
      return Number(numAffectedRows)
    },
    detach: detachEvents,
  },
  'audit-log': {
    tables: auditTables,
    main: 'audit_log',
    companion: 'audit_bodies',
    async *readRows(trx, { name }, projectId) {
      const rows = readCursor<AuditLogRow>(trx, sql`select e.* from ${sql.table(name)} e ${whereProject(projectId)}`)
      for await (const batch of rows) {
        const byProject = Map.groupBy(batch, ({ project_id }) => project_id)
        for (const [project, entries] of byProject)
          yield (await withBodies(trx, project, entries)).map(
            ({ bodies_id: _, bodies_from: _f, request_bytes: _q, response_bytes: _r, ...entry }) =>
              JSON.stringify(entry),
          )
      }
    },
    async insertRows(db, partition, rows) {
      const { numAffectedRows = 0n } = await sql`
        insert into ${sql.table(partition)}
        select r.* from json_populate_recordset(null::audit_log, ${`[${rows.join(',')}]`}::json) r
        where exists (select from projects p where p.id = r.project_id and p.deleted_at is null)
        on conflict do nothing`.execute(db)
      return Number(numAffectedRows)
    },
    detach: detachPartition,
  },
}

const whereProject = (projectId: string | null) =>
  projectId === null ? sql`` : sql`where e.project_id = ${sql.lit(projectId)}`

async function* readCursor<Row>(trx: Trx, query: ReturnType<typeof sql>): AsyncGenerator<Row[]> {
  await sql`declare archived_rows no scroll cursor for ${query}`.execute(trx)
  for (;;) {
    const { rows } = await sql<Row>`fetch ${sql.lit(rowsAtOnce)} from archived_rows`.execute(trx)
    if (rows.length > 0) yield rows
    if (rows.length < rowsAtOnce) break
  }
  await sql`close archived_rows`.execute(trx)
}
