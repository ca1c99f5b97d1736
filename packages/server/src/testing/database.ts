import { openAsBlob } from 'node:fs'
import { inject } from 'vitest'
import { connectPglite, connectPostgres } from '../core/db/connect.ts'
import type { Database } from '../core/db/database.ts'
import { within } from '../core/lib/within.ts'
import { atEnd } from './closings.ts'
import { patientWaits } from './connection-wait.ts'
import { pooled } from './pooler.ts'
import { createDatabase } from './postgres.ts'
import { tracksCommits } from './test-replica.ts'

let opened: Promise<Database> | undefined
let isInUse = false

/**
 * The test database, opened on first use and open until the worker ends: on PGlite one per worker, on PostgreSQL one for
 * all files.
 */
export function testDatabase(): Promise<Database> {
  opened ??= open()
  if (!isInUse) {
    isInUse = true
    atEnd(checkBeforeReuse)
  }
  return opened
}

/** A transaction left open on PGlite would block every later file: in that case they get a new database. */
async function checkBeforeReuse(): Promise<void> {
  isInUse = false
  const database = await opened
  if (database?.kind !== 'pglite') return
  await within(60_000, database.execute('select 1'), () => {
    opened = undefined
    return new Error('The tests of this file left a transaction open on the database')
  })
}

/** The kind of database of this test run. */
export const databaseKind = (): 'pglite' | 'postgres' => inject('database').kind

async function open(): Promise<Database> {
  const provided = inject('database')
  if (provided.kind === 'postgres')
    return connectPostgres({ ...pooled(provided.url), tracks_commits: tracksCommits, ...patientWaits })
  return connectPglite({ snapshot: await openAsBlob(provided.snapshot) })
}

/** A new database on the PostgreSQL of this run, empty or migrated, for a test that opens several connections or processes. */
export function newPostgresDatabase({ migrated = false } = {}): ReturnType<typeof createDatabase> {
  const provided = inject('database')
  if (provided.kind !== 'postgres') throw new Error('This test needs PostgreSQL')
  return createDatabase(provided.url, migrated ? { template: provided.template } : {})
}
