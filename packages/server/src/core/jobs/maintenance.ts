import { setImmediate } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Runtime } from '../context.ts'
import type { Database, Db } from '../db/database.ts'
import { foldTallies } from '../db/tallies.ts'
import { foldUsage } from '../db/usage.ts'
import { withinProjects } from '../db/within-projects.ts'
import { type Instant, toInstant } from '../lib/instant.ts'
import { limits } from '../lib/limits.ts'

/** Schedules the cleanup every minute, on one node at a time: it is cheap when there is little to do. */
export async function startMaintenance(runtime: Runtime, moreTasks: readonly MaintenanceTask[] = []): Promise<void> {
  const { jobs, database, now } = runtime
  await jobs.work('maintenance', async (_, { signal }) =>
    maintain(database, await earlierNow(database.db, now()), signal, moreTasks),
  )
  await jobs.schedule('maintenance', '* * * * *')
}

/**
 * The time by which rows are old: the earlier of the clocks of this node and of the database. A node whose clock is far ahead would
 * otherwise delete what all others still need, and logs whose retention has not ended.
 */
async function earlierNow(db: Db, nodeNow: number): Promise<Instant> {
  const { rows } = await sql<{ now: Instant }>`select least(now(), ${toInstant(nodeNow)}::timestamptz) as now`.execute(
    db,
  )
  return (rows[0] as { now: Instant }).now
}

/**
 * Deletes expired rows: stored replies, tokens that expired a day ago, windows of past call limits, files, holds of sessions,
 * unused guards, mails that nobody sends; and merges the rows of tallies and usage. It may be stopped anywhere, run twice or on many nodes at once: each
 * statement processes a bounded number of unlocked rows.
 */
export async function maintain(
  database: Database,
  now: Instant,
  signal?: AbortSignal,
  moreTasks: readonly MaintenanceTask[] = [],
): Promise<undefined> {
  const failures: unknown[] = []
  for (const { processBatch, rows_max } of [...tasks, ...moreTasks])
    try {
      for (let batch = 0; batch < batchesMax && !signal?.aborted; batch += 1) {
        if ((await processBatch(database.db, now)) < rows_max) break
        await setImmediate() // yield to requests
      }
    } catch (error) {
      failures.push(error) // a failed task does not stop the others
    }
  if (database.kind === 'pglite' && !signal?.aborted) await vacuumIfNeeded(database)
  if (failures.length > 0) throw failures[0]
}

const batchRows = 1_000
/** A chunk has up to 256 KiB. */
const batchChunks = 100
/** Each statement reads all tallies, so it merges many at once. */
const batchTallies = 2_000
const batchUsage = 2_000
/** The next run continues where this one stops. */
const batchesMax = 200

export interface MaintenanceTask {
  /** Returns how many rows it processed; fewer than `rows_max` means that none remain. */
  processBatch(db: Db, now: Instant): Promise<number>
  rows_max: number
}

const tasks: readonly MaintenanceTask[] = [
  { processBatch: deleteIdempotencyKeys, rows_max: batchRows },
  { processBatch: deleteOauthTokens, rows_max: batchRows },
  { processBatch: deleteCallWindows, rows_max: batchRows },
  { processBatch: deleteFileChunks, rows_max: batchChunks },
  { processBatch: deleteFiles, rows_max: batchRows },
  { processBatch: deleteHolds, rows_max: batchRows },
  { processBatch: deleteGuards, rows_max: batchRows },
  { processBatch: deleteMails, rows_max: batchRows },
  { processBatch: (db) => foldTallies(db, batchTallies), rows_max: batchTallies },
  { processBatch: (db) => foldUsage(db, batchUsage), rows_max: batchUsage },
]

/*
 * `materialized` selects the rows once: without it the planner may run the subquery again for each deleted row, and the limit
 * has no effect.
 */

async function deleteIdempotencyKeys(db: Db, now: Instant): Promise<number> {
  return withinProjects(db, sql`idempotency_keys where expires_at < ${now}`, async (within) => {
    const { numAffectedRows = 0n } = await sql`
      with over as materialized (
        select project_id, key from idempotency_keys where expires_at < ${now} and ${within('project_id')}
        order by expires_at limit ${sql.lit(batchRows)} for update skip locked
      )
      delete from idempotency_keys k using over where k.project_id = over.project_id and k.key = over.key and ${within('k.project_id')}`.execute(
      db,
    )
    return Number(numAffectedRows)
  })
}

async function deleteOauthTokens(db: Db, now: Instant): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    with over as materialized (
      select token_hash from oauth_tokens where expires_at < ${now}::timestamptz - interval '1 day'
      limit ${sql.lit(batchRows)} for update skip locked
    )
    delete from oauth_tokens t using over where t.token_hash = over.token_hash`.execute(db)
  return Number(numAffectedRows)
}

/**
 * An hour after its end no request counts in a window, not even on a node with a slow clock. The window of a calendar month has
 * no fixed length (0 seconds) and ends at most 31 days after its start.
 */
async function deleteCallWindows(db: Db, now: Instant): Promise<number> {
  return withinProjects(db, sql`call_windows where ${isOver(now)}`, async (within) => {
    const { numAffectedRows = 0n } = await sql`
      with over as materialized (
        select project_id, kind, seconds, starts_at from call_windows
        where ${isOver(now)} and ${within('project_id')}
        limit ${sql.lit(batchRows)} for update skip locked
      )
      delete from call_windows w using over
      where w.project_id = over.project_id and w.kind = over.kind and w.seconds = over.seconds and w.starts_at = over.starts_at
        and ${within('w.project_id')}
    `.execute(db)
    return Number(numAffectedRows)
  })
}

const isOver = (
  now: Instant,
) => sql`starts_at + case seconds when 0 then interval '31 days' else seconds * interval '1 second' end
  < ${now}::timestamptz - interval '1 hour'`

/** Deletes the content first: the cascade of a large file would be one long statement. */
async function deleteFileChunks(db: Db, now: Instant): Promise<number> {
  return withinProjects(
    db,
    sql`files f where f.expires_at < ${now} and exists (select from file_chunks c where c.project_id = f.project_id and c.file_id = f.id)`,
    async (within) => {
      const { numAffectedRows = 0n } = await sql`
      with over as materialized (
        select c.project_id, c.file_id, c.start from files f
        join file_chunks c on c.project_id = f.project_id and c.file_id = f.id
        where f.expires_at < ${now} and ${within('f.project_id')}
        limit ${sql.lit(batchChunks)} for update of c skip locked
      )
      delete from file_chunks c using over
      where c.project_id = over.project_id and c.file_id = over.file_id and c.start = over.start
        and ${within('c.project_id')}`.execute(db)
      return Number(numAffectedRows)
    },
  )
}

async function deleteFiles(db: Db, now: Instant): Promise<number> {
  return withinProjects(db, sql`files where expires_at < ${now}`, async (within) => {
    const { numAffectedRows = 0n } = await sql`
      with over as materialized (
        select project_id, id from files f
        where expires_at < ${now} and ${within('f.project_id')}
          and not exists (select from file_chunks c where c.project_id = f.project_id and c.file_id = f.id and ${within('c.project_id')})
        order by expires_at limit ${sql.lit(batchRows)} for update skip locked
      )
      delete from files f using over where f.project_id = over.project_id and f.id = over.id and ${within('f.project_id')}`.execute(
      db,
    )
    return Number(numAffectedRows)
  })
}

async function deleteHolds(db: Db, now: Instant): Promise<number> {
  return withinProjects(db, sql`holds where expires_at < ${now}`, async (within) => {
    const { numAffectedRows = 0n } = await sql`
      with over as materialized (
        select project_id, session_key, resource_id from holds where expires_at < ${now} and ${within('project_id')}
        order by expires_at limit ${sql.lit(batchRows)} for update skip locked
      )
      delete from holds h using over
      where h.project_id = over.project_id and h.session_key = over.session_key and h.resource_id = over.resource_id
        and ${within('h.project_id')}`.execute(db)
    return Number(numAffectedRows)
  })
}

/** A request relies on the guard version it read until it ends, which is always less than a day. */
async function deleteGuards(db: Db, now: Instant): Promise<number> {
  return withinProjects(db, sql`guards where touched_at < ${now}::timestamptz - interval '1 day'`, async (within) => {
    const { numAffectedRows = 0n } = await sql`
      with over as materialized (
        select project_id, name from guards where touched_at < ${now}::timestamptz - interval '1 day' and ${within('project_id')}
        order by touched_at limit ${sql.lit(batchRows)} for update skip locked
      )
      delete from guards g using over where g.project_id = over.project_id and g.name = over.name and ${within('g.project_id')}`.execute(
      db,
    )
    return Number(numAffectedRows)
  })
}

/** Mails whose job was lost: a worker deletes all others. */
async function deleteMails(db: Db, now: Instant): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    with over as materialized (
      select id from mails where created_at < ${now}::timestamptz - interval '1 day' * ${sql.lit(limits.mail_ttl_days)}
      limit ${sql.lit(batchRows)} for update skip locked
    )
    delete from mails m using over where m.id = over.id`.execute(db)
  return Number(numAffectedRows)
}

/**
 * PGlite has no autovacuum: dead rows would accumulate and the planner would have no statistics. This does the same with the
 * default thresholds of autovacuum.
 */
async function vacuumIfNeeded(database: Database): Promise<void> {
  const { rows } = await database.execute(`
    select format('%I.%I', schemaname, relname) as name from pg_stat_user_tables
    where n_dead_tup > 50 + 0.2 * n_live_tup or n_mod_since_analyze > 50 + 0.1 * n_live_tup`)
  for (const { name } of rows as Array<{ name: string }>) await database.execute(`vacuum (analyze) ${name}`)
}
