import { ApiError } from '../http/errors.ts'
import { version } from '../lib/version.ts'
import type { Database } from './database.ts'
import { newestMigration } from './migrate.ts'
import { isNewerRelease } from './newer-schema.ts'
import { isOutage } from './outage.ts'

/**
 * Whether somebody else may succeed at what failed here: after an outage, or because a newer release has migrated the database since
 * this node started. What fails then is hardly known by its SQLSTATE: a row without a column that was read with `*` fails only when it is
 * used. Not to be called within a transaction.
 */
export async function isTransient(error: unknown, database: Pick<Database, 'execute'>): Promise<boolean> {
  if (error instanceof ApiError) return false
  if (isOutage(error)) return true
  try {
    return await isSchemaNewer(database)
  } catch (cause) {
    return isOutage(cause)
  }
}

/** Names of migrations begin with their number, so they sort in the order of application. */
async function isSchemaNewer({ execute }: Pick<Database, 'execute'>): Promise<boolean> {
  const { rows } = await execute(
    `select release, exists (select from migrations where name collate "C" > $1) as has_newer_migration
     from (select distinct release from schema_functions) as releases`,
    [newestMigration],
  )
  return (rows as Array<{ release: string; has_newer_migration: boolean }>).some(
    ({ release, has_newer_migration }) => has_newer_migration || isNewerRelease(release, version),
  )
}
