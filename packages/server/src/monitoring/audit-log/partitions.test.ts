import { sql } from 'kysely'
import { pino } from 'pino'
import { expect, test } from 'vitest'
import type { Database } from '../../core/db/database.ts'
import { newAuditEntry } from '../../testing/audit-entry.ts'
import { insertProject, openIdleRuntime } from '../../testing/background.ts'
import { ownDatabase } from '../../testing/nodes.ts'
import { testSettings } from '../../testing/runtime.ts'
import { maintainPartitions, makeAuditPartitions, partitionMaintenance } from './partitions.ts'
import { openAuditLog } from './writer.ts'

const log = pino({ level: 'silent' })

async function partitionsOf({ execute }: Database): Promise<string[]> {
  const { rows } = await execute(`
    select relname::text || case when relispartition then '' else ' (detached)' end as name from pg_class
    where relname ~ '^audit_log_[0-9]+$' order by 1`)
  return rows.map((row) => (row as { name: string }).name)
}

async function open(retentionDays: number) {
  const { database } = await ownDatabase()
  const { id: projectId } = await insertProject(await openIdleRuntime(database))
  const auditLog = openAuditLog(database.db, log)
  let now = 0
  const settings = testSettings({ AUDIT_RETENTION_DAYS: String(retentionDays) })
  return {
    database,
    /** Writes an entry of a moment. */
    async write(at: string) {
      auditLog.record(newAuditEntry(projectId, Date.parse(at)))
      await auditLog.flush()
    },
    maintain: (at: string) => {
      now = Date.parse(at)
      return maintainPartitions({ database, settings, now: () => now })
    },
    moments: async () => {
      const { rows } = await sql<{ at: string }>`select created_at as at from audit_log order by id`.execute(
        database.db,
      )
      return rows.map(({ at }) => at)
    },
  }
}

test('there are partitions for today and the days ahead, and entries older than the retention go with their day', async () => {
  const { database, write, maintain, moments } = await open(3)
  await maintain('2026-03-01T12:00:00Z')
  expect(await partitionsOf(database)).toEqual(['audit_log_20260301', 'audit_log_20260302', 'audit_log_20260303'])
  const written = ['2026-03-01T00:00:00.000Z', '2026-03-01T23:59:59.999Z', '2026-03-02T00:00:00.000Z']
  for (const at of written) await write(at)
  await maintain('2026-03-04T23:59:59Z')
  expect(await moments()).toEqual(written)
  await maintain('2026-03-05T00:00:00Z')
  expect(await moments()).toEqual(written.slice(2))
  expect(await partitionsOf(database)).toEqual([2, 3, 4, 5, 6, 7].map((day) => `audit_log_2026030${day}`))
  await maintain('2026-03-05T00:01:00Z') // finds nothing to do
  expect(await partitionsOf(database)).toHaveLength(6)
  await maintain('2027-01-01T00:00:00Z')
  expect(await moments()).toEqual([])
})

test('the time of the maintenance job decides which days are old, not the clock of the node', async () => {
  const { database, write, moments } = await open(3)
  await write('2026-03-01T10:00:00.000Z')
  const runtime = { ...(await openIdleRuntime(database)), now: () => Date.UTC(2100, 0) }
  const { processBatch } = partitionMaintenance(runtime)
  await processBatch(database.db, '2026-03-02T12:00:00.000Z')
  expect(await moments()).toEqual(['2026-03-01T10:00:00.000Z'])
  await processBatch(database.db, '2027-03-02T12:00:00.000Z')
  expect(await moments()).toEqual([])
})

test('no entry is lost when the clock jumps: a day without a partition gets one', async () => {
  const { database, write, moments } = await open(180)
  const jumps = [
    '2026-03-01T10:00:00.000Z',
    '2031-12-31T23:59:59.999Z',
    '1999-01-01T00:00:00.000Z',
    '2026-03-01T10:00:01.000Z',
  ]
  for (const at of jumps) await write(at)
  expect(await moments()).toEqual([...jumps].sort())
  expect(await partitionsOf(database)).toEqual(['audit_log_19990101', 'audit_log_20260301', 'audit_log_20311231'])
})

test('a partition that a crash left detached is dropped when it is old, and attached again when it is needed', async () => {
  const { database, write, maintain, moments } = await open(3)
  for (const at of ['2026-03-01T10:00:00.000Z', '2026-03-09T10:00:00.000Z']) await write(at)
  for (const day of ['01', '09'])
    await database.execute(`alter table audit_log detach partition audit_log_202603${day}`)
  await write('2026-03-09T11:00:00.000Z')
  expect(await moments()).toEqual(['2026-03-09T10:00:00.000Z', '2026-03-09T11:00:00.000Z'])
  await maintain('2026-03-09T12:00:00Z')
  expect(await partitionsOf(database)).toEqual(['audit_log_20260309', 'audit_log_20260310', 'audit_log_20260311'])
})

test('partitions have the indexes, keys and settings of the log', async () => {
  const { database } = await open(3)
  await makeAuditPartitions(database.db, [Date.parse('2026-03-01')])
  const { rows } = await database.execute(`
    select (select count(*) from pg_index where indrelid = c.oid)::int as indexes,
      (select count(*) from pg_inherits i join pg_index x on x.indexrelid = i.inhrelid where x.indrelid = c.oid)::int as attached,
      (select string_agg(attname::text || attcompression::text, ' ' order by attnum) from pg_attribute
        where attrelid = c.oid and attname like '%body' ) as bodies
    from pg_class c where relname in ('audit_log', 'audit_log_20260301') order by relname`)
  const [parent, partition] = rows as [Record<string, unknown>, Record<string, unknown>]
  expect(partition).toEqual({ ...parent, attached: parent.indexes })
})
