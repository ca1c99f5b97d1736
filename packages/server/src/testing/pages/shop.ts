import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { atEnd } from '../closings.ts'
import { newPostgresDatabase } from '../database.ts'
import { keysFileIn, retryWhile503, startGuerdon } from '../process.ts'

/** What the commands of a page find in their environment: the address of a service and the keys of a project that is theirs alone; PORT is free for a program of the page. */
export type ShopEnvironment = Record<
  | 'API'
  | 'PROJECT_ID'
  | 'APP_ID'
  | 'APP_TOKEN'
  | 'CLIENT_ID'
  | 'CLIENT_TOKEN'
  | 'MANAGEMENT_ID'
  | 'MANAGEMENT_TOKEN'
  | 'DATABASE_URL'
  | 'PORT',
  string
>

type Service = Pick<ShopEnvironment, 'API' | 'MANAGEMENT_ID' | 'MANAGEMENT_TOKEN' | 'DATABASE_URL'>

const services = new Map<string, Promise<Service>>()

/** A new project on a service with the given settings; the pages with the same settings share the service. */
export async function newPageShop(settings: Record<string, string>): Promise<ShopEnvironment> {
  const name = JSON.stringify(settings)
  const started = services.get(name) ?? startService(settings)
  services.set(name, started)
  const service = await started
  const headers = {
    'X-Management-Id': service.MANAGEMENT_ID,
    'X-Management-Token': service.MANAGEMENT_TOKEN,
    'Content-Type': 'application/json',
  }
  const body = JSON.stringify({ name: 'A page', timezone: 'UTC', currency: 'EUR', case_sensitive_codes: true })
  const answer = await retryWhile503(() =>
    fetch(`${service.API}/management/v1/projects`, { method: 'POST', headers, body }),
  )
  const project = (await answer.json()) as NewProject
  return {
    ...service,
    PORT: String(await freePort()),
    PROJECT_ID: project.id,
    APP_ID: project.server_side_key.app_id,
    APP_TOKEN: project.server_side_key.app_token,
    CLIENT_ID: project.client_side_key.app_id,
    CLIENT_TOKEN: project.client_side_key.app_token,
  }
}

interface NewProject {
  id: string
  server_side_key: { app_id: string; app_token: string }
  client_side_key: { app_id: string; app_token: string }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

async function startService(settings: Record<string, string>): Promise<Service> {
  const { url, drop } = await newPostgresDatabase()
  atEnd(drop)
  atEnd(async () => services.clear())
  const server = await startGuerdon(
    // A port that it knows from the start: the addresses of exports have it.
    { DATABASE_URL: url, PORT: String(await freePort()), WEBHOOK_ALLOW_PRIVATE_TARGETS: 'true', ...settings },
    atEnd,
  )
  const keys = readFileSync(keysFileIn(server.output()), 'utf8')
  const value = (name: string) => new RegExp(`${name}: +(\\S+)`).exec(keys)?.[1] as string
  return {
    API: server.address,
    DATABASE_URL: url,
    MANAGEMENT_ID: value('X-Management-Id'),
    MANAGEMENT_TOKEN: value('X-Management-Token'),
  }
}
