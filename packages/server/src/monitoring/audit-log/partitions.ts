import { setTimeout as wait } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Runtime } from '../../core/context.ts'
import type { Db } from '../../core/db/database.ts'
import { inTransaction, sqlState } from '../../core/db/transaction.ts'
import type { MaintenanceTask } from '../../core/jobs/maintenance.ts'
import { firstIdAt } from '../../core/lib/ids.ts'
import { limits } from '../../core/lib/limits.ts'
import { dayMs, daysOf } from './days.ts'

/** Advisory lock, the same number on every node: one node at a time makes partitions. */
const partitionLock = 7_309_453_616

/** The tables that have a partition per day. */
const partitionedTables = ['audit_log', 'audit_bodies'] as const

/**
 * Makes the partitions of these days that do not exist. A new table is attached, instead of made as a partition: that locks out
 * neither readers nor writers of the log. There is no default partition, which each new one would have to search for its rows; an
 * entry of a day without a partition, after a jump of the clock, makes it.
 */
export async function makePartitions(db: Db, days: readonly number[]): Promise<void> {
  const wanted = days.flatMap((day) => partitionedTables.map((table) => ({ table, day, name: nameOf(table, day) })))
  const existing = new Set((await listPartitions(db)).filter(({ is_attached }) => is_attached).map(({ name }) => name))
  if (wanted.every(({ name }) => existing.has(name))) return
  await inTransaction(db, async (trx) => {
    await sql`select pg_advisory_xact_lock(${sql.lit(partitionLock)})`.execute(trx)
    const known = new Map((await listPartitions(trx)).map((partition) => [partition.name, partition]))
    for (const { table, day, name } of wanted) {
      const found = known.get(name)
      if (found?.is_attached === true) continue
      if (found === undefined)
        await sql`create table ${sql.table(name)} (like ${sql.table(table)} including all)`.execute(trx)
      await sql`alter table ${sql.table(table)} attach partition ${sql.table(name)}
        for values from (${sql.lit(firstIdAt('audit_entry', day))}) to (${sql.lit(firstIdAt('audit_entry', day + dayMs))})`.execute(
        trx,
      )
    }
  })
}

interface Partition {
  name: string
  table: (typeof partitionedTables)[number]
  /** `20260131` */
  day: string
  is_attached: boolean
}

async function listPartitions(db: Db): Promise<Partition[]> {
  const { rows } = await sql<Partition>`
    select relname::text as name, left(relname, -9) as table, right(relname, 8) as day, relispartition as is_attached
    from pg_class
    where relnamespace = current_schema()::regnamespace and relkind = 'r' and relname ~ '^audit_(log|bodies)_[0-9]{8}$'
    order by relname`.execute(db)
  return rows
}

/** `audit_log_20260131` */
const nameOf = (table: Partition['table'], day: number): string => `${table}_${digitsOf(day)}`

const digitsOf = (day: number): string => new Date(day).toISOString().slice(0, 10).replaceAll('-', '')

/** Days ahead for which there are partitions, so that no entry has to wait for one at midnight. */
const daysAhead = 2

/** Makes the partitions of the next days and drops those in which every entry is older than the retention. */
export async function maintainPartitions({
  database: { db },
  settings,
  now,
}: Pick<Runtime, 'database' | 'settings' | 'now'>): Promise<void> {
  const [today] = daysOf([now()]) as [number]
  await makePartitions(
    db,
    Array.from({ length: daysAhead + 1 }, (_, ahead) => today + ahead * dayMs),
  )
  const oldestKept = digitsOf(today - settings.audit_retention_days * dayMs)
  for (const partition of await listPartitions(db)) if (partition.day < oldestKept) await dropPartition(db, partition)
}

export const partitionMaintenance = (runtime: Runtime): MaintenanceTask => ({
  rows_max: 1,
  async processBatch(_, now) {
    await maintainPartitions({ ...runtime, now: () => Date.parse(now) })
    return 0
  },
})

const dropTries = 5

/**
 * Detaching locks the whole log for a moment, and while it waits for that lock, everything else waits behind it. So it waits only
 * briefly and tries again. The drop is a transaction of its own, because it takes longer and by then nobody uses the table.
 */
async function dropPartition(db: Db, { name, table, is_attached }: Partition): Promise<void> {
  for (let attempt = 1; is_attached; attempt += 1)
    try {
      await withLockTimeout(db, (trx) =>
        sql`alter table ${sql.table(table)} detach partition ${sql.table(name)}`.execute(trx),
      )
      break
    } catch (error) {
      if (isGone(error)) break // by another node
      if (sqlState(error) !== lockNotAvailable || attempt === dropTries) throw error
      await wait(limits.audit_lock_ms * attempt)
    }
  await sql`drop table if exists ${sql.table(name)}`.execute(db)
}

function withLockTimeout<T>(db: Db, work: (trx: Db) => Promise<T>): Promise<T> {
  return inTransaction(db, async (trx) => {
    await sql`set local lock_timeout = ${sql.lit(limits.audit_lock_ms)}`.execute(trx)
    return work(trx)
  })
}

const lockNotAvailable = '55P03'
/** Undefined table, or a table that is no partition any more. */
const isGone = (error: unknown): boolean => sqlState(error) === '42P01'
