import { sql } from 'kysely'
import type { Database, Db } from '../core/db/database.ts'
import { until } from './background.ts'
import { isDistributedRun } from './distributed.ts'

/** The pid of the PostgreSQL backend that a transaction runs on. */
export async function backendOf(trx: Db): Promise<number> {
  const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(trx)
  return rows[0]?.pid as number
}

/**
 * Waits until `count` backends wait, directly or indirectly, for locks of the backend `holder`. It needs a connection outside
 * of a transaction: within one, PostgreSQL shows an unchanged snapshot of the activity.
 */
export async function untilOthersWait(
  { execute }: Pick<Database, 'execute'>,
  holder: number,
  count = 1,
): Promise<void> {
  const isPlain =
    !isDistributedRun() || (await execute(`select where to_regclass('citus_lock_waits') is null`)).rows.length > 0
  const statement = isPlain ? waitingFor : waitingForOnAnyServer
  await until(async () => ((await execute(statement, [holder])).rows.length >= count ? true : undefined))
}

/** Waits until another request waits for this transaction: for one of its locks or, embedded, for the only connection. */
export async function untilRequestWaits(database: Database, trx: Db): Promise<void> {
  if (database.kind === 'postgres') return untilOthersWait(database, await backendOf(trx))
  await until(() => (database.load().waiting > 0 ? true : undefined))
}

const waitingFor = `
  with recursive waiting as (
    select pid from pg_stat_activity where $1::int = any(pg_blocking_pids(pid))
    union
    select behind.pid from pg_stat_activity behind join waiting on waiting.pid = any(pg_blocking_pids(behind.pid))
  )
  select pid from waiting`

/** A backend of the coordinator waits for another one where a worker works for both. */
const waitingForOnAnyServer = `
  with recursive waits as materialized (
    select waiting_gpid % 10000000000 as pid, blocking_gpid % 10000000000 as holder from citus_lock_waits
    union
    select pid, unnest(pg_blocking_pids(pid)) from pg_stat_activity
  ), waiting as (
    select pid from waits where holder = $1::int
    union
    select waits.pid from waits join waiting on waits.holder = waiting.pid
  )
  select pid from waiting`
