import { sql } from 'kysely'
import type { Ctx } from '../../core/context.ts'

/** Does work that may turn out to be for nothing: unless it answers something, all it wrote and locked is let go. */
export async function rollbackUnlessResult<T>({ db }: Ctx, work: () => Promise<T | undefined>): Promise<T | undefined> {
  await sql`savepoint trial`.execute(db)
  const result = await work()
  if (result === undefined) await sql`rollback to savepoint trial`.execute(db)
  await sql`release savepoint trial`.execute(db)
  return result
}
