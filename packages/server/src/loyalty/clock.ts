import { setTimeout } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Caller, Ctx, House } from '../context.ts'
import { inBackground } from '../jobs/background.ts'
import type { Look } from '../jobs/watch.ts'
import { todayIn } from '../lib/filter/calendar.ts'
import { newId } from '../lib/ids.ts'
import { toInstant } from '../lib/instant.ts'
import { allCards, openBooks, saveBooks } from './books.ts'
import { listWalks, walkOn } from './review.ts'
import { settle } from './settle.ts'

/**
 * Members of one transaction, and how many of those one after another: a checkout next to it should feel nothing of it, and
 * whatever is larger is felt (`npm run bench loyalty`).
 */
const members_at_once = 1
const batches_at_once = 50
const look_ms_max = 500
const settle_ms_max = 100
const rest_ms_max = 250
/** A new day begins in some time zone every quarter of an hour. */
const look_every_ms = 10_000

/** Does what time does to members from now on, together with the other nodes (spec 05, section 8). */
export function watchMembers(house: House): void {
  let looked_at = -Infinity
  house.jobs.watch('members', async (signal) => {
    if (await walkSome(house)) return true
    if (house.now() - looked_at < look_every_ms) return false
    const isMore = await settleSome(house, undefined, (ms) => setTimeout(ms, undefined, { signal }).catch(() => {}))
    if (!isMore) looked_at = house.now()
    return isMore
  })
}

/**
 * Some members for whom something is due, in the project that has waited longest; answers whether there may be more. It does
 * not matter how often, how late and on how many nodes it runs. `only` restricts it to one project.
 */
export async function lookAtMembers(house: House, { only }: { only?: string } = {}): ReturnType<Look> {
  return (await walkSome(house, only)) || (await settleSome(house, only))
}

async function walkSome(house: House, only?: string): Promise<boolean> {
  for (const walk of await listWalks(house, only)) {
    const name = `${walk.campaign_id} ${walk.changed}`
    if (isTroubled(house, name)) continue
    if ((await attempt(house, name, () => walkOn(house, walk))) === true) return true
  }
  return false
}

/** Several batches, with a rest after each: the time in between is for whoever is waiting for an answer. */
async function settleSome(house: House, only?: string, rest: (ms: number) => Promise<void> = noRest): Promise<boolean> {
  for (const project_id of await projectsDue(house, only)) {
    let settled = 0
    const until = performance.now() + look_ms_max
    while (settled < batches_at_once && performance.now() < until && !isTroubled(house, project_id)) {
      const begun_at = performance.now()
      const done = await attempt(house, project_id, () => inBackground(house, project_id, newOrigin(), settleBatch))
      if (done === undefined && (await settleOneByOne(house, project_id))) settled += 1
      if (done !== true) break
      settled += 1
      await rest(Math.min(performance.now() - begun_at, rest_ms_max))
    }
    if (settled > 0) return true
  }
  return false
}

const noRest = async (): Promise<void> => {}

/** What cannot be done now is left alone for a while: the others must not wait for it. */
const trouble_ms = 60_000
const troubled = new Map<string, number>()

const isTroubled = ({ now }: House, name: string): boolean => (troubled.get(name) ?? 0) > now()

/** Undefined: it failed, and is left alone for a while. */
async function attempt<T>(house: House, name: string, work: () => Promise<T>): Promise<T | undefined> {
  for (const [other, until] of troubled) if (until <= house.now()) troubled.delete(other)
  try {
    return await work()
  } catch (error) {
    house.log.error({ err: error, name }, 'members could not be brought up to date')
    troubled.set(name, house.now() + trouble_ms)
    return undefined
  }
}

/** Whose day has come: every project has its own midnight. */
async function projectsDue({ database: { db }, now }: House, only: string | undefined): Promise<string[]> {
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
async function settleBatch(ctx: Ctx): Promise<boolean> {
  const { db, project_id } = ctx
  // What a crash takes back is due again, and is done again: nobody has to wait for the disk.
  await sql`set local synchronous_commit = off`.execute(db)
  const lock = await sql<{ is_ours: boolean }>`
    select pg_try_advisory_xact_lock(hashtextextended(${`members ${project_id}`}, 0)) as is_ours`.execute(db)
  if (lock.rows[0]?.is_ours !== true) return false
  const members = await listDue(ctx, members_at_once)
  if (members.length === 0) return false
  await settleMembers(ctx, members)
  return true
}

/** Where somebody among many cannot be settled, the others are, each alone; answers whether any was. */
async function settleOneByOne(house: House, project_id: string): Promise<boolean> {
  const members = (await inBackground(house, project_id, newOrigin(), (ctx) => listDue(ctx, batches_at_once))) ?? []
  let settled = 0
  for (const member of members) {
    if (isTroubled(house, member.voucher_id)) continue
    const work = () => inBackground(house, project_id, newOrigin(), (ctx) => settleMembers(ctx, [member]))
    if ((await attempt(house, member.voucher_id, work)) !== undefined) settled += 1
  }
  return settled > 0
}

interface DueMember {
  voucher_id: string
  customer_id: string
}

async function listDue({ db, project_id, project, now }: Ctx, count: number): Promise<DueMember[]> {
  const { rows } = await sql<DueMember>`
    select voucher_id, customer_id from loyalty_members
    where project_id = ${project_id} and due_on <= ${todayIn({ now, timezone: project.timezone })}::date
    order by due_on, voucher_id limit ${count}`.execute(db)
  return rows
}

async function settleMembers(ctx: Ctx, members: readonly DueMember[]): Promise<true> {
  const books = await openBooks(ctx, [...new Set(members.map(({ customer_id }) => customer_id))])
  const known = new Set([...allCards(books)].map(({ voucher }) => voucher.id as string))
  await settle(books, { deadline: performance.now() + settle_ms_max })
  await saveBooks(books)
  await forgetDue(
    ctx,
    members.flatMap(({ voucher_id }) => (known.has(voucher_id) ? [] : [voucher_id])),
  )
  return true
}

/** Members whose card, holder or program is gone have nothing due any more. */
async function forgetDue({ db, project_id }: Ctx, voucher_ids: readonly string[]): Promise<void> {
  if (voucher_ids.length === 0) return
  await sql`
    update loyalty_members set due_on = null
    where project_id = ${project_id} and voucher_id = any(${voucher_ids}::text[])`.execute(db)
}

const newOrigin = () => ({
  request_id: newId('background_run'),
  caller: { channel: 'INTERNAL', api_key: null, role: 'ADMIN' } as Caller,
})
