import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { GuerdonClientSideOptions, GuerdonOptions } from '@guerdon/client'
import { endOnSignal } from './signals.ts'
import { startGuerdon } from './start-guerdon.ts'

/** A service to work with: what the clients of it are made with. */
export interface OpenGuerdon {
  server: GuerdonOptions
  page: GuerdonClientSideOptions
  /** Whether it was started for the example and ends with it. */
  is_own: boolean
  /** Stops the service and returns how it is started again, at the same address; nothing happens to one that is not the example's own. */
  interrupt(): Promise<() => Promise<void>>
  /** Ends the service and deletes its database, if they are the example's own. */
  close(): Promise<void>
}

/** The names that other programs of this repository use too. */
const names = ['APP_ID', 'APP_TOKEN', 'CLIENT_ID', 'CLIENT_TOKEN', 'MANAGEMENT_ID', 'MANAGEMENT_TOKEN'] as const
type Keys = Record<(typeof names)[number], string>

/**
 * The service at GUERDON_URL, with the keys of the environment; without GUERDON_URL one of the example's own, on an embedded
 * database that lives as long as the example. `env`: settings of an own service.
 */
export async function openGuerdon(env: Record<string, string> = {}): Promise<OpenGuerdon> {
  endOnSignal()
  const { GUERDON_URL } = process.env
  if (GUERDON_URL)
    return {
      ...optionsOf(GUERDON_URL, keysOfEnvironment()),
      is_own: false,
      interrupt: async () => nothing,
      close: nothing,
    }
  process.stderr.write('Starting a Guerdon on an embedded database …\n')
  const folder = mkdtempSync(join(tmpdir(), 'guerdon-example-'))
  const keys = Object.fromEntries(names.map((name) => [name, `example-${randomUUID()}`])) as Keys
  const remove = () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  process.once('exit', remove)
  const settings = { ...firstStart(keys), GUERDON_DATA_DIR: folder, ...env }
  let { url, stop } = await startGuerdon(settings)
  const interrupt = async () => {
    await stop()
    return async () => {
      ;({ url, stop } = await startGuerdon({ ...settings, PORT: new URL(url).port }))
    }
  }
  const close = async () => {
    await stop()
    remove()
  }
  return { ...optionsOf(url, keys), is_own: true, interrupt, close }
}

const nothing = async () => {}

/** The first start of a service creates these keys instead of random ones. */
const firstStart = (keys: Keys): Record<string, string> => ({
  ...Object.fromEntries(names.map((name) => [`BOOTSTRAP_${name}`, keys[name]])),
  PORT: '0',
  HOST: '127.0.0.1',
  DASHBOARD: 'off',
  GUIDES: 'off',
})

function keysOfEnvironment(): Keys {
  const missing = names.filter((name) => !process.env[name])
  if (missing.length > 0) throw new Error(`GUERDON_URL is set, so these must be set too: ${missing.join(', ')}`)
  return Object.fromEntries(names.map((name) => [name, process.env[name]])) as Keys
}

const optionsOf = (baseUrl: string, keys: Keys): Pick<OpenGuerdon, 'server' | 'page'> => ({
  server: {
    baseUrl,
    applicationId: keys.APP_ID,
    secretKey: keys.APP_TOKEN,
    managementId: keys.MANAGEMENT_ID,
    managementSecret: keys.MANAGEMENT_TOKEN,
  },
  page: { baseUrl, clientApplicationId: keys.CLIENT_ID, clientSecretKey: keys.CLIENT_TOKEN },
})
