import { setImmediate } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Ctx, Runtime } from '../../core/context.ts'
import { inBackground, newBackgroundRun } from '../../core/jobs/background.ts'
import type { Look } from '../../core/jobs/watch.ts'
import { toInstant } from '../../core/lib/instant.ts'
import { todayIn } from '../../core/query/filter/calendar.ts'
import { findCard } from './card.ts'
import { applyDueChanges } from './due-changes.ts'
import { continueTierReview, listTierReviews } from './review.ts'
import { lockAndLoadMembers, saveMembers } from './unit-of-work.ts'

/**
 * Each member is processed in its own transaction, and requests on the event loop run before the next one: larger transactions
 * slow down concurrent checkouts measurably (`npm run bench loyalty`).
 */
const membersPerRun = 50
const runMsMax = 500
/** A new day begins in some time zone every quarter of an hour. */
const checkIntervalMs = 10_000

/** Starts the daily job for loyalty members, shared with the other nodes (docs/reference/points.md#daily-job). */
export function startDailyLoyaltyJob(runtime: Runtime): void {
  let lastCheckAt = -Infinity
  runtime.jobs.watch('members', async () => {
    if (await continueTierReviews(runtime)) return true
    if (runtime.now() - lastCheckAt < checkIntervalMs) return false
    const isMore = await processDueMembers(runtime)
    if (!isMore) lastCheckAt = runtime.now()
    return isMore
  })
}

/**
 * Processes a batch of due members, in the project that has waited longest. Returns whether there may be more. Idempotent: it
 * may run any number of times, late, and on several nodes. `only` restricts it to one project.
 */
export async function runDueMembersBatch(runtime: Runtime, { only }: { only?: string } = {}): ReturnType<Look> {
  return (await continueTierReviews(runtime, only)) || (await processDueMembers(runtime, only))
}

async function continueTierReviews(runtime: Runtime, only?: string): Promise<boolean> {
  for (const review of await listTierReviews(runtime, only)) {
    const name = `${review.campaign_id} ${review.changed}`
    if (isBackedOff(runtime, name)) continue
    if ((await runOrBackOff(runtime, name, () => continueTierReview(runtime, review))) === true) return true
  }
  return false
}

async function processDueMembers(runtime: Runtime, only?: string): Promise<boolean> {
  for (const projectId of await projectsDue(runtime, only)) {
    let processedCount = 0
    const until = performance.now() + runMsMax
    while (processedCount < membersPerRun && performance.now() < until && !isBackedOff(runtime, projectId)) {
      const hasProcessed = await runOrBackOff(runtime, projectId, () =>
        inBackground(runtime, projectId, newBackgroundRun(), processFirstDueMember),
      )
      if (hasProcessed === undefined && (await processIndividually(runtime, projectId))) processedCount += 1
      if (hasProcessed !== true) break
      processedCount += 1
      await setImmediate() // requests first
    }
    if (processedCount > 0) return true
  }
  return false
}

/** Backoff after a failure: the failed item is skipped for a minute, so that it does not block the others. */
const backoffMs = 60_000
const backoffUntil = new Map<string, number>()

const isBackedOff = ({ now }: Runtime, name: string): boolean => (backoffUntil.get(name) ?? 0) > now()

/** Returns undefined if the task failed; its name is then backed off. */
async function runOrBackOff<T>(runtime: Runtime, name: string, task: () => Promise<T>): Promise<T | undefined> {
  for (const [other, until] of backoffUntil) if (until <= runtime.now()) backoffUntil.delete(other)
  try {
    return await task()
  } catch (error) {
    runtime.log.error({ err: error, name }, 'could not process loyalty members, retrying later')
    backoffUntil.set(name, runtime.now() + backoffMs)
    return undefined
  }
}

/** The projects with due members, the longest overdue first. Each project has its own midnight. */
async function projectsDue({ database: { db }, now }: Runtime, only: string | undefined): Promise<string[]> {
  const moment = toInstant(now())
  const { rows } = await sql<{ id: string; timezone: string; due_on: string }>`
    select p.id, p.timezone, due.due_on::text as due_on from projects p
    cross join lateral (
      select m.due_on from loyalty_members m where m.project_id = p.id and m.due_on is not null
      order by m.due_on limit 1) due
    where p.deleted_at is null and ${only === undefined ? sql`true` : sql`p.id = ${only}`}
    order by due.due_on`.execute(db)
  return rows.filter(({ timezone, due_on }) => due_on <= todayIn({ now: moment, timezone })).map(({ id }) => id)
}

/** Processes one member. Only one node at a time works on a project: two would wait for the locks of the same customers. */
async function processFirstDueMember(ctx: Ctx): Promise<boolean> {
  const [member] = await listDue(ctx, 1, hasProjectLock(ctx))
  if (member === undefined) return false
  await processMember(ctx, member)
  return true
}

/**
 * Takes the advisory lock of the project, in a statement of that project (core/db/name-locks.ts), and commits without waiting for the disk: a
 * change that a crash loses is still due and is applied again. Where a synchronous standby may take over it does wait: its events can be read
 * at once, and a promoted server that has not received them would give their positions to others, behind the cursors of consumers
 * (docs/decisions/0080-failover.md).
 */
const hasProjectLock = ({ project_id }: Ctx) => sql<boolean>`
  (select set_config('synchronous_commit', case when current_setting('synchronous_standby_names') = '' then 'off'
      else current_setting('synchronous_commit') end, true) is not null
    and pg_try_advisory_xact_lock(hashtextextended(${`members ${project_id}`}, 0)))`

/** Processes the due members individually after the first one failed. Returns whether any succeeded. */
async function processIndividually(runtime: Runtime, projectId: string): Promise<boolean> {
  const members =
    (await inBackground(runtime, projectId, newBackgroundRun(), (ctx) => listDue(ctx, membersPerRun))) ?? []
  let processedCount = 0
  for (const member of members) {
    if (isBackedOff(runtime, member.voucher_id)) continue
    const task = () => inBackground(runtime, projectId, newBackgroundRun(), (ctx) => processMember(ctx, member))
    if ((await runOrBackOff(runtime, member.voucher_id, task)) !== undefined) processedCount += 1
  }
  return processedCount > 0
}

interface DueMember {
  voucher_id: string
  customer_id: string
}

async function listDue(
  { db, project_id, project, now }: Ctx,
  count: number,
  condition = sql<boolean>`true`,
): Promise<DueMember[]> {
  const { rows } = await sql<DueMember>`
    select voucher_id, customer_id from loyalty_members
    where project_id = ${project_id} and due_on <= ${todayIn({ now, timezone: project.timezone })}::date
      and ${condition}
    order by due_on, voucher_id limit ${count}`.execute(db)
  return rows
}

async function processMember(ctx: Ctx, { voucher_id, customer_id }: DueMember): Promise<true> {
  const work = await lockAndLoadMembers(ctx, [customer_id])
  const isLoaded = findCard(work, voucher_id) !== undefined
  await applyDueChanges(work)
  await saveMembers(work)
  if (!isLoaded) await clearDueDate(ctx, voucher_id)
  return true
}

/** Clears the due date of a member whose card, holder or program was deleted. */
async function clearDueDate({ db, project_id }: Ctx, voucherId: string): Promise<void> {
  await sql`
    update loyalty_members set due_on = null
    where project_id = ${project_id} and voucher_id = ${voucherId}`.execute(db)
}
