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

/** What tests may keep for the next run. */
const cacheFolder = fileURLToPath(new URL('../../../../node_modules/.cache/guerdon', import.meta.url))

/** An embedded database as a first start finds it: all that takes seconds, and depends on nothing but the release of PGlite. */
export async function emptyDatabase(): Promise<string> {
  const release = join(dirname(createRequire(import.meta.url).resolve('@electric-sql/pglite')), '../package.json')
  const kept = join(cacheFolder, `pglite-${JSON.parse(readFileSync(release, 'utf8')).version}.tar`)
  if (existsSync(kept)) return kept
  const pglite = await PGlite.create()
  const made = await pglite.dumpDataDir('none')
  await pglite.close()
  mkdirSync(cacheFolder, { recursive: true })
  const draft = `${kept}.${randomBytes(4).toString('hex')}`
  await writeFile(draft, made.stream())
  renameSync(draft, kept) // another run may look for it meanwhile
  return kept
}

/** One with every table and queue in place, and nothing in them. */
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
