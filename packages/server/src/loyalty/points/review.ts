import { sql } from 'kysely'
import type { Caller, Ctx, Runtime } from '../../core/context.ts'
import { inBackground } from '../../core/jobs/background.ts'
import { todayIn } from '../../core/query/filter/calendar.ts'
import { cardNamed, momentNow } from './card.ts'
import { followTiers } from './cascade.ts'
import { applyDueChanges } from './due-changes.ts'
import { reviewTier } from './tiers.ts'
import { lockAndLoadMembers, saveMembers } from './unit-of-work.ts'

/** So many members are looked at while the caller waits, or at once in the background. */
const membersAtOnce = 200

type Changed = 'tiers' | 'settings'

/**
 * Looks at the members of a program again because its tiers, or the settings of its tiers, have changed
 * (docs/reference/loyalty-tiers.md#when-tiers-are-looked-at). Of a large program the first members are looked at before the call
 * is answered, the others within seconds.
 */
export async function reviewMembers(ctx: Ctx, campaignId: string, changed: Changed): Promise<void> {
  const walkedTo = await reviewSome(ctx, campaignId, changed, '')
  if (walkedTo === null) return
  const { db, project_id, request_id, caller, now } = ctx
  await sql`
    insert into tier_walks (project_id, campaign_id, changed, walked_to, request_id, caller, started_at)
    values (${project_id}, ${campaignId}, ${changed}, ${walkedTo}, ${request_id}, ${JSON.stringify(caller)}::jsonb,
      ${now}::timestamptz)
    on conflict (project_id, campaign_id, changed) do update set walked_to = excluded.walked_to,
      request_id = excluded.request_id, caller = excluded.caller, started_at = excluded.started_at`.execute(db)
  ctx.afterCommit(() => ctx.jobs.wake('members'))
}

/**
 * Makes up for what time has done to members of a program that is about to change: what was due before is judged by what was
 * valid then. Of those whom the daily job has left behind, more than a few are a matter of minutes, and are not waited for.
 */
export async function settleProgram(ctx: Ctx, campaignId: string): Promise<void> {
  const { db, project_id, project, now } = ctx
  const { rows } = await sql<{ customer_id: string }>`
    select customer_id from loyalty_members
    where project_id = ${project_id} and due_on <= ${todayIn({ now, timezone: project.timezone })}::date
      and campaign_id = ${campaignId}
    order by due_on limit ${membersAtOnce}`.execute(db)
  if (rows.length === 0) return
  const books = await lockAndLoadMembers(ctx, [...new Set(rows.map(({ customer_id }) => customer_id))])
  await applyDueChanges(books)
  await saveMembers(books)
}

/** Answers how far it came, or null when there is nobody left. */
async function reviewSome(ctx: Ctx, campaignId: string, changed: Changed, after: string): Promise<string | null> {
  const { rows } = await sql<{ voucher_id: string; customer_id: string }>`
    select voucher_id, customer_id from loyalty_members
    where project_id = ${ctx.project_id} and campaign_id = ${campaignId} and voucher_id > ${after}
    order by voucher_id limit ${membersAtOnce}`.execute(ctx.db)
  if (rows.length === 0) return null
  const books = await lockAndLoadMembers(ctx, [...new Set(rows.map(({ customer_id }) => customer_id))])
  await applyDueChanges(books)
  const moment = momentNow(ctx)
  for (const { voucher_id } of rows) {
    const card = cardNamed(books, voucher_id)
    if (card !== undefined) await followTiers(books, reviewTier(books, card, moment, { changed }), moment)
  }
  await saveMembers(books)
  return rows.length < membersAtOnce ? null : (rows.at(-1)?.voucher_id ?? null)
}

interface Walk {
  project_id: string
  campaign_id: string
  changed: Changed
}

/** Walks that wait, the oldest first. `only` restricts it to one project. */
export async function listWalks({ database: { db } }: Runtime, only?: string): Promise<Walk[]> {
  const { rows } = await sql<Walk>`
    select w.project_id, w.campaign_id, w.changed from tier_walks w
    join projects p on p.id = w.project_id and p.deleted_at is null
    where ${only === undefined ? sql`true` : sql`w.project_id = ${only}`}
    order by w.started_at limit ${walksAtOnce}`.execute(db)
  return rows
}

const walksAtOnce = 20

/** Some members of a program that changed; answers whether there were any, or another node is at it. */
export async function walkOn(runtime: Runtime, { project_id, campaign_id, changed }: Walk): Promise<boolean> {
  const internal = { request_id: '', caller: { channel: 'INTERNAL', api_key: null, role: 'ADMIN' } as Caller }
  const done = await inBackground(runtime, project_id, internal, async (ctx) => {
    const held = await sql<{ walked_to: string; request_id: string; caller: Caller }>`
      select walked_to, request_id, caller from tier_walks
      where project_id = ${project_id} and campaign_id = ${campaign_id} and changed = ${changed}
      for update skip locked`.execute(ctx.db)
    const [step] = held.rows
    if (step === undefined) return false
    const { walked_to, request_id, caller } = step
    const next = await reviewSome({ ...ctx, request_id, caller }, campaign_id, changed, walked_to)
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
