import { openAsBlob } from 'node:fs'
import { inject } from 'vitest'
import { connectPglite, connectPostgres } from '../core/db/connect.ts'
import type { Database } from '../core/db/database.ts'
import type { Operation } from '../core/http/operation.ts'
import { operations } from '../operations.ts'
import { newProjectOn, newTestApp, type ServiceOptions, type Shop, type TestService } from './app.ts'
import { atEnd } from './closings.ts'
import { patientWaits } from './connection-wait.ts'
import { newPostgresDatabase } from './database.ts'
import { pooled } from './pooler.ts'
import { openTestRuntime } from './runtime.ts'
import { closeReplicas, tracksCommits } from './test-replica.ts'

export type Node = Omit<TestService, 'clock'>

/**
 * A separate database, for a test that needs the first start, a single owner, or jobs that no other test file takes. On
 * PostgreSQL, `url` lets another process connect to it.
 */
export async function ownDatabase({ migrated = true } = {}): Promise<{ database: Database; url: string | null }> {
  const provided = inject('database')
  if (provided.kind === 'pglite') {
    const database = await connectPglite({ snapshot: await openAsBlob(migrated ? provided.snapshot : provided.empty) })
    atEnd(() => database.close())
    return { database, url: null }
  }
  const { url, drop } = await newPostgresDatabase({ migrated })
  atEnd(drop)
  return { database: anotherConnection(url), url }
}

/** A separate connection pool to a PostgreSQL database, as another process would have. */
export function anotherConnection(url: string, { tracks_commits = tracksCommits } = {}): Database {
  const database = connectPostgres({ ...pooled(url), tracks_commits, ...patientWaits })
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
  const provided = inject('database')
  if (provided.kind !== 'postgres') throw new Error('This test needs PostgreSQL')
  return provided.url
}

export interface NodeOptions extends ServiceOptions {
  /** The operations to serve instead of all: a node with a few starts faster. */
  only?: readonly Operation[]
  /** The clock in Unix milliseconds; a fixed one where the exact second matters. */
  now?: () => number
}

/** A new project on a database of its own, for a test that looks at all rows or waits until no transaction holds any back. */
export async function newProjectAlone({
  project = {},
  ...options
}: NodeOptions & { project?: Record<string, unknown> } = {}): Promise<Shop> {
  const node = await openNode((await ownDatabase()).database, options)
  return newProjectOn({ ...node, clock: { now: node.runtime.now, set: () => {}, advance: () => {} } }, project)
}

/** Opens another node on a database. */
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
    await runtime.auditLog.close()
    await runtime.credentials.close()
    await closeReplicas(runtime)
  })
  return { app, runtime }
}
