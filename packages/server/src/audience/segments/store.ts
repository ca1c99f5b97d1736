import { type Selectable, sql } from 'kysely'
import type { Ctx } from '../../core/context.ts'
import { recordDeletion } from '../../core/db/configuration.ts'
import type { SegmentRow } from '../../core/db/tables.ts'
import { transactionOn } from '../../core/db/transaction-on.ts'
import type { SimpleSegment } from '../../core/events/shapes.ts'
import { notFound } from '../../core/http/errors.ts'
import { type FilterFields, filterSql, parseFilter } from '../../core/query/filter/filter.ts'
import { dateBounds, idsSql, pageOf } from '../../core/query/list.ts'
import { findRow, insertRow, type NewRow, type RowChanges, updateRow } from '../../core/rows.ts'
import type { Segment, SegmentQuery } from './schema.ts'

export type StoredSegment = Selectable<SegmentRow>
type SegmentId = SegmentRow['id']

const segments = { table: 'segments', type: 'segment', configuration_type: 'segment' } as const

export async function getSegment(
  ctx: Ctx,
  id: string,
  { lock = false }: { lock?: boolean } = {},
): Promise<StoredSegment> {
  const row = await findRow(ctx, segments, { id, deleted_at: null }, { lock: lock ? 'update' : undefined })
  if (row === undefined) throw notFound('segment', id)
  return row
}

export const segmentFields: FilterFields = {
  id: { type: 'string', column: 'id' },
  name: { type: 'string', column: 'name' },
  type: { type: 'string', column: 'type' },
  created_at: { type: 'datetime', column: 'created_at' },
}

/** A page of the segments; the cursor `starting_after` is the `created_at` of the last segment seen. */
export async function listSegments(
  { db, project_id, now, project: { timezone } }: Ctx,
  query: SegmentQuery,
): Promise<{ rows: StoredSegment[]; total: number }> {
  const { order = '-created_at', starting_after, filters, ids } = query
  const moment = sql`${starting_after}::timestamptz`
  const visible = db.selectFrom('segments').where('project_id', '=', project_id).where('deleted_at', 'is', null)
  return pageOf(visible.selectAll(), query, {
    columns: { created_at: 'created_at' },
    default_order: '-created_at',
    where: [
      ...dateBounds(query),
      ...idsSql(ids),
      ...(filters === undefined ? [] : [filterSql(parseFilter(filters, segmentFields), { now, timezone })]),
    ],
    ...(starting_after === undefined
      ? {}
      : { after: order === '-created_at' ? sql`created_at < ${moment}` : sql`created_at > ${moment}` }),
  })
}

export async function countDynamicSegments({ db, project_id }: Ctx): Promise<number> {
  const { count } = await db
    .selectFrom('segments')
    .where('project_id', '=', project_id)
    .where('type', '<>', 'static')
    .where('deleted_at', 'is', null)
    .select((is) => is.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return count
}

export const insertSegment = (ctx: Ctx, row: NewRow<'segments'>): Promise<StoredSegment> =>
  insertRow(ctx, segments, row)

/** Inserts the members of a static segment; unknown customer ids are skipped. */
export async function insertMembers(
  { db, project_id }: Ctx,
  segmentId: SegmentId,
  customerIds: readonly string[],
): Promise<void> {
  await sql`
    insert into segment_members (project_id, segment_id, customer_id)
    select ${project_id}, ${segmentId}, id from customers
    where project_id = ${project_id} and id = any(${customerIds}::text[]) and deleted_at is null
    order by id for share`.execute(db) // `for share`: a concurrent deletion of a customer waits, and then deletes this membership too
}

export const updateSegment = (ctx: Ctx, id: SegmentId, changes: RowChanges<'segments'>): Promise<StoredSegment> =>
  updateRow(ctx, segments, id, changes)

/**
 * Starts a recompute of all memberships of these segments in the background, from the first customer on
 * (audience/segments/recompute-batch.ts). Restarting a running silent recompute keeps it silent, and keeps its start time unless the new one
 * is silent too: customers created since then still get events.
 */
export async function startRecomputes(
  { db, project_id, now, jobs, afterCommit }: Pick<Ctx, 'db' | 'project_id' | 'now' | 'jobs' | 'afterCommit'>,
  ids: readonly string[],
  { silent }: { silent: boolean },
): Promise<void> {
  const transaction = await transactionOn(db, project_id)
  await sql`
    update segments set
      walk_started_at = case when walk_is_silent and walk_started_at is not null and not ${silent} then walk_started_at
        else ${now}::timestamptz end,
      walk_is_silent = ${silent} or (walk_is_silent and walk_started_at is not null),
      walked_to = null, walk_after = ${transaction}::xid8, known_on = null
    where project_id = ${project_id} and id = any(${ids}::text[])`.execute(db)
  afterCommit(() => jobs.wake('segments'))
}

/** Soft-deletes a segment. It may have a million members: a background job deletes them (audience/segments/worker.ts). */
export async function hideSegment(ctx: Ctx, id: SegmentId): Promise<void> {
  await recordDeletion(ctx.db, ctx.project_id, 'segment', id)
  await ctx.db
    .updateTable('segments')
    .set({ deleted_at: ctx.now, walk_started_at: null })
    .where('project_id', '=', ctx.project_id)
    .where('id', '=', id)
    .execute()
}

export function toSegment(row: StoredSegment): Segment {
  const { id, name, type, filter, walk_started_at, walk_is_silent, created_at, updated_at } = row
  // Only the first members of a segment or of a filter are found silently (docs/reference/segments.md#entering-and-leaving).
  const initialSyncStatus = walk_started_at !== null && walk_is_silent ? 'IN_PROGRESS' : 'DONE'
  return { id, name, type, filter, initial_sync_status: initialSyncStatus, created_at, updated_at, object: 'segment' }
}

export const toSimpleSegment = ({ id, name }: Pick<StoredSegment, 'id' | 'name'>): SimpleSegment => ({
  id,
  name,
  object: 'segment',
})
