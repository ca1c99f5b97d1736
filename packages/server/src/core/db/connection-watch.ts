import type pg from 'pg'
import { limits } from '../lib/limits.ts'
import { closeAtOnce } from './close-at-once.ts'
import type { Connector } from './connector.ts'
import { PlanLifetime } from './plan-lifetime.ts'
import type { StatementResult } from './prepared-query.ts'
import { sqlState } from './transaction.ts'

export interface ConnectionWatchOptions {
  /** Opens a connection of its own, to ask the server about the others. */
  connector: Connector
  /** How long a statement may go without an answer before the server is asked about it. */
  answer_seconds: number
  /** Whether a transaction pooler is in between, which cannot be asked about a statement. */
  is_pooled: boolean
  /** Behind a pooler: how long a statement may go without an answer in all. */
  pooled_answer_seconds: number
}

/** A connection, and the statement that the server has not answered yet. Plain fields: every statement sets them. */
export class WatchedConnection {
  readonly client: pg.PoolClient
  /** The server process: a pooler in between would announce a number of its own. Undefined behind a transaction pooler. */
  pid: number | undefined
  /** When the statement was sent; null: there is none. */
  sentAt: number | null = null
  /** When the server was first found to be doing nothing for it, and the bytes exchanged until then. */
  silent: { since: number; traffic: string } | null = null
  readonly plans = new PlanLifetime()

  constructor(client: pg.PoolClient) {
    this.client = client
  }

  sent(): void {
    this.sentAt = performance.now()
    this.silent = null
  }

  answered(): void {
    this.sentAt = null
  }
}

/** Sends a statement on a connection. */
export type Run = (client: pg.PoolClient) => Promise<StatementResult>

/** A statement that had no answer when the watch looked. */
interface Overdue {
  connection: WatchedConnection
  sentAt: number
}

/**
 * Finds connections that the network has forgotten: packets vanish, nothing closes the connection, and its statement would wait
 * for minutes until the kernel gives up (Node cannot set TCP_USER_TIMEOUT). A time limit would also end statements that take
 * long for a good reason. So, once a statement has had no answer for a few seconds, the server is asked on a new connection
 * whether it is still working on it. If it is not, or does not answer either, the connection is closed: its statement fails as
 * an outage, and the pool opens another one (docs/decisions/0043-lost-connections.md).
 *
 * A transaction pooler lends its server processes to whoever has a transaction: none of them belongs to a connection of this pool, and
 * ending one could hit another client. Behind it, a statement is lost if the pooler accepts no connections, or if it has no answer for
 * longer than any may take (docs/decisions/0078-transaction-poolers.md).
 */
export class ConnectionWatch {
  readonly #pool: pg.Pool
  readonly #options: ConnectionWatchOptions
  readonly #connections = new Map<pg.PoolClient, WatchedConnection>()
  /** Server processes of closed connections, by their number: they may hold locks until somebody ends them. */
  readonly #orphans = new Map<number, pg.Client>()
  readonly #timer: NodeJS.Timeout
  #looking: Promise<void> | null = null
  #askedAt = 0

  constructor(pool: pg.Pool, options: ConnectionWatchOptions) {
    this.#pool = pool
    this.#options = options
    pool.on('remove', (client) => this.forget(client as pg.PoolClient))
    this.#timer = setInterval(() => {
      this.#looking ??= this.#look().finally(() => {
        this.#looking = null
      })
    }, lookMs).unref()
  }

  /** To be called on every new connection, before its first statement. */
  async identify(client: pg.PoolClient): Promise<void> {
    if (this.#options.is_pooled) return
    const { rows } = await this.run(client, () => client.query('select pg_backend_pid() as pid'))
    this.of(client).pid = rows[0].pid
  }

  of(client: pg.PoolClient): WatchedConnection {
    const known = this.#connections.get(client)
    if (known !== undefined) return known
    const connection = new WatchedConnection(client)
    this.#connections.set(client, connection)
    return connection
  }

  /** To be called when a connection is closed. The pool tells of those that it has lent out before. */
  forget(client: pg.PoolClient): void {
    this.#connections.delete(client)
  }

  /** Runs a statement on a connection that it watches until the answer. */
  async run(client: pg.PoolClient, run: Run): Promise<StatementResult> {
    const connection = this.of(client)
    connection.sent()
    try {
      return await run(client)
    } finally {
      connection.answered()
    }
  }

  async close(): Promise<void> {
    clearInterval(this.#timer)
    await this.#looking
  }

  async #look(): Promise<void> {
    const now = performance.now()
    const { connector, answer_seconds } = this.#options
    // A server that another one has replaced ends its processes by itself.
    for (const [pid, client] of this.#orphans) if (connector.hasLeft(client)) this.#orphans.delete(pid)
    const sentBefore = now - answer_seconds * 1_000
    const overdue = [...this.#connections.values()].flatMap((connection): Overdue[] => {
      const { sentAt } = connection
      return sentAt !== null && sentAt <= sentBefore ? [{ connection, sentAt }] : []
    })
    if (overdue.length === 0 && (this.#orphans.size === 0 || now - this.#askedAt < orphansMs)) return
    this.#askedAt = now
    if (overdue.length > 0) connector.check()
    for (let attempt = 1; ; attempt += 1)
      try {
        return await (this.#options.is_pooled ? this.#askPooler(overdue) : this.#askServer(overdue))
      } catch (error) {
        // A server that refuses another connection can be reached, so it may well be working on the statements.
        if (sqlState(error) !== undefined) return
        if (attempt < attemptsMax) continue
        for (const connection of stillUnanswered(overdue)) this.#abandon(connection)
        return
      }
  }

  /** Abandons the connections whose statements the server is not working on, and ends their server processes. */
  async #askServer(overdue: readonly Overdue[]): Promise<void> {
    const other = overdue[0]?.connection.client ?? [...this.#orphans.values()][0]
    const probe = this.#newProbe(other as pg.Client)
    try {
      await probe.connect()
      const { rows } = await probe.query<{ pid: number }>(workingPids, [
        overdue.map(({ connection }) => connection.pid),
      ])
      const working = new Set(rows.map(({ pid }) => pid))
      const lost = stillUnanswered(overdue).filter((connection) => isLost(connection, working))
      for (const connection of lost) this.#abandon(connection)
      if (lost.length > 0) await this.#abandonIdle()
      if (this.#orphans.size > 0) await this.#endOrphans(probe)
    } finally {
      closeAtOnce(probe)
    }
  }

  /**
   * A pooler that accepts a connection is alive. It is not asked anything: while all its server connections are in use, a question would
   * wait behind the statement that it is about.
   */
  async #askPooler(overdue: readonly Overdue[]): Promise<void> {
    const probe = this.#newProbe((overdue[0] as Overdue).connection.client)
    try {
      await probe.connect()
    } finally {
      closeAtOnce(probe)
    }
    const sentBefore = performance.now() - this.#options.pooled_answer_seconds * 1_000
    for (const connection of stillUnanswered(overdue.filter(({ sentAt }) => sentAt <= sentBefore)))
      this.#abandon(connection)
  }

  #newProbe(other: pg.Client): pg.Client {
    const probe = this.#options.connector.newProbe(other, {
      application_name: applicationName,
      connectionTimeoutMillis: limits.database_probe_ms,
      query_timeout: limits.database_probe_ms,
    })
    return probe.on('error', () => {})
  }

  /** One that still executes a statement is ended later. */
  async #endOrphans(probe: pg.Client): Promise<void> {
    const asked = [...this.#orphans.keys()]
    const { rows } = await probe.query<{ pid: number; is_working: boolean }>(endOrphans, [asked])
    const working = new Set(rows.flatMap(({ pid, is_working }) => (is_working ? [pid] : [])))
    for (const pid of asked) if (!working.has(pid)) this.#orphans.delete(pid)
  }

  #abandon({ client, pid }: WatchedConnection): void {
    if (pid !== undefined) this.#orphans.set(pid, client)
    closeAtOnce(
      client,
      Object.assign(new Error('The database does not answer on this connection'), { code: 'ETIMEDOUT' }),
    )
  }

  /** What made the network forget one connection has probably hit the others; each would cost a request some seconds. */
  async #abandonIdle(): Promise<void> {
    const idle = Array.from({ length: this.#pool.idleCount }, () => this.#pool.connect().catch(() => null))
    for (const client of await Promise.all(idle)) {
      if (client === null) continue
      this.#abandon(this.of(client))
      client.release(true)
    }
  }
}

const stillUnanswered = (overdue: readonly Overdue[]): WatchedConnection[] =>
  overdue.flatMap(({ connection, sentAt }) => (connection.sentAt === sentAt ? [connection] : []))

/** Found silent twice, without a byte in between: an answer that is on its way arrives within a second. */
function isLost(connection: WatchedConnection, working: ReadonlySet<number>): boolean {
  const now = performance.now()
  const traffic = trafficOf(connection.client)
  if (connection.pid !== undefined && working.has(connection.pid)) connection.silent = null
  else if (connection.silent?.traffic !== traffic) connection.silent = { since: now, traffic }
  return connection.silent !== null && now - connection.silent.since >= silentMs
}

/** Of the connections of the pool, unless `DATABASE_URL` has another one. */
export const applicationName = 'guerdon'

const lookMs = 500
const silentMs = 1_000
const orphansMs = 5_000
const attemptsMax = 2

/**
 * Whether a server process executes a statement, and does not wait for the client to send or receive. Where the server does not
 * track that (`track_activities`), every process counts as working.
 */
const isWorking = `(state is null or state = 'disabled' or state = 'active' and wait_event_type is distinct from 'Client')`

const workingPids = `select pid from pg_stat_activity where pid = any($1::int[]) and ${isWorking}`

/** Not if it executes a statement: the number of a process that has ended may have been given to that of another node. */
const endOrphans = `
  select pid, ${isWorking} as is_working, case when not ${isWorking} then pg_terminate_backend(pid) end
  from pg_stat_activity where pid = any($1::int[]) and usename = current_user
    and application_name = current_setting('application_name')`

/** Changes whenever bytes arrive or leave. */
function trafficOf({ connection: { stream } }: pg.Client): string {
  const { bytesRead = 0, writableLength } = stream as typeof stream & { bytesRead?: number }
  return `${bytesRead} ${writableLength}`
}
