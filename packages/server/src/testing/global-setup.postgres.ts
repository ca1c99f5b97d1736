import type { TestProject } from 'vitest/node'
import { connectPostgres } from '../core/db/connect.ts'
import type { Database } from '../core/db/database.ts'
import { migrate } from '../core/db/migrate.ts'
import { openJobs } from '../core/jobs/jobs.ts'
import { createClusterDatabase, distributeDatabase, isDistributedRun } from './distributed.ts'
import { keepsPrepared, startPooler, usePooler } from './pooler.ts'
import { createDatabase, startPostgres } from './postgres.ts'

/**
 * Starts a real PostgreSQL (or uses TEST_DATABASE_URL) and creates a migrated template database, and the database that all
 * test files share, which also has the tables of the job queue. With TEST_POOLER, the path of PgBouncer, the tests connect through it. With
 * TEST_DISTRIBUTED=1 the shared database is distributed; databases that a test creates for itself are not.
 */
export default async function setup(project: TestProject) {
  const server = await startPostgres()
  const template = await createDatabase(server.url)
  await withDatabase(template.url, ({ db }) => migrate(db, async () => {}))
  const shared = isDistributedRun()
    ? await createClusterDatabase(server.url)
    : await createDatabase(server.url, { template: template.url })
  if (isDistributedRun()) {
    await withDatabase(shared.url, ({ db }) => migrate(db, async () => {}))
    await distributeDatabase(shared.url)
  }
  await withDatabase(shared.url, async (database) => (await openJobs(database)).close())
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

async function withDatabase(url: string, work: (database: Database) => Promise<unknown>): Promise<void> {
  const database = connectPostgres({ connectionString: url })
  await work(database)
  await database.close()
}
