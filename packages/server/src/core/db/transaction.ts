import type { Transaction } from 'kysely'
import { limits } from '../lib/limits.ts'
import type { Db } from './database.ts'
import type { Tables } from './tables.ts'

/** An open transaction. */
export type Trx = Transaction<Tables>

/**
 * Runs `work` in one transaction. On a conflict with another transaction (serialization failure, deadlock, changed table
 * columns) it retries the whole work with fresh rows, up to `limits.transaction_attempts_max` times.
 */
export async function inTransaction<T>(db: Db, work: (trx: Trx) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await db.transaction().execute(work)
    } catch (error) {
      if (!isConflict(error) || attempt === limits.transaction_attempts_max) throw error
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 10 * 2 ** attempt))
    }
  }
}

/** The SQLSTATE of a database error, or undefined. */
export function sqlState(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | null)?.code
  return typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) ? code : undefined
}

/** Errors in data, violated constraints and exceeded limits of PostgreSQL: writing the same content would fail again. */
export const isRefusedContent = (error: unknown): boolean => /^(22|23|54)/.test(sqlState(error) ?? '')

/** Whether the same statement may succeed if it is sent again. */
export const isConflict = (error: unknown): boolean =>
  ['40001', '40P01'].includes(sqlState(error) ?? '') || isOutdated(error) || isOvertaken(error)

/**
 * A row was on its way into the default partition when the partition that it belongs to was made (core/db/partitions.ts): it finds that one
 * the next time.
 */
export const isOvertaken = (error: unknown): boolean =>
  sqlState(error) === '23514' && (error as { routine?: string }).routine === 'ExecPartitionCheckEmitError'

/** A prepared statement is invalid because a table changed; the retry prepares it again (core/db/prepared-statements.ts). */
export const isOutdated = (error: unknown): boolean =>
  sqlState(error) === '0A000' && (error as { routine?: string }).routine === 'RevalidateCachedQuery'

/** Whether an insert or update failed because another row has the same unique value. */
export const isDuplicate = (error: unknown): boolean => sqlState(error) === '23505'
