import type pg from 'pg'
import { within } from '../lib/within.ts'
import { connectPostgres, type OnStatement } from './connect.ts'
import type { Database, Db } from './database.ts'
import { databaseNamed } from './database-url.ts'
import { isOutage, isPoolExhausted } from './outage.ts'
import type { PrimaryHistory } from './primary-history.ts'
import { pollName, ServerPoll } from './server-poll.ts'
import { sqlState } from './transaction.ts'

export interface ReplicaOptions {
  url: string
  /** By how much it may lag behind the primary. */
  lag_ms_max: number
  every_ms: number
  connections_max: number
  onStatement?: OnStatement | undefined
  history: PrimaryHistory
  /** What the primary says it is; null: not known yet. */
  primary(): ServerIdentity | null
  /** Called when the replica begins to be used, with null, or ceases to be, with the reason. */
  onChange(replica: Replica, problem: string | null): void
}

/** What a primary and its replicas have in common. */
export interface ServerIdentity {
  system: string
  database: string
  /** Of the log. A replica of a primary that a failover has left behind is on the earlier one. */
  timeline: number
}

interface ReplicaState extends ServerIdentity {
  is_standby: boolean
  /** Whether it receives the log of a primary: one that cannot follow the new primary after a failover does not. */
  is_streaming: boolean
  /** How far it has applied that log; null if it never did. */
  lsn: string | null
  /** All transactions below this position are finished in what it shows. */
  complete_below: string
  started_at: string
  /** False: its role may not see which timeline it receives. */
  sees_timeline: boolean
}

/**
 * Which server, since when. The log's end is read after the snapshot, so what is read from now on has at least as much. Who may not see
 * which timeline is received gets that of the last checkpoint, which after a failover is the earlier one for some minutes.
 */
const askState = `
  select pg_is_in_recovery() as is_standby, exists (select from pg_stat_wal_receiver) as is_streaming,
    pg_wal_lsn_diff(pg_last_wal_replay_lsn(), '0/0')::text as lsn,
    (select (pg_snapshot_xmin(pg_current_snapshot())::text::bigint + shift)::text from event_positions) as complete_below,
    coalesce((select received_tli from pg_stat_wal_receiver), (select timeline_id from pg_control_checkpoint())) as timeline,
    exists (select from pg_stat_wal_receiver where received_tli is not null) as sees_timeline,
    current_database() as database, (select system_identifier::text from pg_control_system()) as system,
    extract(epoch from pg_postmaster_start_time())::text as started_at`

const askStart = 'select extract(epoch from pg_postmaster_start_time())::text as started_at'

/** For how long a replica is not used after a failed read, doubled while it goes on failing. */
const pauseMsMin = 1_000
const pauseMsMax = 30_000

/** A replica that reads, and what the polls say about it. */
export class Replica {
  /** Without the password. */
  readonly name: string
  readonly #options: ReplicaOptions
  readonly #poll: ServerPoll<ReplicaState>
  #database: Database
  #startedAt: string | null = null
  /** What it said last, of its timeline. */
  #timeline: Pick<ReplicaState, 'timeline' | 'sees_timeline'> | null = null
  /** `performance.now()` of the latest moment whose commits it has all shown to contain. */
  #containsAt = Number.NEGATIVE_INFINITY
  #completeBelow = 0
  /** Why it is not used, apart from its lag. */
  #problem: string | null = null
  /** As reported last; null: nothing was known yet. */
  #wasUsable: boolean | null = null
  #pausedUntil = Number.NEGATIVE_INFINITY
  #pauseMs = pauseMsMin
  /** The reads that run. A server that vanishes answers none of them: they are given up together. */
  readonly #giveUp = new Set<(error: Error) => void>()

  constructor(options: ReplicaOptions) {
    const { url, every_ms, lag_ms_max } = options
    this.#options = options
    this.name = databaseNamed(url)
    this.#database = this.#connect()
    this.#poll = new ServerPoll<ReplicaState>({
      newClient: () => this.#database.newClient(pollName),
      statement: askState,
      every_ms,
      answer_ms: Math.max(lag_ms_max, answerMsMin),
      onAnswer: (state, askedAt) => this.#learn(state, askedAt),
      onFailure: (error) => {
        this.#problem = messageOf(error)
        this.#giveUpAll()
        this.review()
      },
    })
  }

  get readsRunning(): number {
    return this.#giveUp.size
  }

  /** Null: never proven. */
  get lagMs(): number | null {
    return Number.isFinite(this.#containsAt) ? performance.now() - this.#containsAt : null
  }

  /** Why it answers no reads now; null: it does. */
  whyNot(): string | null {
    const now = performance.now()
    if (this.#problem !== null) return this.#problem
    const otherTimeline = this.#otherTimeline()
    if (otherTimeline !== null) return otherTimeline
    if (now - this.#containsAt <= this.#options.lag_ms_max) return null
    return Number.isFinite(this.#containsAt)
      ? `it lags ${Math.round(now - this.#containsAt)} ms behind the primary, more than ${this.#options.lag_ms_max} ms`
      : 'its lag is not known yet'
  }

  /** Whether all transactions up to this position are in what it shows. */
  contains(position: number): boolean {
    return position < this.#completeBelow
  }

  run<T>(read: (db: Db) => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#giveUp.add(reject)
      read(this.#database.db)
        .then(resolve, reject)
        .finally(() => this.#giveUp.delete(reject))
    })
  }

  /** After a read that failed because of the replica: it is not used for a while, unless the failure says nothing about other reads. */
  readFailed(error: unknown): void {
    if (isPoolExhausted(error) || ownFailures.has(sqlState(error) ?? '')) return
    const now = performance.now()
    if (now < this.#pausedUntil) return
    this.#pauseMs = now - this.#pausedUntil < pauseMsMax * 2 ? Math.min(this.#pauseMs * 2, pauseMsMax) : pauseMsMin
    this.#pausedUntil = now + this.#pauseMs
    this.#problem = messageOf(error)
    this.review()
  }

  /** Reports a change. Called whenever something was learnt of this replica or of the primary. */
  review(): void {
    const problem = this.whyNot()
    const isKnown = this.#problem !== null || Number.isFinite(this.#containsAt)
    if (!isKnown || (problem === null) === this.#wasUsable) return
    this.#wasUsable = problem === null
    this.#options.onChange(this, problem)
  }

  async close(): Promise<void> {
    await this.#poll.close()
    await this.#database.close()
  }

  #learn(state: ReplicaState, askedAt: number): void {
    if (this.#startedAt !== null && state.started_at !== this.#startedAt) this.#replacePool()
    this.#startedAt = state.started_at
    this.#completeBelow = Number(state.complete_below)
    this.#timeline = state
    if (askedAt > this.#pausedUntil) this.#problem = this.#problemIn(state)
    const containsAt = state.lsn === null ? null : this.#options.history.containedAt(Number(state.lsn))
    if (this.#problem === null && this.#otherTimeline() === null && containsAt !== null)
      this.#containsAt = Math.max(this.#containsAt, containsAt)
    this.review()
  }

  #problemIn({ is_standby, is_streaming, system, database }: ReplicaState): string | null {
    const primary = this.#options.primary()
    if (primary === null) return null // nor is its lag known then
    if (system !== primary.system) return 'it belongs to another installation of PostgreSQL than DATABASE_URL'
    if (database !== primary.database) return `its database is ${database}, that of DATABASE_URL is ${primary.database}`
    // What a server that accepts writes has is compared with nothing: it may be one that a failover has left behind.
    if (!is_standby) return 'it is no replica (any more): it accepts writes'
    return is_streaming ? null : 'it does not receive the log of a primary'
  }

  /** A failover changes the timeline of the primary at once: what the replica has proven before says nothing from then on. */
  #otherTimeline(): string | null {
    const primary = this.#options.primary()
    if (primary === null || this.#timeline === null || this.#timeline.timeline === primary.timeline) return null
    const reason = this.#timeline.sees_timeline
      ? 'it follows another primary, or has not caught up with a failover'
      : 'so says its last checkpoint; with pg_read_all_stats its role would see which one it receives'
    return `it is on timeline ${this.#timeline.timeline} of the log, the primary on ${primary.timeline}: ${reason}`
  }

  #connect(): Database {
    const { url, connections_max, onStatement } = this.#options
    return connectPostgres({
      connectionString: url,
      connections_max,
      onStatement,
      checkConnection: (client) => this.#checkConnection(client),
    })
  }

  /** The polls speak for one server. A name that stands for several, such as that of a load balancer, would lead reads to others. */
  async #checkConnection(client: pg.PoolClient): Promise<void> {
    const { rows } = await within(answerMsMin, client.query<{ started_at: string }>(askStart), notAnswered)
    if (rows[0]?.started_at !== this.#startedAt) throw new OtherServerError()
  }

  /** The URL leads to a server that was started at another time: connections to the earlier one may be alive. */
  #replacePool(): void {
    const earlier = this.#database
    // What the earlier server had proves nothing about this one.
    this.#containsAt = Number.NEGATIVE_INFINITY
    this.#wasUsable = null
    this.#database = this.#connect()
    this.#giveUpAll()
    earlier.close().catch(() => {})
  }

  #giveUpAll(): void {
    for (const giveUp of this.#giveUp) giveUp(notAnswered())
    this.#giveUp.clear()
  }
}

const answerMsMin = 1_000

class ReplicaLostError extends Error {}

const notAnswered = () => new ReplicaLostError('The replica does not answer')

class OtherServerError extends Error {
  constructor() {
    super('connections to its URL reach different servers: name each of them in DATABASE_READ_URL')
  }
}

/** Whether a read failed for a reason that the primary does not share. */
export function isReplicaFailure(error: unknown): boolean {
  if (error instanceof ReplicaLostError || error instanceof OtherServerError) return true
  const state = sqlState(error)
  // A statement that was canceled took too long, as it would on the primary.
  return state === '57014' ? false : isOutage(error) || replicaStates.has(state ?? '')
}

/** A write, and a table, column or function that is not there. */
const replicaStates = new Set(['25006', '42P01', '42703', '42883'])

/** Of one read alone: it was in the way of the log, or it wrote. */
const ownFailures = new Set(['40001', '25006'])

const messageOf = (error: unknown): string =>
  error instanceof AggregateError
    ? error.errors.map(messageOf).join('; ')
    : error instanceof Error
      ? error.message
      : String(error)
