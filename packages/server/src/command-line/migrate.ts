import { bootstrap } from '../account/installation/bootstrap.ts'
import { migrate } from '../core/db/migrate.ts'
import type { Trx } from '../core/db/transaction.ts'
import { openJobs } from '../core/jobs/jobs.ts'
import { toInstant } from '../core/lib/instant.ts'
import { limits } from '../core/lib/limits.ts'
import { connect } from '../runtime.ts'
import { firstStartOf, writeKeysFile } from './keys-file.ts'
import type { CommandEnvironment } from './outside.ts'
import { firstKeys } from './welcome.ts'

/** Migrates and bootstraps the database, then ends: for deployments that migrate before the rollout. */
export async function migrateCommand(environment: CommandEnvironment): Promise<void> {
  const { settings, say } = environment
  const database = await connect(settings, {
    retry_seconds: limits.start_retry_seconds,
    onRetry: (problem) => say(`${problem}\n`),
  })
  try {
    const bootstrapped = async (trx: Trx) => {
      const keys = await bootstrap(trx, settings, toInstant(Date.now()))
      if (keys === null) return null
      const firstStart = firstStartOf(environment, keys)
      writeKeysFile(firstStart)
      return firstStart
    }
    const { applied, functions, result } = await migrate(database.db, bootstrapped, {
      onWait: (problem) => say(`${problem}\n`),
    })
    await (await openJobs(database)).close()
    if (applied.length > 0) say(`Applied ${applied.join(', ')}.\n`)
    if (functions.length > 0) say(`Replaced the functions ${functions.join(', ')}.\n`)
    if (applied.length + functions.length === 0) say('The database is up to date.\n')
    if (result !== null) say(firstKeys(result))
  } finally {
    await database.close()
  }
}
