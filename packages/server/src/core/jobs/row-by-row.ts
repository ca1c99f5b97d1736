import { setImmediate } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Ctx } from '../context.ts'
import { sqlState } from '../db/transaction.ts'
import { ApiError } from '../http/errors.ts'

/**
 * Does `work` for each row of a step, each under a savepoint: a row that is refused leaves nothing behind, and the others
 * stay. Whatever is no refusal and no unfit value is a fault of ours and ends the whole step.
 */
export async function rowByRow<Row>(
  { db }: Ctx,
  rows: readonly Row[],
  work: (row: Row, index: number) => Promise<unknown>,
  toFailure: (row: Row, refusal: ApiError, index: number) => object,
): Promise<{ done: number; failed: object[] }> {
  const failed: object[] = []
  for (const [index, row] of rows.entries()) {
    // PGlite answers without a turn of the event loop: hundreds of rows in a row would keep every request from being read.
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

/** The refusal an error stands for. Data the database cannot take (SQLSTATE 22…, 23…) are refused like any others. */
function refusalOf(error: unknown): ApiError | null {
  if (error instanceof ApiError) return error
  return /^2[23]/.test(sqlState(error) ?? '')
    ? new ApiError('invalid_payload', { details: 'A value cannot be stored' })
    : null
}
