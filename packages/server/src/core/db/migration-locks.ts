import { setTimeout as wait } from 'node:timers/promises'
import { sql } from 'kysely'
import { limits } from '../lib/limits.ts'
import type { Db } from './database.ts'
import { inTransaction, sqlState, type Trx } from './transaction.ts'

/** How a migration waits for locks; the defaults are limits, a test shortens them. */
export interface LockWaits {
  /** How long one statement waits for a table. */
  lock_seconds?: number
  /** Pause before the next attempt, in which requests are served. */
  pause_seconds?: number
  /** How long it tries in all. */
  wait_seconds?: number
  /** Called when the migration starts to wait, and every half a minute of waiting. */
  onWait?: ((problem: string) => void) | undefined
}

/** Advisory lock, the same number on every node: the node that holds it migrates, the others wait and find nothing to do. */
const migrationLock = 7_309_453_615

/**
 * Runs `work` on one connection that holds the lock of migrations. It is a lock of the session: the node keeps it between two
 * attempts, otherwise the attempts of many waiting nodes would follow each other without a pause. Others ask for it again and again
 * instead of waiting in a statement, whose snapshot would hold up an index that is created concurrently.
 */
export function whileMigrating<T>(db: Db, work: (connection: Db) => Promise<T>): Promise<T> {
  return db.connection().execute(async (connection) => {
    while (!(await isLockTaken(connection))) await wait(pollMs)
    try {
      return await work(connection)
    } finally {
      // Fails only if the connection is lost, and the lock with it.
      await sql`select pg_advisory_unlock(${sql.lit(migrationLock)})`.execute(connection).catch(() => {})
    }
  })
}

async function isLockTaken(connection: Db): Promise<boolean> {
  const { rows } = await sql<{ is_taken: boolean }>`
    select pg_try_advisory_lock(${sql.lit(migrationLock)}) as is_taken`.execute(connection)
  return rows[0]?.is_taken === true
}

/**
 * Runs `work` in one transaction that waits only shortly for locks. Whoever waits for an exclusive lock on a table blocks all later
 * readers of it, and a migration has by then locked other tables: behind a long report or a dump of the database, no request would be
 * served. So the transaction is rolled back, requests are served for some seconds, and the whole work is tried again.
 */
export async function withShortLockWaits<T>(
  connection: Db,
  work: (trx: Trx) => Promise<T>,
  {
    lock_seconds = limits.migration_lock_seconds,
    pause_seconds = limits.migration_pause_seconds,
    wait_seconds = limits.migration_wait_seconds,
    onWait = () => {},
  }: LockWaits,
): Promise<T> {
  const deadline = performance.now() + wait_seconds * 1_000
  let nextReport = 0
  for (;;)
    try {
      return await inTransaction(connection, async (trx) => {
        await sql`set local lock_timeout = ${sql.lit(lock_seconds * 1_000)}`.execute(trx)
        return work(trx)
      })
    } catch (error) {
      if (!['55P03', '40P01'].includes(sqlState(error) ?? '')) throw error
      const now = performance.now()
      const isLast = now + pause_seconds * 1_000 >= deadline
      if (isLast || now >= nextReport) {
        const holders = describe(await holdersOf(connection, lock_seconds))
        if (isLast) throw new MigrationBlockedError(wait_seconds, holders, error)
        const left = Math.ceil((deadline - now) / 1_000)
        onWait(`the migration waits for tables that others use: ${holders}; trying again for ${left} s`)
        nextReport = now + reportMs
      }
      await wait(pause_seconds * 1_000)
    }
}

/** Somebody used a table for longer than a migration waits. */
class MigrationBlockedError extends Error {
  constructor(waitSeconds: number, holders: string, cause: unknown) {
    super(
      `The database was not migrated, and nothing has changed: for ${waitSeconds} s others used its tables: ${holders}. ` +
        'Wait until they end, or end them with pg_terminate_backend(pid), and start again.',
      { cause },
    )
  }
}

/** A transaction that has locked tables. */
interface Holder {
  /** Null: a prepared transaction, which has no process. */
  pid: number | null
  application_name: string | null
  usename: string | null
  /** Null if this user may not see it. */
  since: string | null
  tables: string[]
}

/**
 * The transactions that have used tables for as long as the migration waited, oldest first. Their statements are left out: those of
 * other programs may contain customer data, which is not logged.
 */
async function holdersOf(connection: Db, lockSeconds: number): Promise<Holder[]> {
  const { rows } = await sql<Holder>`
    select l.pid, a.application_name, a.usename::text, to_char(a.xact_start, 'YYYY-MM-DD"T"HH24:MI:SSOF') as since,
      array_agg(distinct c.relname::text) as tables
    from pg_locks l
    join pg_class c on c.oid = l.relation and c.relkind in ('r', 'p') and c.relnamespace = current_schema()::regnamespace
    left join pg_stat_activity a on a.pid = l.pid
    where l.database = (select oid from pg_database where datname = current_database())
      and l.granted and l.pid is distinct from pg_backend_pid()
      and (a.xact_start is null or a.xact_start < now() - make_interval(secs => ${sql.lit(lockSeconds)}))
    group by l.pid, l.virtualtransaction, a.application_name, a.usename, a.xact_start
    order by a.xact_start nulls first
    limit ${sql.lit(holdersMax)}`.execute(connection)
  return rows
}

function describe(holders: readonly Holder[]): string {
  if (holders.length === 0) return 'transactions that have ended meanwhile'
  return holders
    .map(({ pid, application_name, usename, since, tables }) => {
      const who = pid === null ? 'a prepared transaction (pg_prepared_xacts)' : `pid ${pid}`
      const details = [application_name, usename && `user ${usename}`, since && `since ${since}`].filter(Boolean)
      const what = tables.length > namedTablesMax ? `${tables.length} tables` : tables.join(', ')
      return `${who}${details.length === 0 ? '' : ` (${details.join(', ')})`} on ${what}`
    })
    .join('; ')
}

const pollMs = 100
const reportMs = 30_000
const holdersMax = 5
const namedTablesMax = 5
