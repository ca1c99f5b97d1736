import { sql } from 'kysely'
import type { Ctx } from '../../core/context.ts'
import type { CustomerRow } from '../../core/db/tables.ts'
import { todayIn } from '../../core/query/filter/calendar.ts'
import { toCustomer } from '../customers/customer.ts'
import { customerFilterSql } from '../customers/filter.ts'
import { listCustomersById } from '../customers/store.ts'
import { tellTransitions } from './check.ts'
import type { StoredSegment } from './store.ts'

const batchCustomers = 1_000
/** Where something is earned by entering, there is more to do for each. */
const batchEarners = 50

/**
 * One batch of a walk over all customers, which brings the memberships of a segment up to date: after it was created or
 * got another filter, silently; and every day, where its filter asks for days, telling who entered and left. How far it
 * came is stored with what it did, so a walk goes on after a crash. Answers whether there was anything to do.
 */
export async function walkOn(ctx: Ctx, segmentId: StoredSegment['id']): Promise<boolean> {
  const segment = await lockWalk(ctx, segmentId)
  if (segment === undefined || segment.walk_started_at === null) return false
  const batch = await lockBatch(ctx, segment.walked_to, (await isPaid(ctx, segment)) ? batchEarners : batchCustomers)
  const last = batch.at(-1)
  if (last === undefined) {
    if (segment.walk_is_silent && !(await isClear(ctx, segment.id))) return false
    await endWalk(ctx, segment, segment.walk_started_at)
    return true
  }
  const { walk_is_silent, walk_started_at } = segment
  // Those who came after a silent walk began are not its business: they enter like everybody else, with a word.
  const due = walk_is_silent ? batch.filter(({ created_at }) => created_at <= walk_started_at) : batch
  const { entered, left } = await saveBatch(ctx, segment, due)
  if (!walk_is_silent && segment.type === 'auto-update') await tellBatch(ctx, segment, entered, left)
  await ctx.db
    .updateTable('segments')
    .set({ walked_to: last.id })
    .where('project_id', '=', ctx.project_id)
    .where('id', '=', segment.id)
    .execute()
  return true
}

/** The walk, unless another node is at it. */
function lockWalk({ db, project_id }: Ctx, id: StoredSegment['id']): Promise<StoredSegment | undefined> {
  return db
    .selectFrom('segments')
    .where('project_id', '=', project_id)
    .where('id', '=', id)
    .where('walk_started_at', 'is not', null)
    .selectAll()
    .forUpdate()
    .skipLocked()
    .executeTakeFirst()
}

/** The next customers, locked: what is decided about them is still true when it is stored. */
function lockBatch({ db, project_id }: Ctx, after: string | null, count: number) {
  return db
    .selectFrom('customers')
    .where('project_id', '=', project_id)
    .where('id', '>', (after ?? '') as CustomerRow['id'])
    .where('deleted_at', 'is', null)
    .orderBy('id')
    .limit(count)
    .select(['id', 'created_at'])
    .forUpdate()
    .execute()
}

/** Whether a rule pays for entering the segment, in this walk. */
async function isPaid({ db, project_id }: Ctx, { id, walk_is_silent }: StoredSegment): Promise<boolean> {
  if (walk_is_silent) return false
  const rule = await db
    .selectFrom('earning_rules')
    .where('project_id', '=', project_id)
    .where('segment_id', '=', id)
    .limit(1)
    .select('id')
    .executeTakeFirst()
  return rule !== undefined
}

async function saveBatch(
  ctx: Ctx,
  { id, filter }: StoredSegment,
  customers: ReadonlyArray<{ id: CustomerRow['id'] }>,
): Promise<{ entered: CustomerRow['id'][]; left: CustomerRow['id'][] }> {
  const { db, project_id } = ctx
  const customerIds = customers.map((customer) => customer.id)
  const { rows } = await sql<{ customer_id: CustomerRow['id']; has_entered: boolean }>`
    with matching as materialized (
      select customers.id from customers
      where customers.project_id = ${project_id} and customers.id = any(${customerIds}::text[])
        and ${await customerFilterSql(ctx, filter)}
    ), entered as (
      insert into segment_members (project_id, segment_id, customer_id)
      select ${project_id}, ${id}, matching.id from matching
      on conflict do nothing
      returning customer_id
    ), departed as (
      delete from segment_members
      where project_id = ${project_id} and segment_id = ${id} and customer_id = any(${customerIds}::text[])
        and customer_id not in (select matching.id from matching)
      returning customer_id
    )
    select customer_id, true as has_entered from entered
    union all
    select customer_id, false from departed`.execute(db)
  const idsOf = (entered: boolean) =>
    rows.filter(({ has_entered }) => has_entered === entered).map(({ customer_id }) => customer_id)
  return { entered: idsOf(true), left: idsOf(false) }
}

async function tellBatch(
  ctx: Ctx,
  { id, name, type, filter }: StoredSegment,
  entered: CustomerRow['id'][],
  left: CustomerRow['id'][],
): Promise<void> {
  if (entered.length + left.length === 0) return
  const rows = await listCustomersById(ctx, [...entered, ...left])
  const hasEntered = new Set(entered)
  const transitions = rows.map((row) => ({
    customer: toCustomer(row),
    entered: hasEntered.has(row.id) ? [id] : [],
    left: hasEntered.has(row.id) ? [] : [id],
  }))
  await tellTransitions(ctx, { segments: [{ id, name, type, filter: filter ?? {} }] }, transitions)
}

/**
 * Whether all transactions are over that began before the walk did. Those did not know of the segment, and noted nothing:
 * a customer that one of them created may have come behind the walk. Afterwards `endWalk` finds it by its age.
 */
async function isClear({ db, project_id }: Ctx, id: StoredSegment['id']): Promise<boolean> {
  const { rows } = await sql<{ is_clear: boolean }>`
    select pg_snapshot_xmin(pg_current_snapshot()) > walk_after as is_clear from segments
    where project_id = ${project_id} and id = ${id}`.execute(db)
  return rows[0]?.is_clear === true
}

/** Longer than any transaction of ours may take. */
const blindMinutes = 15

async function endWalk(ctx: Ctx, { id, walk_is_silent }: StoredSegment, walkStartedAt: string): Promise<void> {
  const { db, project_id, project, request_id, caller, now } = ctx
  await db
    .updateTable('segments')
    .set({
      walk_started_at: null,
      walk_is_silent: false,
      walked_to: null,
      walk_after: null,
      known_on: todayIn({ now: walkStartedAt, timezone: project.timezone }),
    })
    .where('project_id', '=', project_id)
    .where('id', '=', id)
    .execute()
  if (!walk_is_silent) return
  await sql`
    insert into segment_checks (project_id, customer_id, request_id, caller, created_at)
    select project_id, id, ${request_id}, ${JSON.stringify(caller)}::jsonb, ${now}::timestamptz from customers
    where project_id = ${project_id} and deleted_at is null
      and created_at > ${walkStartedAt}::timestamptz - ${blindMinutes} * interval '1 minute'
    on conflict do nothing`.execute(db)
}
