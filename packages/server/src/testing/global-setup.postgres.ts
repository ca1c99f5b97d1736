import type { TestProject } from 'vitest/node'
import { connectPostgres } from '../core/db/connect.ts'
import type { Database } from '../core/db/database.ts'
import { migrate } from '../core/db/migrate.ts'
import { openJobs } from '../core/jobs/jobs.ts'
import { createClusterDatabase, distributeDatabase, isDistributedRun } from './distributed.ts'
import { keepsPrepared, startPooler, usePooler } from './pooler.ts'
import { createDatabase, startPostgres } from './postgres.ts'

/**
 * Starts a real PostgreSQL (or uses TEST_DATABASE_URL) and creates a migrated template database with the tables of the job
 * queue, and a copy of it that all test files share. With TEST_POOLER, the path of PgBouncer, the tests connect through it. With
 * TEST_DISTRIBUTED=1 the shared database is distributed; databases that a test creates for itself are not.
 */
export default async function setup(project: TestProject) {
  const server = await startPostgres()
  const template = await createDatabase(server.url)
  await withDatabase(template.url, prepare)
  const shared = isDistributedRun()
    ? await createClusterDatabase(server.url)
    : await createDatabase(server.url, { template: template.url })
  if (isDistributedRun()) {
    await withDatabase(shared.url, prepare)
    await distributeDatabase(shared.url)
  }
  const poolerBinary = process.env.TEST_POOLER
  const pooler = poolerBinary ? await startPooler(poolerBinary, server.url) : null
  if (pooler !== null) usePooler(pooler, server.url, keepsPrepared(poolerBinary as string) ? 'on' : 'off')
  project.provide('database', { kind: 'postgres', url: shared.url, template: template.url })
  return async () => {
    await pooler?.stop()
    await shared.drop()
    await template.drop()
    await server.stop()
  }
}

/** Migrates a database and creates the tables of its job queue. */
async function prepare(database: Database): Promise<void> {
  await migrate(database.db, async () => {})
  await (await openJobs(database)).close()
}

async function withDatabase(url: string, work: (database: Database) => Promise<unknown>): Promise<void> {
  const database = connectPostgres({ connectionString: url })
  await work(database)
  await database.close()
}
