import type { Transaction } from 'kysely'
import { limits } from '../lib/limits.ts'
import type { Db } from './database.ts'
import type { Tables } from './tables.ts'

/** A connection or an open transaction: what a statement may run on. */
export type Trx = Transaction<Tables>

/**
 * Runs `work` in one transaction. When the database gives up because of somebody else (serialization failure,
 * deadlock, a table with new columns), the whole work runs again on fresh facts, a bounded number of times: the caller never sees it.
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

const isConflict = (error: unknown) => ['40001', '40P01'].includes(sqlState(error) ?? '') || isOutdated(error)

/** A statement was prepared for a table that has other columns now; it goes by another name from then on (core/db/prepared-statements.ts). */
export const isOutdated = (error: unknown): boolean =>
  sqlState(error) === '0A000' && (error as { routine?: string }).routine === 'RevalidateCachedQuery'

/** Whether an insert or update failed because another row has the same unique value. */
export const isDuplicate = (error: unknown): boolean => sqlState(error) === '23505'
