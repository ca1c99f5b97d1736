import pg from 'pg'
import { limits } from '../lib/limits.ts'
import { sqlState } from './transaction.ts'

export interface ConnectionWatchOptions {
  /** How a connection of its own is opened, to ask the server about the others. */
  client: pg.ClientConfig
  /** How long a statement may go without an answer before the server is asked about it. */
  answer_seconds: number
}

/** A statement that the server has not answered yet. */
interface Unanswered {
  since: number
  /** When the server was first found to be doing nothing for it, and the bytes exchanged until then. */
  silent: { since: number; traffic: string } | null
}

/**
 * Finds connections that the network has forgotten: packets vanish, nothing closes the connection, and its statement would wait
 * for minutes until the kernel gives up (Node cannot set TCP_USER_TIMEOUT). A time limit would also end statements that take
 * long for a good reason. So, once a statement has had no answer for a few seconds, the server is asked on a new connection
 * whether it is still working on it. If it is not, or does not answer either, the connection is closed: its statement fails as
 * an outage, and the pool opens another one (docs/decisions/0043-lost-connections.md).
 */
export class ConnectionWatch {
  readonly #pool: pg.Pool
  readonly #options: ConnectionWatchOptions
  readonly #unanswered = new Map<pg.PoolClient, Unanswered>()
  /** The server process of each connection: a pooler in between would announce a number of its own. */
  readonly #pids = new WeakMap<pg.PoolClient, number>()
  /** Server processes of closed connections: they may hold locks until somebody ends them. */
  readonly #orphans = new Set<number>()
  readonly #timer: NodeJS.Timeout
  #looking: Promise<void> | null = null
  #askedAt = 0

  constructor(pool: pg.Pool, options: ConnectionWatchOptions) {
    this.#pool = pool
    this.#options = options
    this.#timer = setInterval(() => {
      this.#looking ??= this.#look().finally(() => {
        this.#looking = null
      })
    }, lookMs).unref()
  }

  /** To be called on every new connection, before its first statement. */
  async identify(client: pg.PoolClient): Promise<void> {
    const { rows } = await this.run(client, { text: 'select pg_backend_pid() as pid' })
    this.#pids.set(client, rows[0].pid)
  }

  /** Runs a statement on a connection that it watches until the answer. Without `await`, which would cost each statement a turn. */
  run(client: pg.PoolClient, statement: pg.QueryConfig): Promise<pg.QueryResult> {
    const unanswered: Unanswered = { since: performance.now(), silent: null }
    this.#unanswered.set(client, unanswered)
    const result = client.query(statement)
    const answered = () => {
      // Another statement may have been sent on the same connection meanwhile.
      if (this.#unanswered.get(client) === unanswered) this.#unanswered.delete(client)
    }
    result.then(answered, answered)
    return result
  }

  async close(): Promise<void> {
    clearInterval(this.#timer)
    await this.#looking
  }

  async #look(): Promise<void> {
    const now = performance.now()
    const overdue = [...this.#unanswered].filter(([, { since }]) => now - since >= this.#options.answer_seconds * 1_000)
    if (overdue.length === 0 && (this.#orphans.size === 0 || now - this.#askedAt < orphansMs)) return
    this.#askedAt = now
    for (let attempt = 1; ; attempt += 1)
      try {
        return await this.#askServer(overdue)
      } catch (error) {
        // A server that refuses another connection can be reached, so it may well be working on the statements.
        if (sqlState(error) !== undefined) return
        if (attempt < attemptsMax) continue
        for (const [client] of this.#stillUnanswered(overdue)) this.#abandon(client)
        return
      }
  }

  /** Abandons the connections whose statements the server is not working on, and ends their server processes. */
  async #askServer(overdue: ReadonlyArray<[pg.PoolClient, Unanswered]>): Promise<void> {
    const probe = new pg.Client({
      ...this.#options.client,
      connectionTimeoutMillis: limits.database_probe_ms,
      query_timeout: limits.database_probe_ms,
    })
    probe.on('error', () => {})
    try {
      await probe.connect()
      const { rows } = await probe.query<{ pid: number }>(workingPids, [
        overdue.map(([client]) => this.#pids.get(client)),
      ])
      const working = new Set(rows.map(({ pid }) => pid))
      const lost = this.#stillUnanswered(overdue).filter((each) => this.#isLost(each, working))
      for (const [client] of lost) this.#abandon(client)
      if (lost.length > 0) await this.#abandonIdle()
      if (this.#orphans.size > 0) await this.#endOrphans(probe)
    } finally {
      closeAtOnce(probe)
    }
  }

  /** One that still executes a statement is ended later. */
  async #endOrphans(probe: pg.Client): Promise<void> {
    const asked = [...this.#orphans]
    const { rows } = await probe.query<{ pid: number; is_working: boolean }>(endOrphans, [asked])
    const working = new Set(rows.flatMap(({ pid, is_working }) => (is_working ? [pid] : [])))
    for (const pid of asked) if (!working.has(pid)) this.#orphans.delete(pid)
  }

  #stillUnanswered(overdue: ReadonlyArray<[pg.PoolClient, Unanswered]>): Array<[pg.PoolClient, Unanswered]> {
    return overdue.filter(([client, unanswered]) => this.#unanswered.get(client) === unanswered)
  }

  /** Found silent twice, without a byte in between: an answer that is on its way arrives within a second. */
  #isLost([client, unanswered]: [pg.PoolClient, Unanswered], working: ReadonlySet<number>): boolean {
    const now = performance.now()
    const traffic = trafficOf(client)
    if (working.has(this.#pids.get(client) as number)) unanswered.silent = null
    else if (unanswered.silent?.traffic !== traffic) unanswered.silent = { since: now, traffic }
    return unanswered.silent !== null && now - unanswered.silent.since >= silentMs
  }

  #abandon(client: pg.PoolClient): void {
    const pid = this.#pids.get(client)
    if (pid !== undefined) this.#orphans.add(pid)
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
      this.#abandon(client)
      client.release(true)
    }
  }
}

const lookMs = 500
const silentMs = 1_000
const orphansMs = 5_000
const attemptsMax = 2

/** Whether a server process executes a statement, and does not wait for the client to send or receive. */
const isWorking = `(state = 'active' and wait_event_type is distinct from 'Client')`

const workingPids = `select pid from pg_stat_activity where pid = any($1::int[]) and ${isWorking}`

/** Not if it executes a statement: the number of a process that has ended may have been given to that of another node. */
const endOrphans = `
  select pid, ${isWorking} as is_working, case when not ${isWorking} then pg_terminate_backend(pid) end
  from pg_stat_activity where pid = any($1::int[]) and usename = current_user and application_name = 'guerdon'`

/** Changes whenever bytes arrive or leave. */
function trafficOf({ connection: { stream } }: pg.Client): string {
  const { bytesRead = 0, writableLength } = stream as typeof stream & { bytesRead?: number }
  return `${bytesRead} ${writableLength}`
}

/** Closes a connection at once: to say goodbye to a server that does not answer would take as long as the statement. */
export const closeAtOnce = ({ connection: { stream } }: pg.Client, error?: Error): void => void stream.destroy(error)
