import { sql } from 'kysely'
import type { Ctx } from '../../core/context.ts'
import type { CustomerRow } from '../../core/db/tables.ts'
import { todayIn } from '../../core/query/filter/calendar.ts'
import { toCustomer } from '../customers/customer.ts'
import { customerFilterSql } from '../customers/filter.ts'
import { listCustomersById } from '../customers/store.ts'
import { emitTransitions } from './check.ts'
import type { StoredSegment } from './store.ts'

const batchSize = 1_000
/** The batch size if an earning rule pays for entering the segment, which takes more work per customer. */
const batchSizeWithEarning = 50

/**
 * Runs one batch of a recompute of all memberships of a segment (columns `walk_*`). After creation or a filter change the
 * recompute is silent; if the filter compares days it also runs daily, with entered and left events. The position `walked_to` is
 * saved in the transaction of the batch, so a recompute resumes after a crash. Returns whether there was anything to do.
 */
export async function recomputeNextBatch(ctx: Ctx, segmentId: StoredSegment['id']): Promise<boolean> {
  const segment = await lockRecompute(ctx, segmentId)
  if (segment === undefined || segment.walk_started_at === null) return false
  const batch = await lockBatch(
    ctx,
    segment.walked_to,
    (await hasEarningRule(ctx, segment)) ? batchSizeWithEarning : batchSize,
  )
  const last = batch.at(-1)
  if (last === undefined) {
    if (segment.walk_is_silent && !(await areEarlierTransactionsOver(ctx, segment.id))) return false
    await finishRecompute(ctx, segment, segment.walk_started_at)
    return true
  }
  const { walk_is_silent, walk_started_at } = segment
  // A silent recompute skips customers created after its start: their queued checks make them enter with events.
  const customers = walk_is_silent ? batch.filter(({ created_at }) => created_at <= walk_started_at) : batch
  const { entered, left } = await saveBatch(ctx, segment, customers)
  if (!walk_is_silent && segment.type === 'auto-update') await emitBatch(ctx, segment, entered, left)
  await ctx.db
    .updateTable('segments')
    .set({ walked_to: last.id })
    .where('project_id', '=', ctx.project_id)
    .where('id', '=', segment.id)
    .execute()
  return true
}

/** Locks the segment of a running recompute; undefined if another node holds the lock. */
function lockRecompute({ db, project_id }: Ctx, id: StoredSegment['id']): Promise<StoredSegment | undefined> {
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

/** Locks the next customers, so that they cannot change before their memberships are saved. */
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

/** Whether an earning rule pays for entering the segment in this recompute; a silent one pays nothing. */
async function hasEarningRule({ db, project_id }: Ctx, { id, walk_is_silent }: StoredSegment): Promise<boolean> {
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
      select own.id, ${id}, matching.id from projects own, matching where own.id = ${project_id}
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
  const idsWhere = (hasEntered: boolean) =>
    rows.filter(({ has_entered }) => has_entered === hasEntered).map(({ customer_id }) => customer_id)
  return { entered: idsWhere(true), left: idsWhere(false) }
}

async function emitBatch(
  ctx: Ctx,
  { id, name, type, filter }: StoredSegment,
  entered: CustomerRow['id'][],
  left: CustomerRow['id'][],
): Promise<void> {
  if (entered.length + left.length === 0) return
  const rows = await listCustomersById(ctx, [...entered, ...left])
  const enteredIds = new Set(entered)
  const transitions = rows.map((row) => ({
    customer: toCustomer(row),
    entered: enteredIds.has(row.id) ? [id] : [],
    left: enteredIds.has(row.id) ? [] : [id],
  }))
  await emitTransitions(ctx, { segments: [{ id, name, type, filter: filter ?? {} }] }, transitions)
}

/**
 * Whether all transactions that began before the recompute have ended. They did not see the segment and queued no membership
 * checks, so a customer that one of them created may lie behind `walked_to`. Once they have ended, `finishRecompute` queues checks
 * for all recently created customers.
 */
async function areEarlierTransactionsOver({ db, project_id }: Ctx, id: StoredSegment['id']): Promise<boolean> {
  const { rows } = await sql<{ is_clear: boolean }>`
    select pg_snapshot_xmin(pg_current_snapshot()) > walk_after as is_clear from segments
    where project_id = ${project_id} and id = ${id}`.execute(db)
  return rows[0]?.is_clear === true
}

/** Longer than any transaction of ours may take. */
const transactionMinutesMax = 15

async function finishRecompute(ctx: Ctx, { id, walk_is_silent }: StoredSegment, startedAt: string): Promise<void> {
  const { db, project_id, project, request_id, caller, now } = ctx
  await db
    .updateTable('segments')
    .set({
      walk_started_at: null,
      walk_is_silent: false,
      walked_to: null,
      walk_after: null,
      known_on: todayIn({ now: startedAt, timezone: project.timezone }),
    })
    .where('project_id', '=', project_id)
    .where('id', '=', id)
    .execute()
  if (!walk_is_silent) return
  await sql`
    insert into segment_checks (project_id, customer_id, request_id, caller, created_at)
    select project_id, id, ${request_id}, ${JSON.stringify(caller)}::jsonb, ${now}::timestamptz from customers
    where project_id = ${project_id} and deleted_at is null
      and created_at > ${startedAt}::timestamptz - ${transactionMinutesMax} * interval '1 minute'
    on conflict do nothing`.execute(db)
}
