import { setTimeout as wait } from 'node:timers/promises'
import pg from 'pg'
import { limits } from '../lib/limits.ts'
import { closeAtOnce } from './close-at-once.ts'
import { driverUrl, type SessionAttributes, serverNamed } from './database-url.ts'
import { isOutage } from './outage.ts'

/** One server of `DATABASE_URL`. */
export interface Host {
  /** For messages. */
  name: string
  driver_url: string
  /** As the driver connects to it. */
  address: { host: string; port: number }
}

/** Called with the name of a host when the service moves to it from another one. */
export type OnMoved = (name: string) => void

/** An open connection that `Hosts` looks after. */
export interface HostConnection {
  readonly to: Host | null
  /** Closes it at once, whatever it does: its statement fails as an outage. */
  abandon(reason: string): void
  /** Closes it as soon as nobody uses it. */
  retire(): void
}

/** What a host said when it was asked. */
interface Answer {
  host: Host
  /** Why it is not the one to connect to; null: it is. */
  problem: Error | null
  /** Whether the host itself said that it is not: it answers, but does not accept writes. */
  has_refused: boolean
  history: History | null
}

/** A promotion begins a new timeline of the same database system. */
interface History {
  system: string
  timeline: number
}

/**
 * Finds the host of `DATABASE_URL` that accepts writes, remembers it, and notices when another one has taken over. All hosts are asked at
 * once, so that one that hangs does not delay the others. Of two that accept writes, the one promoted last is right: a primary
 * that was cut off, or stopped and woken, does not know yet that it has been replaced (docs/decisions/0080-failover.md).
 */
export class Hosts {
  readonly #all: readonly Host[]
  readonly #attributes: SessionAttributes
  readonly #onMoved: OnMoved
  readonly #connections = new Set<HostConnection>()
  /** Where new connections go; null: all hosts are asked first. */
  #current: Host | null = null
  /** The last one that was found. */
  #latest: Host | null = null
  #history: History | null = null
  #finding: Promise<Host> | null = null
  #failure: { error: Error; until: number } | null = null
  #checkedAt = Number.NEGATIVE_INFINITY

  constructor(urls: readonly string[], attributes: SessionAttributes, onMoved: OnMoved) {
    this.#all = urls.map(hostOf)
    this.#attributes = attributes
    this.#onMoved = onMoved
  }

  /** The URL of the first host: all have the same user, database and TLS parameters. */
  get driverUrl(): string {
    return (this.#all[0] as Host).driver_url
  }

  /** The host to connect to. While it is known this costs nothing. */
  current(): Host | Promise<Host> {
    return this.#current ?? this.#find()
  }

  hasLeft({ to }: HostConnection): boolean {
    return to !== null && this.#latest !== null && to !== this.#latest
  }

  watch(connection: HostConnection): void {
    this.#connections.add(connection)
  }

  unwatch(connection: HostConnection): void {
    this.#connections.delete(connection)
  }

  /** Why a new connection must not be used; null: it may. */
  whyNot(session: Session): string | null {
    return whyNot(session, this.#attributes)
  }

  /** A connection to the host was lost or could not be opened: all hosts are asked before the next one. */
  doubt(host: Host): void {
    if (this.#current !== host) return
    this.#current = null
    void this.#find().catch(() => {})
  }

  /** The host refused a write, so no connection to it is of use any more, though all of them still answer. */
  refused(host: Host): void {
    this.#retire(host)
    this.doubt(host)
  }

  check(): void {
    const now = performance.now()
    if (now - this.#checkedAt < checkAgainMs) return
    this.#checkedAt = now
    void this.#find().catch(() => {})
  }

  /** Concurrent callers share one look; after one in vain, the next waits for a moment. */
  #find(): Promise<Host> {
    if (this.#failure !== null && this.#failure.until > performance.now()) return Promise.reject(this.#failure.error)
    this.#finding ??= this.#look().finally(() => {
      this.#finding = null
    })
    return this.#finding
  }

  async #look(): Promise<Host> {
    const received: Answer[] = []
    const asked = this.#all.map(async (host) => {
      const answer = await ask(host, this.#attributes)
      received.push(answer)
      if (answer.problem !== null) throw answer.problem
    })
    await this.#untilDecided(asked, received)
    const answers = received.map((answer) => this.#judged(answer, received))
    for (const { host, has_refused } of answers) if (has_refused) this.#retire(host)
    const found = this.#best(answers)
    if (found === null) {
      const error = noHost(answers)
      this.#failure = { error, until: performance.now() + findAgainMs }
      // A host that is only slow keeps its place: connections to it may take longer than the question may.
      if (answers.some(({ host, has_refused }) => has_refused && host === this.#current)) this.#current = null
      throw error
    }
    this.#settleOn(found)
    return found.host
  }

  /**
   * Returns when all hosts have answered, or enough of them: a promoted one, or the present one and, for a moment, the others. Where
   * nothing tells a promotion, a present host that is merely slow keeps its place.
   */
  async #untilDecided(asked: ReadonlyArray<Promise<void>>, answers: readonly Answer[]): Promise<void> {
    const isSomeFit = await Promise.any(asked).then(
      () => true,
      () => false,
    )
    if (!isSomeFit) return
    await Promise.race([Promise.allSettled(asked), wait(settleMs)])
    const timeline = this.#best(answers)?.history?.timeline ?? 0
    if (this.#latest === null || (this.#history !== null && timeline > this.#history.timeline)) return
    await asked[this.#all.indexOf(this.#latest)]?.catch(() => {})
  }

  /**
   * A host on an older timeline than the latest one is a primary that has been replaced. Unless that timeline was given up: the host on
   * which it was seen says itself that it is not the primary of it any more.
   */
  #judged(answer: Answer, all: readonly Answer[]): Answer {
    const { problem, history } = answer
    const known = this.#history
    if (problem !== null || known === null) return answer
    const isOlder = (other: History | null): other is History =>
      other !== null && other.system === known.system && other.timeline < known.timeline
    if (!isOlder(history)) return answer
    if (all.some(({ host, has_refused, history }) => host === this.#latest && (has_refused || isOlder(history))))
      return answer
    const text = `an old primary, on timeline ${history.timeline} while timeline ${known.timeline} has begun`
    return { ...answer, problem: refusal(text), has_refused: true }
  }

  /** Of the hosts that will do: of the known database system, of the latest timeline, the present one, the first in the URL. */
  #best(answers: readonly Answer[]): Answer | null {
    const rank = ({ host, history }: Answer): number[] => [
      Number(history !== null && history.system === this.#history?.system),
      history?.timeline ?? 0,
      Number(host === this.#latest),
      -this.#all.indexOf(host),
    ]
    const fit = answers.filter(({ problem }) => problem === null)
    return fit.sort((a, b) => compareRanks(rank(b), rank(a)))[0] ?? null
  }

  #settleOn({ host, history }: Answer): void {
    const before = this.#latest
    this.#current = host
    this.#latest = host
    this.#history = history ?? this.#history
    this.#failure = null
    if (before === null || before === host) return
    for (const connection of this.#connections)
      if (this.hasLeft(connection)) connection.abandon(`The database has moved to ${host.name}`)
    this.#onMoved(host.name)
  }

  #retire(host: Host): void {
    for (const connection of this.#connections) if (connection.to === host) connection.retire()
  }
}

/** What a session says about its server. */
export interface Session {
  is_standby: boolean
  is_read_only: boolean
}

function whyNot({ is_standby, is_read_only }: Session, attributes: SessionAttributes): string | null {
  if (attributes === 'any') return null
  if (is_standby) return 'a standby'
  return attributes === 'read-write' && is_read_only ? 'read-only' : null
}

export const askSession = `
  select pg_is_in_recovery() as is_standby, current_setting('transaction_read_only') = 'on' as is_read_only`

/** Some services do not tell, such as those whose storage is not PostgreSQL's: then their order in the URL decides. */
const askHistory = `
  select system_identifier::text as system, substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8) as timeline
  from pg_control_system()`

async function ask(host: Host, attributes: SessionAttributes): Promise<Answer> {
  const client = new pg.Client({
    application_name: 'guerdon-find',
    connectionString: host.driver_url,
    connectionTimeoutMillis: limits.database_probe_ms,
    query_timeout: limits.database_probe_ms,
  })
  client.on('error', () => {})
  try {
    await client.connect()
    if (attributes === 'any') return { host, problem: null, has_refused: false, history: null }
    const { rows } = await client.query<Session>(askSession)
    const reason = whyNot(rows[0] as Session, attributes)
    if (reason !== null) return { host, problem: refusal(reason), has_refused: true, history: null }
    return { host, problem: null, has_refused: false, history: await historyOf(client) }
  } catch (error) {
    return { host, problem: error as Error, has_refused: false, history: null }
  } finally {
    closeAtOnce(client)
  }
}

async function historyOf(client: pg.Client): Promise<History | null> {
  const answer = await client.query<{ system: string; timeline: string }>(askHistory).catch(() => null)
  const row = answer?.rows[0]
  return row === undefined ? null : { system: row.system, timeline: Number.parseInt(row.timeline, 16) }
}

/** With the SQLSTATE of a statement that a read-only server refuses: an outage, which is repeated. */
export const refusal = (text: string): Error => Object.assign(new Error(text), { code: '25006' })

/** A wrong password or an unknown database is told as it is: waiting will not help, unless another host may still come up. */
function noHost(answers: readonly Answer[]): Error {
  const problems = answers.flatMap(({ problem }) => (problem === null ? [] : [problem]))
  const lasting = problems.find((problem) => !isOutage(problem))
  if (lasting !== undefined && problems.every((problem) => !isOutage(problem))) return lasting
  const said = answers.map(({ host, problem }) => `${host.name}: ${messageOf(problem)}`).sort()
  return refusal(`no host accepts writes (${said.join('; ')})`)
}

/** A host with several addresses gives one error for each, and no message of its own. */
function messageOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(messageOf).join(', ')
  return error instanceof Error ? error.message : String(error)
}

function hostOf(url: string): Host {
  const driver = driverUrl(url)
  const { host, port } = new pg.Client({ connectionString: driver })
  return { name: serverNamed(url), driver_url: driver, address: { host, port } }
}

function compareRanks(a: readonly number[], b: readonly number[]): number {
  const at = a.findIndex((value, index) => value !== b[index])
  return at < 0 ? 0 : (a[at] as number) - (b[at] as number)
}

/** How long the other hosts may take to answer after the first one that will do: an old primary may be faster than the new one. */
const settleMs = 100
/** Between two looks of requests while no host will do. */
const findAgainMs = 250
/** Between two looks for another host while the present one does not answer. */
const checkAgainMs = 1_000
