import type { Runtime } from '../core/context.ts'
import type { Database } from '../core/db/database.ts'

/**
 * `npm run try-replica` runs tests that know nothing of replicas on nodes that have one: TEST_REPLICA_URL is a server that shows every
 * commit of the server of TEST_DATABASE_URL by the time the commit returns.
 */
const [serverUrl, replicaUrl] = [process.env.TEST_DATABASE_URL, process.env.TEST_REPLICA_URL]

/** Whether the databases of this run return the position of what was written. */
export const tracksCommits = replicaUrl !== undefined

/** The settings of a node on a database of that server; none in other runs. */
export async function replicaSettings({ kind, execute }: Database): Promise<Record<string, string>> {
  if (replicaUrl === undefined || serverUrl === undefined || kind !== 'postgres') return {}
  const { rows } = await execute('select current_database() as name')
  const [{ name }] = rows as [{ name: string }]
  const urlOn = (server: string) => Object.assign(new URL(server), { pathname: `/${name}` }).href
  // A busy machine is no reason to leave the replica.
  return {
    DATABASE_URL: urlOn(serverUrl),
    DATABASE_READ_URL: urlOn(replicaUrl),
    DATABASE_READ_LAG_MS: '60000',
  }
}

/** Closes the replicas of a node. In such a run, no read may have failed on one: an operation that writes does not belong there. */
export async function closeReplicas({ replicas }: Runtime): Promise<void> {
  if (replicas === null) return
  await replicas.close()
  const { failed } = replicas.reads()
  if (replicaUrl !== undefined && failed > 0) throw new Error(`${failed} reads failed on the replica`)
}
