import { sql } from 'kysely'
import type { Caller, Ctx, Runtime } from '../../core/context.ts'
import { tryLockName } from '../../core/db/name-locks.ts'
import type { CustomerRow } from '../../core/db/tables.ts'
import { inBackground, newBackgroundRun } from '../../core/jobs/background.ts'
import type { Look } from '../../core/jobs/watch.ts'
import { toInstant } from '../../core/lib/instant.ts'
import { todayIn } from '../../core/query/filter/calendar.ts'
import { recomputeMemberships } from './check.ts'
import { recomputeNextBatch } from './recompute-batch.ts'
import type { StoredSegment } from './store.ts'

const checkBatchSize = 200
const memberBatchSize = 5_000
/** How often to look for segments that need their daily recompute. */
const dailyCheckIntervalMs = 60_000

/** Starts the background worker that keeps memberships up to date; every node runs one, and they share the work. */
export function startSegmentWorker(runtime: Runtime): void {
  let dailyCheckAt = -Infinity
  runtime.jobs.watch('segments', async () => {
    const isDue = runtime.now() - dailyCheckAt >= dailyCheckIntervalMs
    if (isDue) dailyCheckAt = runtime.now()
    return processSegments(runtime, { daily: isDue })
  })
}

/**
 * Does a bounded amount of the background work: queued membership checks, one batch of a running recompute, members of deleted
 * segments. With `daily`, starts the daily recomputes first. Returns whether there may be more; `only` restricts it to one project.
 */
export async function processSegments(
  runtime: Runtime,
  { daily, only }: { daily: boolean; only?: string },
): ReturnType<Look> {
  if (daily) await startDailyRecomputes(runtime, only)
  const hasChecked = await runQueuedChecks(runtime, only)
  const hasRecomputed = await runRecomputeBatch(runtime, only)
  const hasDeleted = await deleteMemberBatch(runtime, only)
  return hasChecked || hasRecomputed || hasDeleted
}

const inProject = (only: string | undefined, column = 'project_id') =>
  only === undefined ? sql`true` : sql`${sql.ref(column)} = ${only}`

/** Backoff after a failure: failed work is skipped for a minute, so that it does not block the rest. */
const backoffMs = 60_000
/** When the backoff of a project (membership checks) or a segment (recompute) ends, by its id. */
const backoffUntil = new Map<string, number>()

/** Runs work in its own transaction. Returns false if it failed, which starts a backoff, or if another node holds its lock. */
async function attempt(runtime: Runtime, name: string, projectId: string, work: (ctx: Ctx) => Promise<boolean>) {
  try {
    return (await inBackground(runtime, projectId, newBackgroundRun(), work)) === true
  } catch (error) {
    runtime.log.error({ err: error, project_id: projectId, name }, 'could not update segment memberships')
    backoffUntil.set(name, runtime.now() + backoffMs)
    return false
  }
}

/** The ids in backoff; removes those whose backoff has ended. */
function idsInBackoff(now: number): string[] {
  for (const [id, until] of backoffUntil) if (until <= now) backoffUntil.delete(id)
  return [...backoffUntil.keys()]
}

const projectsTriedMax = 5

/** Runs the oldest queued checks of the project that has waited longest and that no other node is processing. */
async function runQueuedChecks(runtime: Runtime, only?: string): Promise<boolean> {
  const skippedProjects = idsInBackoff(runtime.now())
  for (let tries = 0; tries < projectsTriedMax; tries += 1) {
    const oldest = await sql<{ project_id: string }>`
      select c.project_id from segment_checks c join projects p on p.id = c.project_id and p.deleted_at is null
      where ${inProject(only, 'c.project_id')} and c.project_id <> all(${skippedProjects}::text[])
      order by c.created_at limit 1`.execute(runtime.database.db)
    const projectId = oldest.rows[0]?.project_id
    if (projectId === undefined) return false
    if (await attempt(runtime, projectId, projectId, runOldestChecks)) return true
    skippedProjects.push(projectId)
  }
  return false
}

/** Runs a batch of checks. Only one node at a time per project: two would wait for locks on the same customers. */
async function runOldestChecks(ctx: Ctx): Promise<boolean> {
  const { db, project_id } = ctx
  if (!(await tryLockName(db, project_id, `segments ${project_id}`))) return false
  const { rows: checks } = await sql<{ customer_id: CustomerRow['id']; request_id: string; caller: Caller }>`
    select customer_id, request_id, caller from segment_checks where project_id = ${project_id}
    order by created_at, request_id limit ${checkBatchSize}`.execute(db)
  if (checks.length === 0) return false
  // This locks the customers first. A request queues a check while it holds the lock of its customer, so the delete below
  // removes no check whose change the recompute has not seen.
  await recomputeMemberships(ctx, checks)
  await sql`
    delete from segment_checks c
    using unnest(${checks.map((check) => check.customer_id)}::text[], ${checks.map((check) => check.request_id)}::text[])
      as done (customer_id, request_id)
    where c.project_id = ${project_id} and c.customer_id = done.customer_id and c.request_id = done.request_id
  `.execute(db)
  return true
}

const recomputesTriedMax = 20

/** Runs one batch of the oldest running recompute that is not in backoff, locked by another node or waiting to finish. */
async function runRecomputeBatch(runtime: Runtime, only?: string): Promise<boolean> {
  const { rows } = await sql<{ project_id: string; id: StoredSegment['id'] }>`
    select s.project_id, s.id from segments s join projects p on p.id = s.project_id and p.deleted_at is null
    where s.walk_started_at is not null and s.deleted_at is null and ${inProject(only, 's.project_id')}
      and s.id <> all(${idsInBackoff(runtime.now())}::text[])
    order by s.walk_started_at limit ${recomputesTriedMax}`.execute(runtime.database.db)
  for (const { project_id, id } of rows)
    if (await attempt(runtime, id, project_id, (ctx) => recomputeNextBatch(ctx, id))) return true
  return false
}

/** Starts a recompute of every segment whose filter compares days, once a new day has begun in the project's time zone. */
async function startDailyRecomputes({ database: { db }, now }: Runtime, only?: string): Promise<void> {
  const moment = toInstant(now())
  const { rows } = await sql<{ project_id: string; timezone: string }>`
    select distinct s.project_id, p.timezone from segments s join projects p on p.id = s.project_id and p.deleted_at is null
    where s.is_day_relative and s.walk_started_at is null and s.deleted_at is null and ${inProject(only, 's.project_id')}
  `.execute(db)
  for (const { project_id, timezone } of rows)
    await sql`
      update segments set walk_started_at = ${moment}::timestamptz, walk_is_silent = false, walked_to = null
      where project_id = ${project_id} and is_day_relative and walk_started_at is null and deleted_at is null
        and known_on < ${todayIn({ now: moment, timezone })}::date`.execute(db)
}

/** Deletes a batch of members of a soft-deleted segment, and the segment itself after its last member. */
async function deleteMemberBatch({ database: { db } }: Runtime, only?: string): Promise<boolean> {
  const { rows } = await sql<{ project_id: string; id: string }>`
    select project_id, id from segments where deleted_at is not null and ${inProject(only)} limit 1`.execute(db)
  const [segment] = rows
  if (segment === undefined) return false
  const { project_id, id } = segment
  const { numAffectedRows = 0n } = await sql`
    with some_members as materialized (
      select customer_id from segment_members where project_id = ${project_id} and segment_id = ${id}
      order by customer_id limit ${memberBatchSize} for update
    )
    delete from segment_members where project_id = ${project_id} and segment_id = ${id}
      and customer_id in (select customer_id from some_members)`.execute(db)
  if (Number(numAffectedRows) < memberBatchSize)
    await sql`delete from segments where project_id = ${project_id} and id = ${id}`.execute(db)
  return true
}
