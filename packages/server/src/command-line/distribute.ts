import { distribute, planDistribution } from '../core/db/distribution.ts'
import { whileMigrating } from '../core/db/migration-locks.ts'
import type { CommandEnvironment } from './outside.ts'
import { withDatabase } from './with-database.ts'

/**
 * Distributes the database by project over the workers of Citus, or says with `check` what is missing. Returns the exit code: 1 if the
 * check finds anything.
 */
export async function distributeCommand(
  { settings, say }: CommandEnvironment,
  { check = false, shards }: { check?: boolean | undefined; shards?: string | undefined },
): Promise<number> {
  if (settings.database_url === null) throw new Error('The embedded database cannot be distributed: set DATABASE_URL.')
  const options = shards === undefined ? {} : { shards: numberOfShards(shards) }
  return withDatabase(settings, async (db) => {
    if (check) {
      const { obstacles, steps } = await planDistribution(db, options)
      for (const obstacle of obstacles) say(`Obstacle: ${obstacle}\n`)
      for (const { name } of steps) say(`To do: ${name}\n`)
      if (obstacles.length + steps.length > 0) return 1
      say('Everything is distributed.\n')
      return 0
    }
    const done = await whileMigrating(db, (connection) =>
      distribute(connection, { ...options, onStep: (name) => say(`${name}\n`) }),
    )
    say(done.length === 0 ? 'Everything is distributed.\n' : 'Done.\n')
    return 0
  })
}

function numberOfShards(text: string): number {
  const shards = Number(text)
  if (!Number.isInteger(shards) || shards < 1 || shards > 1_024) throw new Error('--shards is a number from 1 to 1024.')
  return shards
}
