import { openAsBlob } from 'node:fs'
import { afterAll, inject } from 'vitest'
import { connectPglite, connectPostgres, type Database } from '../db/connect.ts'
import { migrate } from '../db/migrate.ts'
import { newTestApp, type ServiceOptions, type TestService } from './app.ts'
import { openTestHouse } from './house.ts'
import { createDatabase } from './postgres.ts'

export type Node = Omit<TestService, 'clock'>

const closings: Array<() => Promise<unknown>> = []

/** Has something closed when the tests of this file are over, the last opened first. */
export const atEnd = (close: () => Promise<unknown>): void => void closings.push(close)

afterAll(async () => {
  for (const close of closings.splice(0).reverse()) await close()
})

/**
 * A database of its own, where a test needs the first start, the only owner, or jobs that no other test file takes. On
 * PostgreSQL, `url` is where another process finds it.
 */
export async function ownDatabase({ migrated = true } = {}): Promise<{ database: Database; url: string | null }> {
  const given = inject('database')
  if (given.kind === 'pglite') {
    const database = await connectPglite(migrated ? { snapshot: await openAsBlob(given.snapshot) } : {})
    atEnd(() => database.close())
    return { database, url: null }
  }
  const { url, drop } = await createDatabase(given.url)
  atEnd(drop)
  const database = anotherConnection(url)
  if (migrated) await migrate(database.db, async () => {})
  return { database, url }
}

/** Connections of their own to a PostgreSQL database, as another process has them. */
export function anotherConnection(url: string): Database {
  const database = connectPostgres({ connectionString: url })
  let closed: Promise<void> | undefined
  const close = () => {
    closed ??= database.close()
    return closed
  }
  atEnd(close)
  return { ...database, close }
}

/** The database all test files of this run share on PostgreSQL. */
export function postgresUrl(): string {
  const given = inject('database')
  if (given.kind !== 'postgres') throw new Error('This test is about PostgreSQL')
  return given.url
}

export interface NodeOptions extends ServiceOptions {
  /** Unix milliseconds; a clock that stands still where the second matters. */
  now?: () => number
}

/** One more node on a database. */
export async function openNode(
  database: Database,
  { env = {}, extra = [], now = Date.now }: NodeOptions = {},
): Promise<Node> {
  const house = await openTestHouse(database, { env, now })
  const app = newTestApp(house, extra)
  await app.ready()
  atEnd(async () => {
    await app.close()
    await house.jobs.close()
    await house.credentials.close()
  })
  return { app, house }
}
