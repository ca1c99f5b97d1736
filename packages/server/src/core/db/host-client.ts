import pg from 'pg'
import { limits } from '../lib/limits.ts'
import { closeAtOnce } from './close-at-once.ts'
import { askSession, type Host, type HostConnection, type Hosts, refusal, type Session } from './hosts.ts'
import { isOutage, isPoolExhausted } from './outage.ts'
import { pooledStartup } from './pooled-session.ts'
import { sqlState } from './transaction.ts'

/** A connection to the host that accepts writes at the moment. It is refused if the host turns out not to. */
export class HostClient extends pg.Client implements HostConnection {
  to: Host | null = null
  /** It is closed instead of used again. */
  isRetired = false
  onRetired: () => void = () => {}
  readonly #hosts: Hosts
  /** What the server reports about itself when it accepts a connection. */
  readonly #reported = new Map<string, string>()

  constructor(hosts: Hosts, config: pg.ClientConfig = {}) {
    super({ ...config, connectionString: hosts.driverUrl })
    this.#hosts = hosts
    // Messages of the protocol that the driver does not pass on; a statement without an error causes none of them.
    const { connection } = this
    connection.on('parameterStatus', ({ parameterName, parameterValue }: Reported) => {
      this.#reported.set(parameterName, parameterValue)
    })
    connection.on('errorMessage', ({ code = '' }: { code?: string }) => {
      if (this.to === null) return
      if (code === readOnly) hosts.refused(this.to)
      else if (hostLost.test(code)) hosts.doubt(this.to)
    })
    this.on('error', () => {
      if (this.to !== null) hosts.doubt(this.to)
    })
    this.once('end', () => hosts.unwatch(this))
  }

  abandon(reason: string): void {
    closeAtOnce(this, Object.assign(new Error(reason), { code: 'ECONNRESET' }))
  }

  retire(): void {
    this.isRetired = true
    this.onRetired()
  }

  override connect(): Promise<pg.Client>
  override connect(callback: Connected): void
  override connect(callback?: Connected): Promise<pg.Client> | undefined {
    const connected = this.#connectToHost()
    if (callback === undefined) return connected
    const tell = callback as (error: Error | null, client?: pg.Client) => void
    connected.then(
      () => tell(null, this),
      (error) => tell(error),
    )
    return undefined
  }

  async #connectToHost(): Promise<pg.Client> {
    const host = await this.#hosts.current()
    this.to = host
    Object.assign(this, host.address)
    this.#hosts.watch(this)
    // A host that hangs accepts the connection and says nothing: meanwhile another one may have taken over.
    const late = setInterval(() => this.#hosts.check(), limits.database_probe_ms).unref()
    try {
      await super.connect()
      const reported = this.#reportedSession()
      if (reported !== null && this.#hosts.whyNot(reported) === null) return this
      const reason = this.#hosts.whyNot(await this.#askSession())
      if (reason === null) return this
      throw refusal(`${host.name}: ${reason}`)
    } catch (error) {
      this.#hosts.unwatch(this)
      if (isHostLost(error)) this.#hosts.doubt(host)
      closeAtOnce(this)
      throw error
    } finally {
      clearInterval(late)
    }
  }

  /** PostgreSQL 14 and newer report this unasked. A pooler may not, or report what was true when it connected first. */
  #reportedSession(): Session | null {
    const [standby, readOnly] = ['in_hot_standby', 'default_transaction_read_only'].map((n) => this.#reported.get(n))
    if (standby === undefined || readOnly === undefined) return null
    return { is_standby: standby === 'on', is_read_only: readOnly === 'on' }
  }

  async #askSession(): Promise<Session> {
    const { rows } = await this.query<Session>(askSession)
    return rows[0] as Session
  }
}

type Connected = ((error: Error) => void) | ((error: null, client: pg.Client) => void)

interface Reported {
  parameterName: string
  parameterValue: string
}

const readOnly = '25006'

/** The server shuts down, has crashed, or starts; a pooler has lost it; or it is read-only. */
const hostLost = /^(57P0|08|25006)/

/** Whether another host may have taken over: not if the server refuses this connection, because it has too many for example. */
const isHostLost = (error: unknown): boolean => {
  const state = sqlState(error)
  return state === undefined ? isOutage(error) : hostLost.test(state)
}

/** A connection that failed later than this is not opened again for the same request. */
const againWithinMs = 2 * limits.database_probe_ms

/** A pool of connections to the host that accepts writes: those to any other host are closed, and not handed out again. */
export class HostPool extends pg.Pool {
  #isClosingRetired = false

  constructor(hosts: Hosts, config: pg.PoolConfig, isPooled: boolean) {
    super({
      ...config,
      Client: class extends HostClient {
        constructor(options?: pg.ClientConfig) {
          super(hosts, options)
        }

        override getStartupConf(): Record<string, string> {
          return isPooled ? pooledStartup(super.getStartupConf()) : super.getStartupConf()
        }
      },
    })
    this.on('connect', (client) => {
      ;(client as unknown as HostClient).onRetired = () => void this.#closeRetired()
    })
    // A connection that has been ended is not kept by the pool.
    this.on('release', (_, client) => {
      if ((client as unknown as HostClient).isRetired) void client.end().catch(() => {})
    })
  }

  override connect(): Promise<pg.PoolClient>
  override connect(callback: Acquired): void
  override connect(callback?: Acquired): Promise<pg.PoolClient> | undefined {
    const startedAt = performance.now()
    const acquired = super.connect().catch((error: unknown) => {
      const isLate = performance.now() - startedAt > againWithinMs
      if (!isHostLost(error) || isPoolExhausted(error) || isLate) throw error
      // The next connection goes to the host that has taken over, if there is one.
      return super.connect()
    })
    if (callback === undefined) return acquired
    acquired.then(
      (client) => callback(undefined, client, client.release),
      (error) => callback(error, undefined, () => {}),
    )
    return undefined
  }

  /** Idle connections are acquired and released, which closes the retired ones. */
  async #closeRetired(): Promise<void> {
    if (this.#isClosingRetired) return
    this.#isClosingRetired = true
    await null // all connections of the host are retired by then
    this.#isClosingRetired = false
    const idle = Array.from({ length: this.idleCount }, () => super.connect().catch(() => null))
    for (const client of await Promise.all(idle)) client?.release()
  }
}

// biome-ignore lint/suspicious/noExplicitAny: as the driver declares it
type Acquired = (error: Error | undefined, client: pg.PoolClient | undefined, done: (release?: any) => void) => void
