import { setImmediate } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Runtime } from '../context.ts'
import type { Database, Db } from '../db/database.ts'
import { foldTallies } from '../db/tallies.ts'
import { foldUsage } from '../db/usage.ts'
import { type Instant, toInstant } from '../lib/instant.ts'

/** Schedules the cleanup of every minute, by one node at a time: it is cheap when there is little to do. */
export async function startMaintenance(runtime: Runtime): Promise<void> {
  const { jobs, database, now } = runtime
  await jobs.work('maintenance', (_, { signal }) => maintain(database, toInstant(now()), signal))
  await jobs.schedule('maintenance', '* * * * *')
}

/**
 * Deletes what is over: kept replies, tokens that expired a day ago, windows of past call limits, files, holds of sessions,
 * guards that nobody needs; and adds up what was counted piece by piece. It may be stopped anywhere, run twice or on many nodes at once: each statement takes
 * a bounded number of rows that nobody else holds.
 */
export async function maintain(database: Database, now: Instant, signal?: AbortSignal): Promise<undefined> {
  const failures: unknown[] = []
  for (const { workOff, rows_max } of chores)
    try {
      for (let batch = 0; batch < batchesMax && !signal?.aborted; batch += 1) {
        if ((await workOff(database.db, now)) < rows_max) break
        await setImmediate() // requests first
      }
    } catch (error) {
      failures.push(error) // one that cannot be done keeps the others from nothing
    }
  if (database.kind === 'pglite' && !signal?.aborted) await vacuumWorn(database)
  if (failures.length > 0) throw failures[0]
}

const batchRows = 1_000
/** A chunk has up to a quarter of a megabyte. */
const batchChunks = 100
/** Each look for tallies to add up reads them all, so that it had better find many. */
const batchTallies = 2_000
const batchUsage = 2_000
/** What a run leaves, the next one takes. */
const batchesMax = 200

/** What there is to do; each answers how many rows it took, and has no more when they are fewer than it could take. */
const chores: ReadonlyArray<{ workOff(db: Db, now: Instant): Promise<number>; rows_max: number }> = [
  { workOff: deleteIdempotencyKeys, rows_max: batchRows },
  { workOff: deleteOauthTokens, rows_max: batchRows },
  { workOff: deleteCallWindows, rows_max: batchRows },
  { workOff: deleteFileChunks, rows_max: batchChunks },
  { workOff: deleteFiles, rows_max: batchRows },
  { workOff: deleteHolds, rows_max: batchRows },
  { workOff: deleteGuards, rows_max: batchRows },
  { workOff: (db) => foldTallies(db, batchTallies), rows_max: batchTallies },
  { workOff: (db) => foldUsage(db, batchUsage), rows_max: batchUsage },
]

/*
 * `materialized` makes the choice of rows once: without it the planner may run the subquery again for each row it
 * deletes, and the limit is none.
 */

async function deleteIdempotencyKeys(db: Db, now: Instant): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    with over as materialized (
      select project_id, key from idempotency_keys where expires_at < ${now}
      order by expires_at limit ${sql.lit(batchRows)} for update skip locked
    )
    delete from idempotency_keys k using over where k.project_id = over.project_id and k.key = over.key`.execute(db)
  return Number(numAffectedRows)
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
 * An hour after its end nobody asks for a window, not even a node whose clock is behind. The window of a calendar month
 * has no length of its own (0 seconds) and is over 31 days after its start.
 */
async function deleteCallWindows(db: Db, now: Instant): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    with over as materialized (
      select project_id, kind, seconds, starts_at from call_windows
      where starts_at + case seconds when 0 then interval '31 days' else seconds * interval '1 second' end
        < ${now}::timestamptz - interval '1 hour'
      limit ${sql.lit(batchRows)} for update skip locked
    )
    delete from call_windows w using over
    where w.project_id = over.project_id and w.kind = over.kind and w.seconds = over.seconds and w.starts_at = over.starts_at
  `.execute(db)
  return Number(numAffectedRows)
}

/** The content of a file first: a large one would otherwise go with its row, in one long statement. */
async function deleteFileChunks(db: Db, now: Instant): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    with over as materialized (
      select c.project_id, c.file_id, c.start from files f
      join file_chunks c on c.project_id = f.project_id and c.file_id = f.id
      where f.expires_at < ${now}
      limit ${sql.lit(batchChunks)} for update of c skip locked
    )
    delete from file_chunks c using over
    where c.project_id = over.project_id and c.file_id = over.file_id and c.start = over.start`.execute(db)
  return Number(numAffectedRows)
}

async function deleteFiles(db: Db, now: Instant): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    with over as materialized (
      select project_id, id from files f
      where expires_at < ${now}
        and not exists (select from file_chunks c where c.project_id = f.project_id and c.file_id = f.id)
      order by expires_at limit ${sql.lit(batchRows)} for update skip locked
    )
    delete from files f using over where f.project_id = over.project_id and f.id = over.id`.execute(db)
  return Number(numAffectedRows)
}

async function deleteHolds(db: Db, now: Instant): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    with over as materialized (
      select project_id, session_key, resource_id from holds where expires_at < ${now}
      order by expires_at limit ${sql.lit(batchRows)} for update skip locked
    )
    delete from holds h using over
    where h.project_id = over.project_id and h.session_key = over.session_key and h.resource_id = over.resource_id`.execute(
    db,
  )
  return Number(numAffectedRows)
}

/** Whoever read the version of a guard relies on it for as long as a request lasts, which is never a day. */
async function deleteGuards(db: Db, now: Instant): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    with over as materialized (
      select project_id, name from guards where touched_at < ${now}::timestamptz - interval '1 day'
      order by touched_at limit ${sql.lit(batchRows)} for update skip locked
    )
    delete from guards g using over where g.project_id = over.project_id and g.name = over.name`.execute(db)
  return Number(numAffectedRows)
}

/**
 * PGlite has no autovacuum: dead rows would pile up for ever and the planner would know nothing. We do what it would,
 * by its own thresholds.
 */
async function vacuumWorn(database: Database): Promise<void> {
  const { rows } = await database.execute(`
    select format('%I.%I', schemaname, relname) as name from pg_stat_user_tables
    where n_dead_tup > 50 + 0.2 * n_live_tup or n_mod_since_analyze > 50 + 0.1 * n_live_tup`)
  for (const { name } of rows as Array<{ name: string }>) await database.execute(`vacuum (analyze) ${name}`)
}
