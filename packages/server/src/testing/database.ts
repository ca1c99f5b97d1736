import { openAsBlob } from 'node:fs'
import { inject } from 'vitest'
import { connectPglite, connectPostgres } from '../core/db/connect.ts'
import type { Database } from '../core/db/database.ts'
import { within } from '../core/lib/within.ts'
import { atEnd } from './closings.ts'

let opened: Promise<Database> | undefined
let isInUse = false

/**
 * The database of the tests, opened on first use and open until the worker ends: on PGlite one for all files of the
 * worker, on PostgreSQL one for all files.
 */
export function testDatabase(): Promise<Database> {
  opened ??= open()
  if (!isInUse) {
    isInUse = true
    atEnd(handOn)
  }
  return opened
}

/** A transaction that a test has left open on PGlite would make every later file wait: they get another database. */
async function handOn(): Promise<void> {
  isInUse = false
  const database = await opened
  if (database?.kind !== 'pglite') return
  await within(60_000, database.execute('select 1'), () => {
    opened = undefined
    return new Error('The tests of this file have left the database occupied')
  })
}

/** Hundreds of requests at once wait for a few connections, on a busy machine for longer than a caller should. */
export const connectionWaitSeconds = 120

/** Which database this run is on. */
export const databaseKind = (): 'pglite' | 'postgres' => inject('database').kind

async function open(): Promise<Database> {
  const given = inject('database')
  if (given.kind === 'postgres')
    return connectPostgres({ connectionString: given.url, connection_wait_seconds: connectionWaitSeconds })
  return connectPglite({ snapshot: await openAsBlob(given.snapshot) })
}
