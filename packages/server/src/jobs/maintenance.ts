import { setImmediate } from 'node:timers/promises'
import { sql } from 'kysely'
import type { House } from '../context.ts'
import type { Database, Db } from '../db/connect.ts'
import { type Instant, toInstant } from '../lib/instant.ts'

/** Has the house cleaned every ten minutes, by one node at a time. */
export async function startMaintenance(house: House): Promise<void> {
  const { jobs, database, now } = house
  await jobs.work('maintenance', (_, { signal }) => maintain(database, toInstant(now()), signal))
  await jobs.schedule('maintenance', '*/10 * * * *')
}

/**
 * Deletes what is over: kept replies, tokens that expired a day ago, windows of past call limits. It may be stopped
 * anywhere, run twice or on many nodes at once: each statement takes a bounded number of rows that nobody else holds.
 */
export async function maintain(database: Database, now: Instant, signal?: AbortSignal): Promise<undefined> {
  for (const deleteSome of [deleteIdempotencyKeys, deleteOauthTokens, deleteCallWindows])
    for (let batch = 0; batch < batches_max && !signal?.aborted; batch += 1) {
      if ((await deleteSome(database.db, now)) < batch_rows) break
      await setImmediate() // requests first
    }
  if (database.kind === 'pglite' && !signal?.aborted) await vacuumWorn(database)
}

const batch_rows = 1_000
/** What a run leaves, the next one takes. */
const batches_max = 200

/*
 * `materialized` makes the choice of rows once: without it the planner may run the subquery again for each row it
 * deletes, and the limit is none.
 */

async function deleteIdempotencyKeys(db: Db, now: Instant): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    with over as materialized (
      select project_id, key from idempotency_keys where expires_at < ${now}
      order by expires_at limit ${sql.lit(batch_rows)} for update skip locked
    )
    delete from idempotency_keys k using over where k.project_id = over.project_id and k.key = over.key`.execute(db)
  return Number(numAffectedRows)
}

async function deleteOauthTokens(db: Db, now: Instant): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    with over as materialized (
      select token_hash from oauth_tokens where expires_at < ${now}::timestamptz - interval '1 day'
      limit ${sql.lit(batch_rows)} for update skip locked
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
      limit ${sql.lit(batch_rows)} for update skip locked
    )
    delete from call_windows w using over
    where w.project_id = over.project_id and w.kind = over.kind and w.seconds = over.seconds and w.starts_at = over.starts_at
  `.execute(db)
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
