import { sql } from 'kysely'
import type { Caller, Ctx, Runtime } from '../../core/context.ts'
import type { CustomerRow } from '../../core/db/tables.ts'
import { inBackground, type Origin } from '../../core/jobs/background.ts'
import type { Look } from '../../core/jobs/watch.ts'
import { newId } from '../../core/lib/ids.ts'
import { toInstant } from '../../core/lib/instant.ts'
import { todayIn } from '../../core/query/filter/calendar.ts'
import { checkMemberships } from './check.ts'
import type { StoredSegment } from './store.ts'
import { walkOn } from './walk.ts'

const batchChecks = 200
const batchMembers = 5_000
const dailyMs = 60_000

/** Keeps memberships up to date from now on, together with the other nodes. */
export function watchSegments(runtime: Runtime): void {
  let lookedAt = -Infinity
  runtime.jobs.watch('segments', async () => {
    const isDue = runtime.now() - lookedAt >= dailyMs
    if (isDue) lookedAt = runtime.now()
    return lookAtSegments(runtime, { daily: isDue })
  })
}

/**
 * A bounded piece of what is to do: customers that changed, walks over all customers, members of deleted segments.
 * Answers whether there may be more. `only` restricts it to one project.
 */
export async function lookAtSegments(
  runtime: Runtime,
  { daily, only }: { daily: boolean; only?: string },
): ReturnType<Look> {
  if (daily) await startDailyWalks(runtime, only)
  const checked = await checkSome(runtime, only)
  const walked = await walkSome(runtime, only)
  const cleared = await clearSome(runtime, only)
  return checked || walked || cleared
}

const inProject = (only: string | undefined, column = 'project_id') =>
  only === undefined ? sql`true` : sql`${sql.ref(column)} = ${only}`

/** What cannot be done now is left alone for a while: the others must not wait for it. */
const troubleMs = 60_000
const troubled = new Map<string, number>()

/** Does one thing in a transaction of its own; one that fails, or is somebody else's at the moment, did nothing. */
async function attempt(runtime: Runtime, name: string, projectId: string, work: (ctx: Ctx) => Promise<boolean>) {
  try {
    return (await inBackground(runtime, projectId, newRun(), work)) === true
  } catch (error) {
    runtime.log.error({ err: error, project_id: projectId, name }, 'segments could not be brought up to date')
    troubled.set(name, runtime.now() + troubleMs)
    return false
  }
}

/** The names that are troubled, without those whose time is over. */
function namesInTrouble(now: number): string[] {
  for (const [name, until] of troubled) if (until <= now) troubled.delete(name)
  return [...troubled.keys()]
}

const projectsAtOnceMax = 5

/** Of the projects that have waited longest, the first where nobody else is at it: the customers that changed first. */
async function checkSome(runtime: Runtime, only?: string): Promise<boolean> {
  const leftAlone = namesInTrouble(runtime.now())
  for (let tried = 0; tried < projectsAtOnceMax; tried += 1) {
    const oldest = await sql<{ project_id: string }>`
      select c.project_id from segment_checks c join projects p on p.id = c.project_id and p.deleted_at is null
      where ${inProject(only, 'c.project_id')} and c.project_id <> all(${leftAlone}::text[])
      order by c.created_at limit 1`.execute(runtime.database.db)
    const projectId = oldest.rows[0]?.project_id
    if (projectId === undefined) return false
    if (await attempt(runtime, projectId, projectId, checkOldest)) return true
    leftAlone.push(projectId)
  }
  return false
}

/** One at a time in each project: two would wait for the same customers. */
async function checkOldest(ctx: Ctx): Promise<boolean> {
  const { db, project_id } = ctx
  const lock = await sql<{ is_ours: boolean }>`
    select pg_try_advisory_xact_lock(hashtextextended(${`segments ${project_id}`}, 0)) as is_ours`.execute(db)
  if (lock.rows[0]?.is_ours !== true) return false
  const { rows: checks } = await sql<{ customer_id: CustomerRow['id']; request_id: string; caller: Caller }>`
    select customer_id, request_id, caller from segment_checks where project_id = ${project_id}
    order by created_at, request_id limit ${batchChecks}`.execute(db)
  if (checks.length === 0) return false
  // First the customers are locked, in there; whoever changes one notes it while it holds that lock, so that what is
  // deleted below is what was looked at.
  await checkMemberships(ctx, checks)
  await sql`
    delete from segment_checks c
    using unnest(${checks.map((check) => check.customer_id)}::text[], ${checks.map((check) => check.request_id)}::text[])
      as done (customer_id, request_id)
    where c.project_id = ${project_id} and c.customer_id = done.customer_id and c.request_id = done.request_id
  `.execute(db)
  return true
}

const walksAtOnceMax = 20

/** One batch of the walk that began first, or of the next one where that is troubled, held or waits for its end. */
async function walkSome(runtime: Runtime, only?: string): Promise<boolean> {
  const { rows } = await sql<{ project_id: string; id: StoredSegment['id'] }>`
    select s.project_id, s.id from segments s join projects p on p.id = s.project_id and p.deleted_at is null
    where s.walk_started_at is not null and s.deleted_at is null and ${inProject(only, 's.project_id')}
      and s.id <> all(${namesInTrouble(runtime.now())}::text[])
    order by s.walk_started_at limit ${walksAtOnceMax}`.execute(runtime.database.db)
  for (const { project_id, id } of rows)
    if (await attempt(runtime, id, project_id, (ctx) => walkOn(ctx, id))) return true
  return false
}

/** Where a filter asks for days, yesterday's memberships hold no longer once the project has a new day. */
async function startDailyWalks({ database: { db }, now }: Runtime, only?: string): Promise<void> {
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

/** Members of segments that were deleted, and at last the segment. */
async function clearSome({ database: { db } }: Runtime, only?: string): Promise<boolean> {
  const { rows } = await sql<{ project_id: string; id: string }>`
    select project_id, id from segments where deleted_at is not null and ${inProject(only)} limit 1`.execute(db)
  const [doomed] = rows
  if (doomed === undefined) return false
  const { project_id, id } = doomed
  const { numAffectedRows = 0n } = await sql`
    with some_members as materialized (
      select customer_id from segment_members where project_id = ${project_id} and segment_id = ${id}
      order by customer_id limit ${batchMembers} for update
    )
    delete from segment_members where project_id = ${project_id} and segment_id = ${id}
      and customer_id in (select customer_id from some_members)`.execute(db)
  if (Number(numAffectedRows) < batchMembers)
    await sql`delete from segments where project_id = ${project_id} and id = ${id}`.execute(db)
  return true
}

const newRun = (): Origin => ({
  request_id: newId('background_run'),
  caller: { channel: 'INTERNAL', api_key: null, role: 'ADMIN' },
})
