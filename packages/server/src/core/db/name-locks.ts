import { sql } from 'kysely'
import type { Db } from './database.ts'

/*
 * Locks on names: of what does not exist yet, or has no row of its own. They last until the end of the transaction. Both statements read the
 * row of the project: a distributed database thereby runs them on the server that has the project, where everybody else asks for the same
 * lock. Advisory locks are not known to other servers.
 */

/** Waits for the locks, and takes them in the order of the names, so that two who take several do not deadlock. */
export async function lockNames(db: Db, projectId: string, names: readonly string[]): Promise<void> {
  if (names.length === 0) return
  await sql`
    select pg_advisory_xact_lock(hashtextextended(each.name, 0))
    from projects cross join unnest(${[...new Set(names)].sort()}::text[]) as each (name)
    where projects.id = ${projectId}`.execute(db)
}

/** Takes the lock if nobody has it. */
export async function tryLockName(db: Db, projectId: string, name: string): Promise<boolean> {
  const { rows } = await sql<{ is_ours: boolean }>`
    select pg_try_advisory_xact_lock(hashtextextended(${name}, 0)) as is_ours from projects where id = ${projectId}`.execute(
    db,
  )
  return rows[0]?.is_ours === true
}
