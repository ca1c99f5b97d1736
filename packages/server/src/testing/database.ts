import { openAsBlob } from 'node:fs'
import { afterAll, inject } from 'vitest'
import { connectPglite, connectPostgres, type Database } from '../db/connect.ts'

let opened: Promise<Database> | undefined

/** The database of this test file, opened on first use: a copy of its own on PGlite, the shared one on PostgreSQL. */
export function testDatabase(): Promise<Database> {
  opened ??= open()
  return opened
}

/** Which database this run is on. */
export const databaseKind = (): 'pglite' | 'postgres' => inject('database').kind

async function open(): Promise<Database> {
  const given = inject('database')
  if (given.kind === 'postgres') return connectPostgres({ connectionString: given.url })
  return connectPglite({ snapshot: await openAsBlob(given.snapshot) })
}

afterAll(async () => {
  await (await opened)?.close()
})
