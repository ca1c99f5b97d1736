import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { startPooler } from '../packages/server/src/testing/pooler.ts'
import { createDatabase, freePort, startPostgres } from '../packages/server/src/testing/postgres.ts'
import { startServer } from './processes.ts'

/** The service on a new database, and the headers to call it as its first project. */
export interface BenchShop {
  address: string
  port: number
  database_url: string
  project_id: string
  headers: Record<string, string>
  pid: number
  stop(): Promise<void>
}

const keys = {
  BOOTSTRAP_APP_ID: 'bench-app',
  BOOTSTRAP_APP_TOKEN: 'bench-token-0123456789',
  BOOTSTRAP_CLIENT_TOKEN: 'bench-client-token-0123456789',
  BOOTSTRAP_MANAGEMENT_ID: 'bench-management',
  BOOTSTRAP_MANAGEMENT_TOKEN: 'bench-management-token',
}

/** The lifetime of the access token, longer than any bench. */
const tokenSeconds = 2 * 3_600

/** The headers of an operator. */
export const managementHeaders = {
  'X-Management-Id': keys.BOOTSTRAP_MANAGEMENT_ID,
  'X-Management-Token': keys.BOOTSTRAP_MANAGEMENT_TOKEN,
}

/** The entry point of this checkout. */
export const thisCheckout = new URL('../packages/server/src/main.ts', import.meta.url)

export interface ShopOptions {
  is_durable?: boolean
  /** The entry point of the service. */
  main?: URL
  /** Settings besides those of every bench. */
  env?: Record<string, string>
  /** The path of PgBouncer, which the service then goes through. */
  pooler?: string
}

/** Starts the service on a temporary PostgreSQL, or on the one at BENCH_DATABASE_URL. */
export async function openShop({
  is_durable = false,
  main = thisCheckout,
  env = {},
  pooler: poolerBinary,
}: ShopOptions = {}): Promise<BenchShop> {
  const { url, server_url, remove } = await openDatabase({ is_durable })
  const pooler = poolerBinary === undefined ? null : await startPooler(poolerBinary, server_url)
  const urls = pooler === null ? { DATABASE_URL: url } : { DATABASE_URL: pooler.urlOf(url), DATABASE_SESSION_URL: url }
  return openShopOn(main, { ...env, ...urls }, async () => {
    await pooler?.stop()
    await remove()
  })
}

/** A database for several starts of the service. */
export async function openDatabase({ is_durable }: { is_durable: boolean }): Promise<BenchDatabase> {
  const postgres = await startPostgres({ url: process.env.BENCH_DATABASE_URL, is_durable })
  const { url, drop } = await createDatabase(postgres.url)
  return {
    url,
    server_url: postgres.url,
    async remove() {
      await drop()
      await postgres.stop()
    },
  }
}

export interface BenchDatabase {
  url: string
  /** The server that it is on. */
  server_url: string
  remove(): Promise<void>
}

/** Starts the service on such a database; its project is known at the first start. */
export function openShopAt({ url }: BenchDatabase, env: Record<string, string>): Promise<BenchShop> {
  return openShopOn(thisCheckout, { ...env, DATABASE_URL: url }, async () => {})
}

/** Starts the service on the embedded database in a temporary folder. */
export async function openEmbeddedShop(): Promise<BenchShop> {
  const folder = mkdtempSync(join(tmpdir(), 'guerdon-bench-'))
  return openShopOn(thisCheckout, { GUERDON_DATA_DIR: folder }, async () => rmSync(folder, { recursive: true }))
}

/** Starts the service on the database of these settings; the headers are those of the project that its first service created. */
export async function openShopOn(
  main: URL,
  env: Record<string, string>,
  remove: () => Promise<void> = async () => {},
): Promise<BenchShop> {
  const port = await freePort()
  const settings = {
    ...env,
    PORT: String(port),
    LOG_LEVEL: 'warn',
    OAUTH_TOKEN_TTL_SECONDS: String(tokenSeconds),
    ...keys,
  }
  const server = await startServer(main, settings)
  const address = `http://127.0.0.1:${port}`
  return {
    address,
    port,
    database_url: env.DATABASE_SESSION_URL ?? env.DATABASE_URL ?? '',
    project_id: /proj_\w+/.exec(server.output)?.[0] as string,
    headers: await headersOf(address, { 'X-App-Id': keys.BOOTSTRAP_APP_ID, 'X-App-Token': keys.BOOTSTRAP_APP_TOKEN }),
    pid: server.pid,
    async stop() {
      await server.stop()
      await remove()
    },
  }
}

/** Creates another project on the same service. */
export async function newProject(shop: BenchShop, name: string): Promise<BenchShop> {
  const operator = { ...shop, headers: managementHeaders }
  const { id } = await call(operator, 'POST', '/management/v1/projects', {
    name,
    timezone: 'UTC',
    currency: 'EUR',
    case_sensitive_codes: true,
  })
  const { app_id, secret } = await call(operator, 'POST', `/management/v1/projects/${id}/api-keys`, { name: 'bench' })
  const headers = await headersOf(shop.address, { 'X-App-Id': app_id, 'X-App-Token': secret })
  return { ...shop, project_id: id, headers }
}

/** The headers of a request in strict mode: the key pair and an access token. */
async function headersOf(address: string, pair: Record<string, string>): Promise<Record<string, string>> {
  const body = new URLSearchParams({ grant_type: 'client_credentials', scope: 'api' })
  const answer = await fetch(`${address}/v1/oauth/token`, { method: 'POST', headers: pair, body })
  const { access_token } = (await answer.json()) as { access_token: string }
  return { ...pair, Authorization: `Bearer ${access_token}` }
}

/** Calls the service; an error response fails the bench. */
export async function call(
  { address, headers }: BenchShop,
  method: string,
  path: string,
  body?: object,
  // biome-ignore lint/suspicious/noExplicitAny: answers of the API, read by name
): Promise<any> {
  const answer = await fetch(`${address}${path}`, {
    method,
    headers: { ...headers, ...(body === undefined ? {} : { 'Content-Type': 'application/json' }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const text = await answer.text()
  if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${text}`)
  return JSON.parse(text)
}

export async function query(
  { database_url }: Pick<BenchShop, 'database_url'>,
  text: string,
  values?: unknown[],
  // biome-ignore lint/suspicious/noExplicitAny: whatever was selected
): Promise<any[]> {
  const client = new pg.Client({ connectionString: database_url })
  await client.connect()
  try {
    return (await client.query(text, values)).rows
  } finally {
    await client.end()
  }
}

/** The resident memory of the service process (VmRSS). */
export function residentMb({ pid }: BenchShop): number {
  const [, kilobytes] = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return Number(kilobytes) / 1_024
}
