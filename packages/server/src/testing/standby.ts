import { type ChildProcess, spawn } from 'node:child_process'
import { appendFileSync, cpSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import pg from 'pg'
import { until } from './background.ts'
import { endWithUs } from './checkout-load/end-with-us.ts'
import { freePort, startPostgres } from './postgres.ts'

/** A PostgreSQL and its synchronous standby: what the primary has acknowledged, the standby has on its disk. */
export interface PrimaryAndStandby {
  primary: PairedServer
  standby: PairedServer
  /** A URL that names both hosts, as a node is given it. */
  url: string
  stop(): Promise<void>
}

export interface PairedServer {
  url: string
  /** Runs a statement on a connection of its own. */
  query(text: string): Promise<Array<Record<string, unknown>>>
  /** Sends a signal to all its processes at once. SIGKILL: as if its machine were gone. SIGSTOP: as if it hung. */
  signal(signal: 'SIGKILL' | 'SIGSTOP' | 'SIGCONT'): Promise<void>
  /** Makes a standby the primary; returns when it accepts writes. */
  promote(): Promise<void>
}

/** Starts both, from the bundled programs; there is no pg_basebackup among them, so the standby begins with a copy of the folder. */
export async function startPrimaryAndStandby(): Promise<PrimaryAndStandby> {
  const first = await startPostgres({ url: '' })
  const primary = pairedServer(first.url)
  const [{ data_directory: folder }] = (await primary.query('show data_directory')) as [{ data_directory: string }]
  const firstPid = firstProcessIn(folder)
  const { uid, gid } = statSync(folder)
  const ownFolder = mkdtempSync(join(tmpdir(), 'guerdon-standby-'))
  const copy = join(ownFolder, 'data')
  const port = await freePort()
  await copyFolder(primary, folder, copy)
  const { hostname, port: primaryPort, username, password } = new URL(first.url)
  writeFileSync(join(copy, 'standby.signal'), '')
  appendFileSync(
    join(copy, 'postgresql.auto.conf'),
    `primary_conninfo = 'host=${hostname} port=${primaryPort} user=${username} password=${password} application_name=standby'\n`,
  )
  await run('chown', ['-R', `${uid}:${gid}`, ownFolder])
  const [command, ...args] = startedWith(folder)
  const child = spawn(command as string, argumentsFor(args, { data: copy, port }), { uid, gid, stdio: 'ignore' })
  endWithUs(child, 'SIGQUIT')
  const standby = pairedServer(withPort(first.url, port))
  await until(async () => (await standby.query('select 1').catch(() => []))[0])
  await primary.query(`alter system set synchronous_standby_names = 'standby'`)
  await primary.query('select pg_reload_conf()')
  await until(async () => (await primary.query(`select from pg_stat_replication where sync_state = 'sync'`))[0])
  return {
    primary,
    standby,
    url: namingBoth(first.url, port),
    async stop() {
      await Promise.all([primary, standby].map((server) => server.signal('SIGCONT')))
      // The package that started the first one waits for ever if it was killed.
      for (const pid of [child.pid as number, firstPid]) end(pid)
      await until(() => ([child.pid as number, firstPid].some(isAlive) ? undefined : true))
      for (const own of [ownFolder, dirname(folder)]) rmSync(own, { recursive: true, force: true })
    },
  }
}

function pairedServer(url: string): PairedServer {
  const query = async (text: string) => {
    const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000, query_timeout: 60_000 })
    client.on('error', () => {})
    try {
      await client.connect()
      return (await client.query(text)).rows
    } finally {
      void client.end().catch(() => {})
    }
  }
  let pids: number[] = []
  return {
    url,
    query,
    async signal(signal) {
      // A stopped server cannot be asked which processes it has.
      if (signal !== 'SIGCONT') pids = await processesOf(query)
      for (const pid of pids) sendSignal(pid, signal)
    },
    async promote() {
      await query('select pg_promote(true, 60)')
      await until(async () => (await query('select where not pg_is_in_recovery()'))[0])
    },
  }
}

/** The first is the one that has started all others. */
async function processesOf(query: PairedServer['query']): Promise<number[]> {
  const [{ folder }] = (await query(`select current_setting('data_directory') as folder`)) as [{ folder: string }]
  const rows = await query('select pid from pg_stat_activity')
  return [firstProcessIn(folder), ...rows.map(({ pid }) => pid as number)]
}

const firstProcessIn = (folder: string): number =>
  Number(readFileSync(join(folder, 'postmaster.pid'), 'utf8').split('\n')[0])

const isAlive = (pid: number): boolean => sendSignal(pid, 0)
const end = (pid: number): boolean => sendSignal(pid, 'SIGQUIT')

/** Whether the process exists. */
function sendSignal(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, signal)
  } catch {
    return false
  }
}

/** Copies the files of a running server; it writes into its log what changed meanwhile. */
async function copyFolder(server: PairedServer, from: string, to: string): Promise<void> {
  const client = new pg.Client({ connectionString: server.url })
  await client.connect()
  try {
    await client.query(`select pg_backup_start('standby', true)`)
    const isLeftOut = /\/(postmaster\.(pid|opts)|pg_wal\/.+|pg_replslot\/.+|pgsql_tmp.*)$/
    cpSync(from, to, { recursive: true, filter: (path) => !isLeftOut.test(path) })
    // A file for each segment of the log since the beginning of the copy would do; there is no other that keeps them.
    await client.query(`select pg_switch_wal()`)
    const { rows } = await client.query('select labelfile from pg_backup_stop(false)')
    writeFileSync(join(to, 'backup_label'), rows[0].labelfile)
    cpSync(join(from, 'pg_wal'), join(to, 'pg_wal'), { recursive: true })
  } finally {
    await client.end()
  }
}

const startedWith = (folder: string): string[] =>
  readFileSync(join(folder, 'postmaster.opts'), 'utf8')
    .trim()
    .split(/ "|"(?: "|$)/)
    .filter((word) => word !== '')

/** The arguments of the first server for another folder and port. Pages that a killed server was writing may be torn. */
function argumentsFor(args: readonly string[], { data, port }: { data: string; port: number }): string[] {
  const own: Record<string, string> = { '-D': data, '-p': String(port) }
  return args.map(
    (word, index) => own[args[index - 1] ?? ''] ?? word.replace('full_page_writes=off', 'full_page_writes=on'),
  )
}

function withPort(url: string, port: number): string {
  const changed = new URL(url)
  changed.port = String(port)
  return changed.href
}

/** The standby comes first: a node has to pass over it. */
function namingBoth(url: string, port: number): string {
  const { username, password, host, hostname, pathname } = new URL(url)
  return `postgres://${username}:${password}@${hostname}:${port},${host}${pathname}?target_session_attrs=read-write`
}

function run(command: string, args: string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const child: ChildProcess = spawn(command, args, { stdio: 'ignore' })
    child.once('error', reject)
    child.once('exit', (code) => (code === 0 ? resolve() : reject(new Error(`${command} failed with ${code}`))))
  })
}
