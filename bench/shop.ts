import { readFileSync } from 'node:fs'
import { createDatabase, freePort, startPostgres } from '../packages/server/src/testing/postgres.ts'
import { startServer } from './processes.ts'

/** Our service on a PostgreSQL of its own, and how to call it as its first project. */
export interface BenchShop {
  address: string
  database_url: string
  project_id: string
  headers: Record<string, string>
  pid: number
  stop(): Promise<void>
}

const keys = {
  BOOTSTRAP_APP_ID: 'bench-app',
  BOOTSTRAP_APP_TOKEN: 'bench-token',
  BOOTSTRAP_MANAGEMENT_ID: 'bench-management',
  BOOTSTRAP_MANAGEMENT_TOKEN: 'bench-management-token',
}

/** The headers of an operator. */
export const management_headers = {
  'X-Management-Id': keys.BOOTSTRAP_MANAGEMENT_ID,
  'X-Management-Token': keys.BOOTSTRAP_MANAGEMENT_TOKEN,
}

export async function openShop(more: Record<string, string> = {}): Promise<BenchShop> {
  const postgres = await startPostgres()
  const { url: database_url, drop } = await createDatabase(postgres.url)
  const port = await freePort()
  const settings = { DATABASE_URL: database_url, PORT: String(port), LOG_LEVEL: 'warn', ...keys, ...more }
  const server = await startServer('../packages/server/src/main.ts', settings)
  const address = `http://127.0.0.1:${port}`
  return {
    address,
    database_url,
    project_id: /proj_\w+/.exec(server.output)?.[0] as string,
    headers: await headersOf(address),
    pid: server.pid,
    async stop() {
      await server.stop()
      await drop()
      await postgres.stop()
    },
  }
}

/** The headers of a strict call. */
async function headersOf(address: string): Promise<Record<string, string>> {
  const pair = { 'X-App-Id': keys.BOOTSTRAP_APP_ID, 'X-App-Token': keys.BOOTSTRAP_APP_TOKEN }
  const body = new URLSearchParams({ grant_type: 'client_credentials', scope: 'api' })
  const answer = await fetch(`${address}/v1/oauth/token`, { method: 'POST', headers: pair, body })
  const { access_token } = (await answer.json()) as { access_token: string }
  return { ...pair, Authorization: `Bearer ${access_token}` }
}

/** What the process of the service holds in memory, as the kernel counts it. */
export function residentMb({ pid }: BenchShop): number {
  const [, kilobytes] = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return Number(kilobytes) / 1_024
}
