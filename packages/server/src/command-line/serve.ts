import type { AddressInfo } from 'node:net'
import { setFlagsFromString } from 'node:v8'
import type { FastifyInstance } from 'fastify'
import type { DestinationStream } from 'pino'
import { listOwnersWithoutPassword } from '../account/sign-in/credentials-store.ts'
import { buildApp } from '../app.ts'
import type { Runtime } from '../core/context.ts'
import { limits } from '../core/lib/limits.ts'
import { openLog } from '../core/lib/log.ts'
import { version } from '../core/lib/version.ts'
import type { Settings } from '../core/settings.ts'
import { fullSize } from '../demo/plan.ts'
import { readDashboard } from '../platform/dashboard-files.ts'
import type { Filling } from '../platform/filling.ts'
import { openGuides } from '../platform/guides-site.ts'
import { closeRuntime, openRuntime } from '../runtime.ts'
import { startJobs } from '../work.ts'
import { fillBeforeServing } from './demo.ts'
import { firstStartOf, writeKeysFile } from './keys-file.ts'
import type { CommandEnvironment } from './outside.ts'
import { firstKeys, welcome } from './welcome.ts'
import type { Membership } from './workers/join-node.ts'
import { watchTerminal } from './workers/terminal.ts'

export interface ServeOptions {
  sheds_load?: boolean
  /** Whether to fill an empty project with the demo shop first. */
  demo?: boolean | undefined
  /** The project of the demo shop, if there are several. */
  project?: string | undefined
  /** The node that this process is a worker of; null: it is the node. */
  node?: Membership | null
  /** Where log lines go instead of to standard output. */
  log_to?: DestinationStream | undefined
}

/** A service that accepts requests. */
export interface Service {
  app: FastifyInstance
  runtime: Runtime
}

/** Starts the service and returns once it accepts requests; the process then runs until a signal ends it. */
export async function serve(environment: CommandEnvironment, options: ServeOptions = {}): Promise<void> {
  stopOnSignal(await startService(environment, options))
}

export async function startService(
  environment: CommandEnvironment,
  { sheds_load = true, demo = false, project, node = null, log_to }: ServeOptions,
): Promise<Service> {
  const { settings } = environment
  const isFirst = node === null || node.is_first
  const say = isFirst ? environment.say : () => {}
  // By default V8 lets the heap grow to a multiple of the live data before it collects garbage: an import that needs a few
  // megabytes at a time would take hundreds. With a growth of 42 %, an import of 100,000 rows takes some 80 MB
  // (bench/customer-import.ts), and a process that generates a million codes less than 300 (bench/codes.ts).
  setFlagsFromString('--heap-growing-percent=42')
  const nodeLog = openLog(settings.log_level, log_to)
  const log = node === null ? nodeLog : nodeLog.child({ worker: node.number })
  const storage = settings.database_url === null ? `the embedded database in ${settings.data_dir}` : 'PostgreSQL'
  say(`Guerdon ${version} is starting on ${storage} …\n`)
  const dashboard = readDashboard(settings, log)
  const guides = openGuides(settings)
  const { runtime, first_keys } = await openRuntime(
    settings,
    log,
    (keys) => writeKeysFile(firstStartOf(environment, keys)),
    node,
  )
  const firstStart = first_keys === null ? null : firstStartOf(environment, first_keys)
  let filling: Filling | null = demo && isFirst ? { day: 0, days: fullSize.days } : null
  let app: FastifyInstance | undefined
  try {
    app = buildApp({ runtime, sheds_load, dashboard, guides, filling: () => filling })
    if (filling !== null) {
      await listen(app, settings)
      const address = addressOf(app, settings.host)
      await fillBeforeServing(runtime, { project, address, say, onDay: (day, days) => (filling = { day, days }) })
    }
    await startJobs(runtime)
    filling = null
    if (!app.server.listening) await listen(app, settings)
  } catch (error) {
    await app?.close()
    await closeRuntime(runtime, 0)
    // The keys exist by now, and no later start can show them.
    if (firstStart !== null) say(firstKeys(firstStart))
    throw error
  }
  const ownersWithoutPassword =
    firstStart === null && isFirst ? await listOwnersWithoutPassword(runtime.database.db) : []
  const shown = { ...settings, has_dashboard: dashboard !== null, has_guides: guides !== null && guides() !== null }
  say(welcome(addressOf(app, settings.host), firstStart, shown, ownersWithoutPassword))
  return { app, runtime }
}

async function listen(app: FastifyInstance, settings: Settings): Promise<void> {
  await app.listen({ port: settings.port, host: settings.host }).catch((error: unknown) => {
    throw listenFailure(error, settings)
  })
}

/** Names the setting to change when the service cannot listen. */
function listenFailure(error: unknown, { port, host }: Settings): unknown {
  const { code, syscall } = error as NodeJS.ErrnoException
  if (code === 'EADDRINUSE')
    return new Error(`PORT: ${port} is in use on ${host}. Stop what listens there, or set PORT to another port.`)
  if (code === 'EACCES') return new Error(`PORT: this user may not listen on port ${port}. Set PORT to another port.`)
  if (syscall === 'getaddrinfo' || code === 'EADDRNOTAVAIL')
    return new Error(
      `HOST: ${host} is no address of this machine. 127.0.0.1 is this machine only, 0.0.0.0 all its addresses.`,
    )
  return error
}

function addressOf(app: FastifyInstance, host: string): string {
  const { port } = app.server.address() as AddressInfo
  const name = ['0.0.0.0', '::'].includes(host) ? 'localhost' : host.includes(':') ? `[${host}]` : host
  return `http://${name}:${port}`
}

/** A first signal ends the service in order. A second one, or the timeout, ends the process. */
function stopOnSignal(service: Service): void {
  const { app, runtime } = service
  let stopping = false
  const stop = (signal: NodeJS.Signals) => {
    if (stopping) process.exit(130)
    stopping = true
    void endService(service, { reason: signal, seconds: runtime.settings.drain_seconds })
  }
  process.on('SIGINT', stop)
  process.on('SIGTERM', stop)
  const isTerminalClosed = watchTerminal()
  process.on('SIGHUP', (signal) => {
    if (isTerminalClosed()) stop(signal)
    else app.log.warn('SIGHUP replaces workers, and this node is a single process: restart it, or set WORKERS')
  })
}

/**
 * Graceful shutdown: stops accepting requests, finishes the running ones, closes, and ends the process. `seconds`: how long it may go on
 * serving before; `last` is done when everything else is.
 */
export async function endService(
  { app, runtime }: Service,
  { reason, seconds, last = async () => {} }: { reason: string; seconds: number; last?: () => Promise<void> },
): Promise<never> {
  app.log.info({ reason }, 'stopping')
  setTimeout(
    () => {
      app.log.error('shutdown timed out')
      process.exit(1)
    },
    (seconds + limits.shutdown_seconds + 5) * 1_000,
  ).unref()
  await app.close()
  await closeRuntime(runtime, limits.shutdown_seconds)
  await last()
  app.log.info('stopped')
  process.exit(0)
}
