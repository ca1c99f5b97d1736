import type { TestProject } from 'vitest/node'
import { connectPostgres } from '../db/connect.ts'
import { migrate } from '../db/migrate.ts'
import { openJobs } from '../jobs/jobs.ts'
import { createDatabase, startPostgres } from './postgres.ts'

/** Brings a real PostgreSQL (or uses TEST_DATABASE_URL) and one migrated database that all test files share. */
export default async function setup(project: TestProject) {
  const server = await startPostgres()
  const { url, drop } = await createDatabase(server.url)
  const database = connectPostgres({ connectionString: url })
  await migrate(database.db, async () => {})
  const jobs = await openJobs(database)
  await jobs.close()
  await database.close()
  project.provide('database', { kind: 'postgres', url })
  return async () => {
    await drop()
    await server.stop()
  }
}
