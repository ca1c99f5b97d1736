import type { ChildProcess } from 'node:child_process'
import { chmodSync, chownSync, cpSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import pg from 'pg'
import { freePort, importWithoutExitHooks, type PostgresServer, serverFolder, startPostgres } from './postgres.ts'

/** A streaming replica of a server. */
export interface ReplicaServer extends PostgresServer {
  /** The same database on the replica. */
  urlOf(primaryUrl: string): string
  /** Runs one statement on the maintenance database. */
  run(statement: string): Promise<Record<string, unknown>[]>
  /** Stops applying the log, which it goes on receiving, until `resume`. */
  pause(): Promise<void>
  resume(): Promise<void>
  /** Ends the server as a crash would. */
  kill(): Promise<void>
  /** Stops all its processes where they are, until the function that it returns is called: connections stay open, and nothing answers. */
  freeze(): Promise<() => void>
  /** Starts it again, where it was. */
  start(): Promise<void>
}

export interface ReplicatedPostgres {
  primary: PostgresServer
  replicas: ReplicaServer[]
  stop(): Promise<void>
}

/**
 * A real PostgreSQL with streaming replicas, all of the bundled release. `is_synchronous`: a commit returns when the first replica shows
 * it, so that tests which know nothing of replicas read what they have written.
 */
export async function startReplicatedPostgres({
  replicas: count = 1,
  is_synchronous = false,
  is_durable = false,
} = {}): Promise<ReplicatedPostgres> {
  const copies: string[] = []
  const primary = await startPostgres({
    url: '',
    is_durable,
    settings: [
      'wal_keep_size=1GB',
      ...(is_synchronous ? ['synchronous_standby_names=*', 'synchronous_commit=remote_apply'] : []),
    ],
    // A replica is a copy of the data from before the first start: the bundled server comes without pg_basebackup.
    beforeStart: (folder) => {
      for (let copy = 1; copy <= count; copy += 1) copies.push(copyOf(folder))
    },
  })
  const replicas = await Promise.all(copies.map((folder) => startReplica(folder, primary.url, is_durable)))
  return {
    primary,
    replicas,
    async stop() {
      // A synchronous primary would wait for the replicas.
      await primary.stop()
      await Promise.all(replicas.map((replica) => replica.stop()))
    },
  }
}

function copyOf(dataFolder: string): string {
  const folder = join(serverFolder(), 'data')
  cpSync(dataFolder, folder, { recursive: true })
  writeFileSync(join(folder, 'standby.signal'), '')
  const { uid, gid } = statSync(dataFolder)
  for (const file of ['', ...readdirSync(folder, { recursive: true, encoding: 'utf8' })])
    chownSync(join(folder, file), uid, gid)
  chmodSync(folder, 0o700)
  return folder
}

async function startReplica(folder: string, primaryUrl: string, isDurable: boolean): Promise<ReplicaServer> {
  const EmbeddedPostgres = await importWithoutExitHooks()
  const port = await freePort()
  const at = new URL(primaryUrl)
  const urlOf = (url: string) => Object.assign(new URL(url), { port: String(port) }).href
  const server = new EmbeddedPostgres({
    databaseDir: folder,
    port,
    createPostgresUser: process.getuid?.() === 0,
    postgresFlags: [
      'max_connections=300',
      'listen_addresses=127.0.0.1',
      ...(isDurable ? [] : ['fsync=off']),
      'hot_standby_feedback=on',
      'wal_receiver_status_interval=1s',
      'wal_retrieve_retry_interval=200ms',
      `primary_conninfo=host=${at.hostname} port=${at.port} user=${at.username} password=${at.password}`,
    ].flatMap((setting) => ['-c', setting]),
    onLog: () => {},
    onError: () => {},
  }) as unknown as EmbeddedServer
  const run = async (statement: string) => {
    const client = new pg.Client({ connectionString: urlOf(primaryUrl) })
    client.on('error', () => {})
    await client.connect()
    return (await client.query(statement).finally(() => client.end())).rows
  }
  const answers = () =>
    run('select').then(
      () => true,
      () => false,
    )
  const start = async () => {
    // It waits for a message that a replica does not write, and fails when the server ends.
    let hasEnded = false
    server.start().catch(() => {
      hasEnded = true
    })
    while (!(await answers())) {
      if (hasEnded) throw new Error(`The replica in ${folder} does not start`)
      await wait(50)
    }
  }
  const kill = async () => {
    const { process: running } = server
    if (running === undefined) return
    server.process = undefined
    await new Promise((resolve) => {
      running.once('exit', resolve)
      running.kill('SIGKILL')
    })
  }
  await start()
  return {
    url: urlOf(primaryUrl),
    urlOf,
    run,
    pause: async () => void (await run('select pg_wal_replay_pause()')),
    resume: async () => void (await run('select pg_wal_replay_resume()')),
    kill,
    async freeze() {
      const processes = await run('select pid from pg_stat_activity where pid <> pg_backend_pid()')
      const pids = [server.process?.pid as number, ...processes.map(({ pid }) => pid as number)]
      for (const pid of pids) process.kill(pid, 'SIGSTOP')
      return () => {
        for (const pid of pids) process.kill(pid, 'SIGCONT')
      }
    },
    start,
    async stop() {
      await kill()
      rmSync(join(folder, '..'), { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
    },
  }
}

/** With the process, which its types keep private. */
type EmbeddedServer = { start(): Promise<void>; process: ChildProcess | undefined }
