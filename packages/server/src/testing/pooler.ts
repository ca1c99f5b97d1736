import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { PostgresOptions } from '../core/db/connect.ts'
import { freePort, throughSocket } from './postgres.ts'

/*
 * PgBouncer in transaction mode between the tests and their PostgreSQL (npm run try-pooler). What the tests connect goes through it;
 * what a test connects by itself, to look at the server or to hold a lock, does not.
 */

export interface Pooler {
  /** URL of the same database through the pooler. */
  urlOf(databaseUrl: string): string
  stop(): Promise<void>
}

/** Whether a release keeps prepared statements. */
export function keepsPrepared(binary: string): boolean {
  const [, minor = '0'] = /PgBouncer 1\.(\d+)/.exec(execFileSync(binary, ['--version'], { encoding: 'utf8' })) ?? []
  return Number(minor) >= 21
}

/** Starts PgBouncer before a server, for all of its databases. `settings` are lines of its configuration. */
export async function startPooler(
  binary: string,
  serverUrl: string,
  {
    pool_size = 10,
    settings = [],
    port: wanted,
  }: { pool_size?: number; settings?: readonly string[]; port?: number } = {},
): Promise<Pooler> {
  const server = new URL(serverUrl)
  const port = wanted ?? (await freePort())
  const folder = mkdtempSync(join(tmpdir(), 'guerdon-pooler-'))
  const file = (name: string, lines: readonly string[]) => {
    writeFileSync(join(folder, name), `${lines.join('\n')}\n`)
    return join(folder, name)
  }
  chmodSync(folder, 0o755) // it runs as another user when this process is root
  const users = file('users', [`"${server.username}" "${server.password}"`])
  const configuration = file('pgbouncer.ini', [
    '[databases]',
    `* = host=${server.hostname} port=${server.port}`,
    '[pgbouncer]',
    'listen_addr = 127.0.0.1',
    `listen_port = ${port}`,
    'unix_socket_dir =',
    'auth_type = trust',
    `auth_file = ${users}`,
    'pool_mode = transaction',
    'max_client_conn = 2000',
    `default_pool_size = ${pool_size}`,
    'server_idle_timeout = 10', // every test file has databases of its own
    'server_reset_query =',
    ...(keepsPrepared(binary) ? ['max_prepared_statements = 200'] : []),
    ...settings,
  ])
  const asUser = process.getuid?.() === 0 ? ['-u', 'nobody'] : [] // it refuses to run as root
  const child = spawn(binary, [...asUser, configuration], { stdio: ['ignore', 'ignore', 'pipe'] })
  let output = ''
  child.stderr.on('data', (chunk: Buffer) => (output = `${output}${chunk}`.slice(-4_000)))
  await untilItListens(child, port, () => output)
  return {
    urlOf: (databaseUrl) => Object.assign(new URL(databaseUrl), { hostname: '127.0.0.1', port: String(port) }).href,
    async stop() {
      const ended = new Promise((resolve) => child.once('close', resolve))
      child.kill('SIGQUIT')
      await ended
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

async function untilItListens(child: ChildProcess, port: number, output: () => string): Promise<void> {
  const isListening = () =>
    new Promise<boolean>((resolve) => {
      const socket = connect(port, '127.0.0.1')
      socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
      socket.once('connect', () => socket.destroy())
    })
  while (!(await isListening())) {
    if (child.exitCode !== null) throw new Error(`PgBouncer did not start:\n${output()}`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

/** Told to the processes of the tests by the one that has started the pooler. */
interface RunningPooler {
  server: string
  pooler: string
  prepared: 'on' | 'off'
}

/** From now on, in this process and those that it starts, `pooled` leads through the pooler. */
export function usePooler(pooler: Pooler, serverUrl: string, prepared: RunningPooler['prepared']): void {
  const running: RunningPooler = {
    server: new URL(serverUrl).host,
    pooler: new URL(pooler.urlOf(serverUrl)).host,
    prepared,
  }
  process.env.TEST_RUNNING_POOLER = JSON.stringify(running)
}

/** How a node connects to a database of the tests: through the pooler, if there is one before its server. */
export function pooled(
  url: string,
): Pick<PostgresOptions, 'connectionString' | 'session_url' | 'is_pooled' | 'prepares'> {
  const running = runningBefore(url)
  if (running === null) return { connectionString: throughSocket(url) }
  const connectionString = Object.assign(new URL(url), { host: running.pooler }).href
  return { connectionString, session_url: url, is_pooled: true, prepares: running.prepared === 'on' }
}

/** The same as environment variables of a process. */
export function pooledEnvironment(env: Record<string, string>): Record<string, string> {
  const { DATABASE_URL: url = '' } = env
  const running = url === '' || env.DATABASE_SESSION_URL !== undefined ? null : runningBefore(url)
  if (running === null) return env
  const { connectionString } = pooled(url)
  return { ...env, DATABASE_URL: connectionString, DATABASE_SESSION_URL: url, DATABASE_PREPARED: running.prepared }
}

function runningBefore(url: string): RunningPooler | null {
  const text = process.env.TEST_RUNNING_POOLER
  if (text === undefined || !URL.canParse(url)) return null
  const running: RunningPooler = JSON.parse(text)
  return new URL(url).host === running.server ? running : null
}
