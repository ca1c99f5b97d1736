import { setImmediate } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Ctx } from '../context.ts'
import { sqlState } from '../db/transaction.ts'
import { ApiError } from '../http/errors.ts'

/**
 * Runs `work` for each row of a step in its own savepoint: a refused row is rolled back, the others stay. Any error other than
 * a refusal or a value that cannot be stored is a bug and fails the whole step.
 */
export async function rowByRow<Row>(
  { db }: Ctx,
  rows: readonly Row[],
  work: (row: Row, index: number) => Promise<unknown>,
  toFailure: (row: Row, refusal: ApiError, index: number) => object,
): Promise<{ done: number; failed: object[] }> {
  const failed: object[] = []
  for (const [index, row] of rows.entries()) {
    // PGlite answers without yielding to the event loop: hundreds of consecutive rows would block every request.
    if (index % 20 === 19) await setImmediate()
    await sql`savepoint each_row`.execute(db)
    try {
      await work(row, index)
      await sql`release savepoint each_row`.execute(db)
    } catch (error) {
      const refusal = refusalOf(error)
      if (refusal === null) throw error
      await sql`rollback to savepoint each_row`.execute(db)
      await sql`release savepoint each_row`.execute(db)
      failed.push(toFailure(row, refusal, index))
    }
  }
  return { done: rows.length - failed.length, failed }
}

/** The refusal of an error, or null. Values that the database rejects (SQLSTATE 22…, 23…) count as refused. */
function refusalOf(error: unknown): ApiError | null {
  if (error instanceof ApiError) return error
  return /^2[23]/.test(sqlState(error) ?? '')
    ? new ApiError('invalid_payload', { details: 'A value cannot be stored' })
    : null
}
