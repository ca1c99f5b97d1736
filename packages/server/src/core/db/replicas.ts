import type { FastifyBaseLogger } from 'fastify'
import { sql } from 'kysely'
import type { OnStatement } from './connect.ts'
import type { Database, Db } from './database.ts'
import { latestCommitOf } from './latest-commit.ts'
import { PrimaryHistory } from './primary-history.ts'
import { isReplicaFailure, Replica, type ServerIdentity } from './replica.ts'
import { pollName, ServerPoll } from './server-poll.ts'
import { sqlState } from './transaction.ts'

/** Streaming replicas that answer reads (docs/decisions/0079-replicas.md). */
export interface Replicas {
  /**
   * Runs a read on a replica that lags little enough and, with a `position`, contains it; on the primary if there is none, if the
   * replica fails, or if the read throws `PrimaryNeededError`.
   */
  read<T>(
    options: { position?: number | null },
    onReplica: (db: Db) => Promise<T>,
    onPrimary: () => Promise<T>,
  ): Promise<T>
  /** A position that contains everything this process has committed; null: not known yet. */
  position(): number | null
  /** Asks the primary, so that the position contains what is committed anywhere by now. */
  learnPosition(primary: Db): Promise<void>
  /** By where and why they ran there. */
  reads(): Readonly<Record<ReadOutcome, number>>
  list(): readonly Pick<Replica, 'name' | 'lagMs' | 'whyNot'>[]
  close(): Promise<void>
}

/** `replica`, or why the primary answered. */
export type ReadOutcome = 'replica' | 'no_replica' | 'own_write' | 'unknown' | 'failed'

/** Thrown by a read on a replica that only the primary can answer, such as what seems to be missing. */
export class PrimaryNeededError extends Error {}

export interface ReplicasOptions {
  /** The primary. */
  database: Pick<Database, 'db' | 'newClient'>
  read_urls: readonly string[]
  lag_ms_max: number
  connections_max: number
  log: FastifyBaseLogger
  onStatement?: OnStatement | undefined
}

interface PrimaryState extends ServerIdentity {
  lsn: string
  next_id: string
  shift: string
}

const askPrimary = `
  select pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::text as lsn,
    ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::int as timeline, pg_snapshot_xmax(pg_current_snapshot())::text as next_id, (select shift::text from event_positions) as shift,
    current_database() as database, (select system_identifier::text from pg_control_system()) as system`

/** A replica with more reads than that is left to those: further ones would wait longer than the primary takes. */
const readsPerConnection = 4

/** Polls per second at most, and at least per time that a replica may lag. */
const pollMsMax = 250
const pollsPerLag = 4

/**
 * Opens the replicas of a migrated database. Nothing waits for them: until one has proven its lag, the primary answers. What a
 * replica has proven to contain was committed after this call, so it also has the tables and functions of this release.
 */
export function openReplicas(options: ReplicasOptions): Replicas {
  const { database, read_urls, lag_ms_max, connections_max, log, onStatement } = options
  const latestCommit = latestCommitOf(database.db)
  const everyMs = Math.min(pollMsMax, lag_ms_max / pollsPerLag)
  const history = new PrimaryHistory()
  let primary: PrimaryState | null = null
  let next = 0
  const reads: Record<ReadOutcome, number> = { replica: 0, no_replica: 0, own_write: 0, unknown: 0, failed: 0 }

  const primaryPoll = new ServerPoll<PrimaryState>({
    newClient: () => database.newClient(pollName),
    statement: askPrimary,
    every_ms: everyMs,
    answer_ms: Math.max(lag_ms_max, 1_000),
    onAnswer(state, at) {
      if (primary !== null && primary.timeline !== state.timeline) latestCommit?.forget()
      primary = state
      history.add({ at, lsn: Number(state.lsn), timeline: state.timeline })
      reviewAll()
    },
    // The requests that need the primary report it.
    onFailure: () => reviewAll(),
  })
  const replicas = read_urls.map(
    (url) =>
      new Replica({
        url,
        lag_ms_max,
        every_ms: everyMs,
        connections_max,
        onStatement,
        history,
        primary: () => primary,
        onChange: ({ name }, problem) => {
          if (problem === null) log.info({ replica: name }, 'the replica answers reads')
          else log.warn({ replica: name, problem }, `the replica answers no reads: ${problem}`)
        },
      }),
  )
  const reviewAll = () => {
    for (const replica of replicas) replica.review()
  }

  /** The replica with the fewest reads; those with as few take turns. */
  function choose(position: number | null): Replica | 'no_replica' | 'own_write' {
    let reason: 'no_replica' | 'own_write' = 'no_replica'
    let chosen: Replica | null = null
    next += 1
    for (let place = 0; place < replicas.length; place += 1) {
      const replica = replicas[(next + place) % replicas.length] as Replica
      if (replica.whyNot() !== null || replica.readsRunning >= readsPerConnection * connections_max) continue
      if (position !== null && !replica.contains(position)) reason = 'own_write'
      else if (chosen === null || replica.readsRunning < chosen.readsRunning) chosen = replica
    }
    return chosen ?? reason
  }

  return {
    async read({ position = null }, onReplica, onPrimary) {
      const replica = choose(position)
      if (!(replica instanceof Replica)) {
        reads[replica] += 1
        return onPrimary()
      }
      try {
        const result = await replica.run(onReplica)
        reads.replica += 1
        return result
      } catch (error) {
        if (error instanceof PrimaryNeededError) reads.unknown += 1
        else if (isReplicaFailure(error)) {
          reads.failed += 1
          if (sqlState(error) === '25006') log.error({ err: error }, 'a read tried to write')
          replica.readFailed(error)
        } else throw error
        return onPrimary()
      }
    },
    position() {
      if (primary === null) return null
      return Math.max(latestCommit?.id ?? 0, Number(primary.next_id) - 1) + Number(primary.shift)
    },
    async learnPosition(db) {
      const { rows } = await sql<{ id: string }>`
        select (pg_snapshot_xmax(pg_current_snapshot())::text::bigint - 1)::text as id`.execute(db)
      latestCommit?.note(rows[0]?.id)
    },
    reads: () => reads,
    list: () => replicas,
    async close() {
      await Promise.all([primaryPoll, ...replicas].map((each) => each.close()))
    },
  }
}
