import { cpSync, existsSync, mkdirSync, mkdtempSync, openAsBlob, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { buildApp } from '../../../server/src/app.ts'
import type { Runtime } from '../../../server/src/core/context.ts'
import { connectPglite } from '../../../server/src/core/db/connect.ts'
import { readSettings, type Settings } from '../../../server/src/core/settings.ts'
import { readDashboard } from '../../../server/src/platform/dashboard-files.ts'
import { openGuides } from '../../../server/src/platform/guides-site.ts'
import { closeRuntime, openRuntime } from '../../../server/src/runtime.ts'
import { emptyDatabase } from '../../../server/src/testing/snapshot.ts'
import { startJobs } from '../../../server/src/work.ts'
import { type Filling, fillings } from './fillings.ts'

/** A running service with the built dashboard and guides, on an embedded database of its own. */
export interface Shop {
  address: string
  runtime: Runtime
  project_id: string
  /** Calls the API with a server key; throws unless it succeeds. */
  // biome-ignore lint/suspicious/noExplicitAny: an answer in a journey is whatever the journey expects of it
  call(method: string, path: string, body?: unknown): Promise<any>
  /** Calls the management API with its key; throws unless it succeeds. */
  // biome-ignore lint/suspicious/noExplicitAny: as above
  manage(method: string, path: string, body?: unknown): Promise<any>
  close(): Promise<void>
}

export interface ShopOptions {
  /** What the database contains at the beginning. */
  filling: Filling
  /** A folder for the filled databases, of which every shop gets a copy: filling one takes much longer than copying it. */
  templates: string
  /** Settings besides those of every shop. */
  env?: Record<string, string>
}

/** Keys that every shop has. */
const keys = {
  BOOTSTRAP_APP_ID: 'journey-app',
  BOOTSTRAP_APP_TOKEN: 'journey-app-token-0123456789',
  BOOTSTRAP_MANAGEMENT_ID: 'journey-management',
  BOOTSTRAP_MANAGEMENT_TOKEN: 'journey-management-token-0123456789',
  BOOTSTRAP_OWNER_EMAIL: 'owner@example.com',
}

export async function startShop({ filling, templates, env = {} }: ShopOptions): Promise<Shop> {
  const template = join(templates, filling)
  if (!existsSync(template)) await fillTemplate(template, filling)
  const folder = mkdtempSync(join(tmpdir(), 'guerdon-shop-'))
  cpSync(template, folder, { recursive: true })
  const port = await freePort()
  const settings = settingsOf(folder, { PORT: String(port), ...env })
  const { runtime } = await openRuntime(settings, log)
  const dashboard = readDashboard(settings, log)
  const app = buildApp({ runtime, sheds_load: false, dashboard, guides: openGuides(settings) })
  const close = async () => {
    await app.close()
    await closeRuntime(runtime, 1)
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  }
  try {
    await startJobs(runtime)
    await app.listen({ port, host: '127.0.0.1' })
    const { id } = await runtime.database.db.selectFrom('projects').select('id').executeTakeFirstOrThrow()
    return { address: settings.base_url, runtime, project_id: id, close, ...callersOf(settings.base_url) }
  } catch (error) {
    await close()
    throw error
  }
}

/** Jobs and requests log their failures, which a journey should not hide. */
const log = pino({ level: 'error' })

/** Makes the database that shops with this filling begin with. Its folder appears when it is complete. */
async function fillTemplate(template: string, filling: Filling): Promise<void> {
  const draft = `${template}.draft`
  rmSync(draft, { recursive: true, force: true })
  mkdirSync(draft, { recursive: true })
  await (await connectPglite({ folder: draft, snapshot: await openAsBlob(await emptyDatabase()) })).close()
  const { runtime } = await openRuntime(settingsOf(draft, { PORT: '0' }), log)
  try {
    await fillings[filling](runtime)
  } finally {
    await closeRuntime(runtime, 0)
  }
  cpSync(draft, template, { recursive: true })
  rmSync(draft, { recursive: true, force: true })
}

const settingsOf = (folder: string, env: Record<string, string>): Settings =>
  readSettings({ ...keys, GUERDON_DATA_DIR: folder, AUTH_MODE: 'either', HOST: '127.0.0.1', ...env })

function callersOf(address: string): Pick<Shop, 'call' | 'manage'> {
  const call = async (method: string, path: string, body: unknown, headers: Record<string, string>) => {
    const answer = await fetch(`${address}${path}`, {
      method,
      headers: { ...headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const text = await answer.text()
    if (!answer.ok) throw new Error(`${method} ${path} was answered with ${answer.status}: ${text}`)
    return text === '' ? null : JSON.parse(text)
  }
  const app = { 'x-app-id': keys.BOOTSTRAP_APP_ID, 'x-app-token': keys.BOOTSTRAP_APP_TOKEN }
  const management = {
    'x-management-id': keys.BOOTSTRAP_MANAGEMENT_ID,
    'x-management-token': keys.BOOTSTRAP_MANAGEMENT_TOKEN,
    prefer: 'return=representation', // shows the link of an invited user
  }
  return {
    call: (method, path, body) => call(method, path, body, app),
    manage: (method, path, body) => call(method, `/management/v1${path}`, body, management),
  }
}

/** Chosen before the service starts: its public address is one of its settings. */
function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer()
      .on('error', reject)
      .listen(0, '127.0.0.1', () => {
        const { port } = probe.address() as { port: number }
        probe.close(() => resolve(port))
      })
  })
}
