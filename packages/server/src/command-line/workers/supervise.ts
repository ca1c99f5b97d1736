import cluster, { type Worker } from 'node:cluster'
import type { Logger } from 'pino'
import { limits } from '../../core/lib/limits.ts'
import { openLog } from '../../core/lib/log.ts'
import type { Settings } from '../../core/settings.ts'
import type { CommandEnvironment } from '../outside.ts'
import { thisMachine, workersWithin } from './how-many.ts'
import { identityVariable, type ToSupervisor, type ToWorker, type WorkerIdentity } from './messages.ts'
import { newRelay, type Relay } from './relay.ts'
import { watchTerminal } from './terminal.ts'
import { returnUntaken } from './untaken-connections.ts'

/**
 * Keeps the workers of a node running, and returns its exit code when they have ended. This process opens no database and serves no
 * request: it accepts connections and hands each to the next worker (docs/decisions/0077-workers.md).
 */
export function supervise({ settings }: CommandEnvironment, wanted: number): Promise<number> {
  return new Promise((resolve) => new Supervisor(settings, wanted, resolve).start())
}

interface Member {
  number: number
  worker: Worker
  state: 'starting' | 'serving' | 'retiring'
  send(message: ToWorker): void
  ready: Promise<Started>
  /** Resolves when it has ended and its last message is read. */
  ended: Promise<End>
}

/** What became of a worker that was started: it serves, or it has ended before. */
type Started = { max_connections: number | null } | { end: End }

interface End {
  code: number | null
  signal: NodeJS.Signals | null
  /** It could not be started at all. */
  error?: Error
}

class Supervisor {
  readonly #settings: Settings
  readonly #log: Logger
  readonly #relay: Relay
  readonly #finish: (code: number) => void
  readonly #members = new Set<Member>()
  /** When workers of a number died, in Unix milliseconds. */
  readonly #deaths = new Map<number, number[]>()
  readonly #restarts = new Set<NodeJS.Timeout>()
  /** Before the database is asked how many connections it allows. */
  readonly #wanted: number
  #stopping = false
  #exitCode = 0
  #died = 0
  #replaced = 0
  /** The rolling restart that is under way. */
  #rolling: Promise<void> | null = null
  #rollAgain = false
  /** The worker whose place another is about to take. */
  #replacing: Member | null = null

  constructor(settings: Settings, wanted: number, finish: (code: number) => void) {
    this.#settings = settings
    this.#wanted = wanted
    this.#log = openLog(settings.log_level)
    this.#finish = finish
    this.#relay = newRelay(settings, () => ({
      serving: this.#count('serving'),
      starting: this.#count('starting'),
      retiring: this.#count('retiring'),
      died: this.#died,
      replaced: this.#replaced,
    }))
  }

  start(): void {
    // In turn, so that connections which stay open are spread evenly. If the workers accepted by themselves, the one that happens to be
    // idle would get many of them.
    cluster.schedulingPolicy = cluster.SCHED_RR
    process.on('SIGINT', (signal) => this.#stop(signal))
    process.on('SIGTERM', (signal) => this.#stop(signal))
    const isTerminalClosed = watchTerminal()
    process.on('SIGHUP', (signal) => (isTerminalClosed() ? this.#stop(signal) : this.#roll()))
    void this.#startFirst()
  }

  /** The first worker migrates the database and makes the keys of the first start. If it fails, so does the command. */
  async #startFirst(): Promise<void> {
    const started = await this.#fork(1, { is_first: true })
    if (this.#stopping) return
    if ('end' in started) {
      this.#end(codeOf(started.end))
      return
    }
    const { cores, memory_bytes } = thisMachine()
    const workers = workersWithin(this.#wanted, this.#settings, started.max_connections)
    const facts = { workers, cores, memory_bytes, max_connections: started.max_connections }
    this.#log.info(facts, `${workers} workers`)
    if (workers < this.#wanted)
      this.#log.warn(
        facts,
        `max_connections of the database is too low for ${this.#wanted} workers: raise it, or set WORKERS and DATABASE_CONNECTIONS`,
      )
    for (let number = 2; number <= workers; number += 1) void this.#bring(number)
  }

  /** Starts a worker, and again if that fails, as long as others serve. */
  async #bring(number: number): Promise<void> {
    const started = await this.#fork(number)
    if (!('end' in started) || this.#stopping) return
    this.#log.error({ worker: number, ...factsOf(started.end) }, 'a worker could not start')
    // As a process that serves alone would end: whoever started the command shall see it.
    if (this.#isDown()) this.#end(codeOf(started.end))
    else this.#bringLater(number)
  }

  /** At once after a single death; the more deaths within the last minute, the later. */
  #bringLater(number: number): void {
    const now = Date.now()
    const deaths = [...(this.#deaths.get(number) ?? []), now].filter((at) => at > now - 60_000)
    this.#deaths.set(number, deaths)
    const pauseSeconds = deaths.length === 1 ? 0 : Math.min(2 ** (deaths.length - 2), limits.worker_pause_seconds_max)
    const timer = setTimeout(() => {
      this.#restarts.delete(timer)
      void this.#bring(number)
    }, pauseSeconds * 1_000)
    this.#restarts.add(timer)
  }

  /** Resolves when the new worker serves, or has ended before. */
  async #fork(number: number, { is_first = false } = {}): Promise<Started> {
    const identity: WorkerIdentity = { number, count: this.#wanted, is_first }
    let worker: Worker
    try {
      worker = cluster.fork({ [identityVariable]: JSON.stringify(identity) })
    } catch (error) {
      return { end: { code: null, signal: null, error: error as Error } } // such as ENOMEM
    }
    const ended = endOf(worker)
    const started = Promise.withResolvers<Started>()
    const member: Member = {
      number,
      worker,
      state: 'starting',
      send: (message) => {
        if (worker.isConnected()) worker.send(message, () => {})
      },
      ready: started.promise,
      ended,
    }
    this.#members.add(member)
    returnUntaken(
      worker,
      () => !this.#stopping && [...this.#members].some((other) => other !== member && isListening(other)),
    )
    worker.on('message', (message: ToSupervisor) => {
      if (message.type !== 'ready') return this.#relay.receive(member, message)
      this.#relay.join(member)
      member.state = 'serving'
      this.#log.info({ worker: number, pid: worker.process.pid }, 'a worker serves')
      started.resolve({ max_connections: message.max_connections })
    })
    void ended.then((end) => {
      this.#left(member, end)
      started.resolve({ end })
    })
    return started.promise
  }

  #left(member: Member, end: End): void {
    const { number, state, worker } = member
    this.#members.delete(member)
    this.#relay.leave(member)
    if (this.#stopping) {
      if (state !== 'starting' && end.code !== 0) this.#exitCode = 1
      if (this.#members.size === 0) this.#end(this.#exitCode)
      return
    }
    const facts = { worker: number, pid: worker.process.pid, ...factsOf(end) }
    if (state === 'retiring') this.#log.info(facts, 'a replaced worker has ended')
    if (state !== 'serving') return // whoever started it knows
    this.#died += 1
    this.#log.error(facts, 'a worker died; another takes its place')
    if (member !== this.#replacing) this.#bringLater(number)
  }

  /** SIGHUP: replaces the workers one after another; once more if the signal comes again meanwhile. */
  #roll(): void {
    if (this.#stopping) return
    this.#rollAgain = true
    this.#rolling ??= this.#replaceAll().finally(() => {
      this.#rolling = null
      if (this.#rollAgain) this.#roll()
    })
  }

  async #replaceAll(): Promise<void> {
    this.#rollAgain = false
    const old = [...this.#members].filter(({ state }) => state !== 'retiring')
    this.#log.info({ workers: old.length }, 'replacing the workers')
    for (const member of old) if (!this.#stopping && !(await this.#replace(member, old.length))) return
    if (!this.#stopping) this.#log.info('the workers are replaced')
  }

  /** Starts another worker and, when it serves, lets the old one go. False: it could not start, so the old one stays. */
  async #replace(old: Member, workers: number): Promise<boolean> {
    await this.#roomToRetire(workers)
    await old.ready
    // One that died meanwhile has a successor anyway.
    if (this.#stopping || !this.#members.has(old)) return true
    this.#replacing = old
    const started = await this.#fork(old.number)
    this.#replacing = null
    if (this.#stopping) return true
    if ('end' in started) {
      this.#log.error(
        { worker: old.number, ...factsOf(started.end) },
        'a new worker could not start: the old ones go on serving',
      )
      // The old one may have died while the new one tried.
      if (this.#isDown()) this.#end(codeOf(started.end))
      else if (!this.#members.has(old)) this.#bringLater(old.number)
      return false
    }
    this.#replaced += 1
    if (!this.#members.has(old)) return true
    old.state = 'retiring'
    old.send({ type: 'stop', is_replaced: true })
    return true
  }

  /** Workers that wait for their last connections need memory: at most a quarter of all do so at once. */
  async #roomToRetire(workers: number): Promise<void> {
    const retiring = () => [...this.#members].filter(({ state }) => state === 'retiring')
    while (!this.#stopping && retiring().length >= Math.max(1, Math.floor(workers / 4)))
      await Promise.race(retiring().map(({ ended }) => ended))
  }

  /**
   * All workers stop together. In a terminal, and from some supervisors, they get the signal too; so what a second signal means is
   * decided here alone.
   */
  #stop(signal: NodeJS.Signals): void {
    if (this.#stopping) {
      for (const { worker } of this.#members) worker.process.kill('SIGKILL')
      process.exit(130)
    }
    this.#stopping = true
    this.#log.info({ signal, workers: this.#members.size }, 'stopping the workers')
    for (const timer of this.#restarts) clearTimeout(timer)
    if (this.#members.size === 0) this.#end(0)
    // One that is still starting has nothing to finish.
    for (const member of this.#members)
      if (member.state === 'starting') member.worker.process.kill('SIGTERM')
      else member.send({ type: 'stop', is_replaced: false })
    // A worker ends by itself when its shutdown times out, unless something keeps its event loop.
    const { drain_seconds } = this.#settings
    setTimeout(
      () => {
        this.#log.error({ workers: this.#members.size }, 'workers did not end in time')
        this.#exitCode = 1
        for (const { worker } of this.#members) worker.process.kill('SIGKILL')
      },
      (drain_seconds + limits.shutdown_seconds + 6) * 1_000,
    ).unref()
  }

  #end(code: number): void {
    this.#stopping = true
    for (const timer of this.#restarts) clearTimeout(timer)
    // Replaced ones, if nobody else is left.
    for (const member of this.#members) member.send({ type: 'stop', is_replaced: false })
    this.#finish(code)
  }

  /** Nobody serves, and nobody is about to. */
  #isDown(): boolean {
    return this.#count('serving') + this.#count('starting') === 0
  }

  #count(state: Member['state']): number {
    return [...this.#members].filter((member) => member.state === state).length
  }
}

function endOf(worker: Worker): Promise<End> {
  return new Promise((resolve) => {
    const disconnected = new Promise<void>((done) => worker.once('disconnect', done))
    worker.once('exit', (code: number | null, signal: string | null) => {
      // Its last messages may still be on their way.
      void disconnected.then(() => resolve({ code, signal: signal as NodeJS.Signals | null }))
    })
    worker.on('error', (error) => {
      // The program cannot be run. Otherwise a message did not reach a worker, which then ends too.
      if (worker.process.pid === undefined) resolve({ code: null, signal: null, error })
    })
  })
}

const isListening = ({ state, worker }: Member): boolean => state === 'serving' && worker.isConnected()

const factsOf = ({ code, signal, error }: End) => ({ code, signal, ...(error === undefined ? {} : { err: error }) })

/** As a shell reports it. */
function codeOf({ code, signal }: End): number {
  if (signal === 'SIGINT') return 130
  return signal === null ? code || 1 : signal === 'SIGTERM' ? 143 : 1
}
