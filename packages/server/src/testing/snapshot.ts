import { PGlite } from '@electric-sql/pglite'
import { openPglite } from '../db/connect.ts'
import { migrate } from '../db/migrate.ts'
import { openJobs } from '../jobs/jobs.ts'

/** An embedded database with every table and queue in place, and nothing in them. */
export async function snapshotOfFreshDatabase(): Promise<Blob> {
  const pglite = await PGlite.create()
  const database = openPglite(pglite)
  await migrate(database.db, async () => {})
  const jobs = await openJobs(database)
  await jobs.close()
  const snapshot = await pglite.dumpDataDir('none')
  await database.close()
  return snapshot
}
