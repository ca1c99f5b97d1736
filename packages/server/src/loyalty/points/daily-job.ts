import { setImmediate } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Caller, Ctx, Runtime } from '../../core/context.ts'
import { inBackground } from '../../core/jobs/background.ts'
import type { Look } from '../../core/jobs/watch.ts'
import { newId } from '../../core/lib/ids.ts'
import { toInstant } from '../../core/lib/instant.ts'
import { todayIn } from '../../core/query/filter/calendar.ts'
import { cardNamed } from './card.ts'
import { applyDueChanges } from './due-changes.ts'
import { listWalks, walkOn } from './review.ts'
import { lockAndLoadMembers, saveMembers } from './unit-of-work.ts'

/**
 * Each member has a transaction of its own, and the next one waits until whoever is waiting for an answer has had a turn: of
 * larger ones a checkout next to it feels something (`npm run bench loyalty`).
 */
const membersAtOnce = 50
const lookMsMax = 500
/** A new day begins in some time zone every quarter of an hour. */
const lookEveryMs = 10_000

/** Does what time does to members from now on, together with the other nodes (docs/reference/points.md#daily-job). */
export function startDailyLoyaltyJob(runtime: Runtime): void {
  let lookedAt = -Infinity
  runtime.jobs.watch('members', async () => {
    if (await walkSome(runtime)) return true
    if (runtime.now() - lookedAt < lookEveryMs) return false
    const isMore = await settleSome(runtime)
    if (!isMore) lookedAt = runtime.now()
    return isMore
  })
}

/**
 * Some members for whom something is due, in the project that has waited longest; answers whether there may be more. It does
 * not matter how often, how late and on how many nodes it runs. `only` restricts it to one project.
 */
export async function lookAtMembers(runtime: Runtime, { only }: { only?: string } = {}): ReturnType<Look> {
  return (await walkSome(runtime, only)) || (await settleSome(runtime, only))
}

async function walkSome(runtime: Runtime, only?: string): Promise<boolean> {
  for (const walk of await listWalks(runtime, only)) {
    const name = `${walk.campaign_id} ${walk.changed}`
    if (isTroubled(runtime, name)) continue
    if ((await attempt(runtime, name, () => walkOn(runtime, walk))) === true) return true
  }
  return false
}

async function settleSome(runtime: Runtime, only?: string): Promise<boolean> {
  for (const projectId of await projectsDue(runtime, only)) {
    let settled = 0
    const until = performance.now() + lookMsMax
    while (settled < membersAtOnce && performance.now() < until && !isTroubled(runtime, projectId)) {
      const done = await attempt(runtime, projectId, () => inBackground(runtime, projectId, newOrigin(), settleFirst))
      if (done === undefined && (await settleOneByOne(runtime, projectId))) settled += 1
      if (done !== true) break
      settled += 1
      await setImmediate() // requests first
    }
    if (settled > 0) return true
  }
  return false
}

/** What cannot be done now is left alone for a while: the others must not wait for it. */
const troubleMs = 60_000
const troubled = new Map<string, number>()

const isTroubled = ({ now }: Runtime, name: string): boolean => (troubled.get(name) ?? 0) > now()

/** Undefined: it failed, and is left alone for a while. */
async function attempt<T>(runtime: Runtime, name: string, work: () => Promise<T>): Promise<T | undefined> {
  for (const [other, until] of troubled) if (until <= runtime.now()) troubled.delete(other)
  try {
    return await work()
  } catch (error) {
    runtime.log.error({ err: error, name }, 'members could not be brought up to date')
    troubled.set(name, runtime.now() + troubleMs)
    return undefined
  }
}

/** Whose day has come: every project has its own midnight. */
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

/** One node at a time in each project: two would wait for the same customers. */
async function settleFirst(ctx: Ctx): Promise<boolean> {
  const [member] = await listDue(ctx, 1, isOurTurn(ctx))
  if (member === undefined) return false
  await settleMember(ctx, member)
  return true
}

/** What a crash takes back is due again, and is done again: nobody has to wait for the disk. */
const isOurTurn = ({ project_id }: Ctx) => sql<boolean>`
  (select set_config('synchronous_commit', 'off', true) = 'off'
    and pg_try_advisory_xact_lock(hashtextextended(${`members ${project_id}`}, 0)))`

/** Where the first cannot be settled, the others are; answers whether any was. */
async function settleOneByOne(runtime: Runtime, projectId: string): Promise<boolean> {
  const members = (await inBackground(runtime, projectId, newOrigin(), (ctx) => listDue(ctx, membersAtOnce))) ?? []
  let settled = 0
  for (const member of members) {
    if (isTroubled(runtime, member.voucher_id)) continue
    const work = () => inBackground(runtime, projectId, newOrigin(), (ctx) => settleMember(ctx, member))
    if ((await attempt(runtime, member.voucher_id, work)) !== undefined) settled += 1
  }
  return settled > 0
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

async function settleMember(ctx: Ctx, { voucher_id, customer_id }: DueMember): Promise<true> {
  const books = await lockAndLoadMembers(ctx, [customer_id])
  const isKnown = cardNamed(books, voucher_id) !== undefined
  await applyDueChanges(books)
  await saveMembers(books)
  if (!isKnown) await forgetDue(ctx, voucher_id)
  return true
}

/** A member whose card, holder or program is gone has nothing due any more. */
async function forgetDue({ db, project_id }: Ctx, voucherId: string): Promise<void> {
  await sql`
    update loyalty_members set due_on = null
    where project_id = ${project_id} and voucher_id = ${voucherId}`.execute(db)
}

const newOrigin = () => ({
  request_id: newId('background_run'),
  caller: { channel: 'INTERNAL', api_key: null, role: 'ADMIN' } as Caller,
})
