import type { Db } from '../core/db/database.ts'
import { sqlState } from '../core/db/transaction.ts'
import type { Settings } from '../core/settings.ts'
import { connect } from '../runtime.ts'

/** Runs a command on the database of the settings and closes it; says so if no release has migrated it yet. */
export async function withDatabase<T>(settings: Settings, work: (db: Db) => Promise<T>): Promise<T> {
  const database = await connect(settings)
  try {
    return await work(database.db)
  } catch (error) {
    const isEmpty = sqlState(error) === '42P01'
    throw isEmpty ? new Error('The database is empty: start the service once, or run guerdon migrate.') : error
  } finally {
    await database.close()
  }
}
