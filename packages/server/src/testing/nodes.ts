import { openAsBlob } from 'node:fs'
import { inject } from 'vitest'
import { connectPglite, connectPostgres } from '../core/db/connect.ts'
import type { Database } from '../core/db/database.ts'
import type { Operation } from '../core/http/operation.ts'
import { operations } from '../operations.ts'
import { newTestApp, type ServiceOptions, type TestService } from './app.ts'
import { atEnd } from './closings.ts'
import { connectionWaitSeconds } from './database.ts'
import { createDatabase } from './postgres.ts'
import { openTestRuntime } from './runtime.ts'

export type Node = Omit<TestService, 'clock'>

/**
 * A database of its own, where a test needs the first start, the only owner, or jobs that no other test file takes. On
 * PostgreSQL, `url` is where another process finds it.
 */
export async function ownDatabase({ migrated = true } = {}): Promise<{ database: Database; url: string | null }> {
  const given = inject('database')
  if (given.kind === 'pglite') {
    const database = await connectPglite({ snapshot: await openAsBlob(migrated ? given.snapshot : given.empty) })
    atEnd(() => database.close())
    return { database, url: null }
  }
  const { url, drop } = await createDatabase(given.url, migrated ? { template: given.template } : {})
  atEnd(drop)
  return { database: anotherConnection(url), url }
}

/** Connections of their own to a PostgreSQL database, as another process has them. */
export function anotherConnection(url: string): Database {
  const database = connectPostgres({ connectionString: url, connection_wait_seconds: connectionWaitSeconds })
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
  /** What it serves instead of everything: a node with a few operations is up at once. */
  only?: readonly Operation[]
  /** Unix milliseconds; a clock that stands still where the second matters. */
  now?: () => number
}

/** One more node on a database. */
export async function openNode(
  database: Database,
  { env = {}, extra = [], only = operations, now = Date.now }: NodeOptions = {},
): Promise<Node> {
  const runtime = await openTestRuntime(database, { env, now })
  const app = newTestApp(runtime, [...only, ...extra])
  await app.ready()
  atEnd(async () => {
    await app.close()
    await runtime.jobs.close()
    await runtime.deferred.close()
    await runtime.credentials.close()
  })
  return { app, runtime }
}
