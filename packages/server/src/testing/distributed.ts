import pg from 'pg'
import { connectPostgres } from '../core/db/connect.ts'
import { distribute } from '../core/db/distribution.ts'
import { createDatabase } from './postgres.ts'

/** Whether the database that the tests share is to be distributed: TEST_DATABASE_URL is then the coordinator of Citus, which knows its workers. */
export const isDistributedRun = (): boolean => process.env.TEST_DISTRIBUTED === '1'

interface Node {
  host: string
  port: number
}

/**
 * Creates an empty database on the coordinator and on each of its workers, and makes them one: what a template holds of Citus is not copied,
 * so it cannot be the copy of a migrated one.
 */
export async function createClusterDatabase(serverUrl: string): Promise<{ url: string; drop(): Promise<void> }> {
  const nodes = await query<Node & { groupid: number }>(
    serverUrl,
    `select nodename as host, nodeport as port, groupid from pg_dist_node where noderole = 'primary' and isactive`,
  )
  const coordinator = nodes.find(({ groupid }) => groupid === 0)
  const workers = nodes.filter(({ groupid }) => groupid !== 0)
  if (coordinator === undefined || workers.length === 0)
    throw new Error('TEST_DISTRIBUTED needs a coordinator that knows itself and its workers')
  const { url, drop } = await createDatabase(serverUrl)
  const name = new URL(url).pathname.slice(1)
  for (const { host, port } of workers) {
    await query(onNode(serverUrl, { host, port }), `create database ${name}`)
    await query(onNode(url, { host, port }), 'create extension citus')
  }
  await query(url, 'create extension citus')
  await query(url, `select citus_set_coordinator_host('${coordinator.host}', ${coordinator.port})`)
  for (const { host, port } of workers) await query(url, `select citus_add_node('${host}', ${port})`)
  return {
    url,
    async drop() {
      await drop()
      for (const node of workers) await query(onNode(serverUrl, node), `drop database if exists ${name} with (force)`)
    },
  }
}

/** Few shards: a test that asks all projects asks each of them. */
const shards = 4

/** Distributes a migrated database as the command does. */
export async function distributeDatabase(url: string): Promise<void> {
  const database = connectPostgres({ connectionString: url })
  try {
    await database.db.connection().execute((connection) => distribute(connection, { shards }))
  } finally {
    await database.close()
  }
}

function onNode(url: string, { host, port }: Node): string {
  const node = new URL(url)
  node.hostname = host
  node.port = String(port)
  return node.href
}

async function query<Row>(connectionString: string, text: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString })
  await client.connect()
  try {
    return (await client.query(text)).rows
  } finally {
    await client.end()
  }
}
