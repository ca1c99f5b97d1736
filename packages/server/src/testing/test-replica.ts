import { appendFileSync } from 'node:fs'
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
  const url = Object.assign(new URL(serverUrl), { pathname: `/${name}` }).href
  return { DATABASE_URL: url, ...replicaEnvironment(url) }
}

/** What a process gets besides this DATABASE_URL; nothing in other runs, and for databases of other servers. */
export function replicaEnvironment(url: string | undefined): Record<string, string> {
  if (url === undefined || replicaUrl === undefined || serverUrl === undefined) return {}
  if (!URL.canParse(url)) return {} // it names several hosts, which are no servers of this run
  const database = new URL(url)
  if (database.host !== new URL(serverUrl).host) return {}
  return {
    DATABASE_READ_URL: Object.assign(new URL(replicaUrl), { pathname: database.pathname }).href,
    DATABASE_READ_LAG_MS: '60000', // a busy machine is no reason to leave the replica
  }
}

/** For nodes whose test looks at what only the primary does, such as locks and lost connections. */
export const onPrimaryOnly = { DATABASE_READ_URL: '' }

/** Closes the replicas of a node. On that of such a run no read may have failed: an operation that writes does not belong there. */
export async function closeReplicas({ replicas, settings }: Runtime): Promise<void> {
  if (replicas === null) return
  await replicas.close()
  const isOfRun = settings.database_read_urls.some((url) => replicaUrl?.includes(new URL(url).host))
  if (!isOfRun) return
  const { failed, replica } = replicas.reads()
  const { TEST_REPLICA_READS: counts } = process.env
  if (counts !== undefined) appendFileSync(counts, `${replica}\n`)
  if (failed > 0) throw new Error(`${failed} reads failed on the replica`)
}
