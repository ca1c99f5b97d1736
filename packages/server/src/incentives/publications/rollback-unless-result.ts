import { sql } from 'kysely'
import type { Ctx } from '../../core/context.ts'

/** Runs `work` in a savepoint; if it returns undefined, rolls back all its writes and locks. */
export async function rollbackUnlessResult<T>({ db }: Ctx, work: () => Promise<T | undefined>): Promise<T | undefined> {
  await sql`savepoint trial`.execute(db)
  const result = await work()
  if (result === undefined) await sql`rollback to savepoint trial`.execute(db)
  await sql`release savepoint trial`.execute(db)
  return result
}
