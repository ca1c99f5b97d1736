import { spawn } from 'node:child_process'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { startService } from '../../command-line/serve.ts'
import { limits } from '../../core/lib/limits.ts'
import { readSettings } from '../../core/settings.ts'
import { closeRuntime } from '../../runtime.ts'
import { patientWaits } from '../connection-wait.ts'
import { pooledEnvironment } from '../pooler.ts'
import { replicaEnvironment } from '../test-replica.ts'
import { endWithUs } from './end-with-us.ts'

/** One process of the service. */
export interface ServiceNode {
  address: string
  /** The output so far: the start messages, and errors if there are any. */
  output(): string
  kill(): Promise<void>
  stop(): Promise<void>
}

/** The keys with which a node bootstraps a database. */
export const credentials = {
  application: {
    'X-App-Id': '7d1c0f5e-3a52-4b8e-9c61-5f0a2d7be914',
    'X-App-Token': 'e2a96c34-81fd-4d07-b5a3-09c7f14d6b28',
  },
  management: {
    'X-Management-Id': '2b9e6d10-c7f4-4a35-8e02-61d8f3a4b7c9',
    'X-Management-Token': '94f0c8e7-1d26-4b5f-a3e9-7c50b2d1f684',
  },
}

export interface NodeOptions {
  /** Limits of waiting as in production (serve.ts). */
  has_ordinary_waits?: boolean
}

const environmentOf = (databaseUrl: string): Record<string, string> => ({
  PORT: '0',
  ...pooledEnvironment({ DATABASE_URL: databaseUrl }),
  ...replicaEnvironment(databaseUrl),
  LOG_LEVEL: 'error',
  AUTH_MODE: 'either', // a token would expire during a long load
  WEBHOOK_ALLOW_PRIVATE_TARGETS: 'true', // the receivers of the tests listen on the loopback
  BOOTSTRAP_APP_ID: credentials.application['X-App-Id'],
  BOOTSTRAP_APP_TOKEN: credentials.application['X-App-Token'],
  BOOTSTRAP_MANAGEMENT_ID: credentials.management['X-Management-Id'],
  BOOTSTRAP_MANAGEMENT_TOKEN: credentials.management['X-Management-Token'],
})

/** A node in this process, with connections, caches and job workers of its own: races need no more, and it starts faster. */
export async function startNodeHere(databaseUrl: string): Promise<ServiceNode> {
  const settings = readSettings({ ...environmentOf(databaseUrl), DASHBOARD: 'off', GUIDES: 'off' })
  let output = ''
  const log = {
    write(line: string) {
      output += line
    },
  }
  const { app, runtime } = await withPatientWaits(() =>
    startService({ settings, is_terminal: false, say: () => {} }, { sheds_load: false, log_to: log }),
  )
  const { port } = app.server.address() as AddressInfo
  const stop = async () => {
    await app.close()
    await closeRuntime(runtime, 1)
  }
  return { address: `http://127.0.0.1:${port}`, output: () => output, kill: stop, stop }
}

let starting = 0
let ordinary: typeof limits

/** Nodes start at the same time: the first one changes the limits, and the last one restores them. */
async function withPatientWaits<T>(start: () => Promise<T>): Promise<T> {
  if (starting === 0) {
    ordinary = { ...limits }
    Object.assign(limits, patientWaits)
  }
  starting += 1
  return start().finally(() => {
    starting -= 1
    if (starting === 0) Object.assign(limits, ordinary)
  })
}

export async function startNode(
  databaseUrl: string,
  { has_ordinary_waits = false }: NodeOptions = {},
): Promise<ServiceNode> {
  const file = (path: string) => fileURLToPath(new URL(path, import.meta.url))
  const child = spawn(
    process.execPath,
    ['--conditions=source', '--disable-warning=ExperimentalWarning', file('./serve.ts')],
    {
      env: {
        PATH: process.env.PATH ?? '',
        NODE_COMPILE_CACHE: file('../../../../../node_modules/.cache/guerdon/compiled'),
        ORDINARY_WAITS: String(has_ordinary_waits),
        ...environmentOf(databaseUrl),
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  )
  endWithUs(child)
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()))
  let isOver = false
  const ended = new Promise<void>((resolve) =>
    child.once('close', () => {
      isOver = true
      resolve()
    }),
  )
  const end = async (signal: NodeJS.Signals) => {
    child.kill(signal)
    await ended
  }
  for (let waitedMs = 0; ; waitedMs += 20) {
    const address = /ready on (\S+)/.exec(output)?.[1]
    if (address !== undefined)
      return { address, output: () => output, kill: () => end('SIGKILL'), stop: () => end('SIGTERM') }
    if (isOver || waitedMs > 250_000) {
      await end('SIGKILL')
      throw new Error(`The service did not start:\n${output}`)
    }
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}
