import { sql } from 'kysely'
import type { Caller, Ctx, Runtime } from '../../core/context.ts'
import { inBackground, newBackgroundRun } from '../../core/jobs/background.ts'
import { todayIn } from '../../core/query/filter/calendar.ts'
import { findCard, momentNow } from './card.ts'
import { creditTierEarnings } from './cascade.ts'
import { applyDueChanges } from './due-changes.ts'
import { reviewTier } from './tiers.ts'
import { lockAndLoadMembers, saveMembers } from './unit-of-work.ts'

/** Members reviewed before the response, and per step of the background job. */
const membersPerStep = 200

type ChangedPart = 'tiers' | 'settings'

/**
 * Reviews the tiers of all members of a program after its tiers or tier settings changed
 * (docs/reference/loyalty-tiers.md#when-tiers-are-looked-at). The first 200 members of a large program are reviewed before the
 * response, the others in the background within seconds.
 */
export async function reviewMembers(ctx: Ctx, campaignId: string, changed: ChangedPart): Promise<void> {
  const reviewedTo = await reviewNextMembers(ctx, campaignId, changed, '')
  if (reviewedTo === null) return
  const { db, project_id, request_id, caller, now } = ctx
  await sql`
    insert into tier_walks (project_id, campaign_id, changed, walked_to, request_id, caller, started_at)
    values (${project_id}, ${campaignId}, ${changed}, ${reviewedTo}, ${request_id}, ${JSON.stringify(caller)}::jsonb,
      ${now}::timestamptz)
    on conflict (project_id, campaign_id, changed) do update set walked_to = excluded.walked_to,
      request_id = excluded.request_id, caller = excluded.caller, started_at = excluded.started_at`.execute(db)
  ctx.afterCommit(() => ctx.jobs.wake('members'))
}

/**
 * Applies due changes to the members of a program that is about to change: they are evaluated by the configuration at the time
 * they were due. Only the 200 members that are longest overdue are processed: if the daily job is further behind, the others
 * would take minutes, and the request does not wait for them.
 */
export async function applyDueChangesToProgram(ctx: Ctx, campaignId: string): Promise<void> {
  const { db, project_id, project, now } = ctx
  const { rows } = await sql<{ customer_id: string }>`
    select customer_id from loyalty_members
    where project_id = ${project_id} and due_on <= ${todayIn({ now, timezone: project.timezone })}::date
      and campaign_id = ${campaignId}
    order by due_on limit ${membersPerStep}`.execute(db)
  if (rows.length === 0) return
  const work = await lockAndLoadMembers(ctx, [...new Set(rows.map(({ customer_id }) => customer_id))])
  await applyDueChanges(work)
  await saveMembers(work)
}

/** Reviews the next members. Returns the last voucher id, or null when no members are left. */
async function reviewNextMembers(
  ctx: Ctx,
  campaignId: string,
  changed: ChangedPart,
  after: string,
): Promise<string | null> {
  const { rows } = await sql<{ voucher_id: string; customer_id: string }>`
    select voucher_id, customer_id from loyalty_members
    where project_id = ${ctx.project_id} and campaign_id = ${campaignId} and voucher_id > ${after}
    order by voucher_id limit ${membersPerStep}`.execute(ctx.db)
  if (rows.length === 0) return null
  const work = await lockAndLoadMembers(ctx, [...new Set(rows.map(({ customer_id }) => customer_id))])
  await applyDueChanges(work)
  const moment = momentNow(ctx)
  for (const { voucher_id } of rows) {
    const card = findCard(work, voucher_id)
    if (card !== undefined) await creditTierEarnings(work, reviewTier(work, card, moment, { changed }), moment)
  }
  await saveMembers(work)
  return rows.length < membersPerStep ? null : (rows.at(-1)?.voucher_id ?? null)
}

interface TierReview {
  project_id: string
  campaign_id: string
  changed: ChangedPart
}

/** Queued tier reviews, the oldest first. `only` restricts it to one project. */
export async function listTierReviews({ database: { db } }: Runtime, only?: string): Promise<TierReview[]> {
  const { rows } = await sql<TierReview>`
    select w.project_id, w.campaign_id, w.changed from tier_walks w
    join projects p on p.id = w.project_id and p.deleted_at is null
    where ${only === undefined ? sql`true` : sql`w.project_id = ${only}`}
    order by w.started_at limit ${reviewsPerRun}`.execute(db)
  return rows
}

const reviewsPerRun = 20

/** Reviews the next members of a changed program. Returns false if another node has locked the review or it is finished. */
export async function continueTierReview(
  runtime: Runtime,
  { project_id, campaign_id, changed }: TierReview,
): Promise<boolean> {
  const done = await inBackground(runtime, project_id, newBackgroundRun(), async (ctx) => {
    const locked = await sql<{ walked_to: string; request_id: string; caller: Caller }>`
      select walked_to, request_id, caller from tier_walks
      where project_id = ${project_id} and campaign_id = ${campaign_id} and changed = ${changed}
      for update skip locked`.execute(ctx.db)
    const [step] = locked.rows
    if (step === undefined) return false
    const { walked_to, request_id, caller } = step
    const next = await reviewNextMembers({ ...ctx, request_id, caller }, campaign_id, changed, walked_to)
    if (next === null)
      await sql`delete from tier_walks where project_id = ${project_id} and campaign_id = ${campaign_id}
        and changed = ${changed}`.execute(ctx.db)
    else
      await sql`update tier_walks set walked_to = ${next} where project_id = ${project_id}
        and campaign_id = ${campaign_id} and changed = ${changed}`.execute(ctx.db)
    return true
  })
  return done === true
}
