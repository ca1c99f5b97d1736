import { setPasswordsAtOnce } from '../../account/sign-in/password-hash.ts'
import type { Database } from '../../core/db/database.ts'
import { limits } from '../../core/lib/limits.ts'
import type { CommandEnvironment } from '../outside.ts'
import { endService, type ServeOptions, type Service, startService } from '../serve.ts'
import { joinNode, type Membership, type StopReason } from './join-node.ts'

/** Serves as one of several workers of a node. What it throws at start is printed, and ends the process. */
export async function work(environment: CommandEnvironment, options: ServeOptions): Promise<void> {
  const node = joinNode(environment.settings)
  // Each takes a core: together they take as many as there are workers, and not twice as many.
  setPasswordsAtOnce(1)
  const service = await startService(environment, { ...options, node })
  node.onStop(newStop(service, node))
  // The signal of a terminal, or the end of the supervisor, may have come while it started.
  if (node.node_stops.aborted) return newStop(service, node)('node_stops')
  const { database, settings } = service.runtime
  // Behind a pooler the connections of a worker are not those of the database.
  const asksDatabase = node.is_first && typeof settings.workers !== 'number' && settings.database_session_url === null
  node.serves(asksDatabase ? await maxConnectionsOf(database) : null)
}

function newStop({ app, runtime }: Service, node: Membership): (reason: StopReason) => void {
  let stopping = false
  return (reason) => {
    if (stopping) return
    stopping = true
    // Nobody accepts connections any more, so nobody has to be told that this worker is not ready.
    const drainSeconds = reason === 'supervisor_ended' ? 0 : runtime.settings.drain_seconds
    const seconds = reason === 'replaced' ? limits.retirement_seconds + drainSeconds : drainSeconds
    void endService({ app, runtime }, { reason, seconds, last: () => node.leave() })
  }
}

/** How many this user may have; null if the database does not tell. */
async function maxConnectionsOf(database: Database): Promise<number | null> {
  const text = `select least(
      current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int,
      nullif(rolconnlimit, -1), nullif(datconnlimit, -1)) as count
    from pg_roles, pg_database where rolname = current_user and datname = current_database()`
  const { rows } = await database.execute(text).catch(() => ({ rows: [] }))
  return (rows[0] as { count: number } | undefined)?.count ?? null
}
