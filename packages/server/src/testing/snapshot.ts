import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, openAsBlob, readFileSync, renameSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { PGlite } from '@electric-sql/pglite'
import { openPglite } from '../core/db/connect.ts'
import { migrate } from '../core/db/migrate.ts'
import { openJobs } from '../core/jobs/jobs.ts'

/** The cache that tests keep between runs. */
const cacheFolder = fileURLToPath(new URL('../../../../node_modules/.cache/guerdon', import.meta.url))

/** The path of an embedded database without tables, cached by the version of PGlite because creating it takes seconds. */
export async function emptyDatabase(): Promise<string> {
  const release = join(dirname(createRequire(import.meta.url).resolve('@electric-sql/pglite')), '../package.json')
  const cachedFile = join(cacheFolder, `pglite-${JSON.parse(readFileSync(release, 'utf8')).version}.tar`)
  if (existsSync(cachedFile)) return cachedFile
  const pglite = await PGlite.create()
  const dump = await pglite.dumpDataDir('none')
  await pglite.close()
  mkdirSync(cacheFolder, { recursive: true })
  const draft = `${cachedFile}.${randomBytes(4).toString('hex')}`
  await writeFile(draft, dump.stream())
  renameSync(draft, cachedFile) // atomic, since a concurrent run may read it
  return cachedFile
}

/** An embedded database with all tables and queues, and no rows. */
export async function migratedDatabase(empty: string): Promise<Blob> {
  const pglite = await PGlite.create({ loadDataDir: await openAsBlob(empty) })
  const database = openPglite(pglite)
  await migrate(database.db, async () => {})
  const jobs = await openJobs(database)
  await jobs.close()
  const snapshot = await pglite.dumpDataDir('none')
  await database.close()
  return snapshot
}
