import { bootstrap } from '../account/installation/bootstrap.ts'
import { migrate } from '../core/db/migrate.ts'
import { openJobs } from '../core/jobs/jobs.ts'
import { toInstant } from '../core/lib/instant.ts'
import { limits } from '../core/lib/limits.ts'
import { connect } from '../runtime.ts'
import type { CommandEnvironment } from './outside.ts'
import { keyLines } from './welcome.ts'

/** Migrates and bootstraps the database, then ends: for deployments that migrate before the rollout. */
export async function migrateCommand({ settings, say }: CommandEnvironment): Promise<void> {
  const database = await connect(settings, {
    retry_seconds: limits.start_retry_seconds,
    onRetry: (problem) => say(`${problem}\n`),
  })
  try {
    const { applied, functions, result } = await migrate(database.db, (trx) =>
      bootstrap(trx, settings.bootstrap, toInstant(Date.now())),
    )
    await (await openJobs(database)).close()
    if (applied.length > 0) say(`Applied ${applied.join(', ')}.\n`)
    if (functions.length > 0) say(`Replaced the functions ${functions.join(', ')}.\n`)
    if (applied.length + functions.length === 0) say('The database is up to date.\n')
    if (result !== null) say(keyLines(result))
  } finally {
    await database.close()
  }
}
