import { Instant, InstantInput, OneOf } from '@guerdon/engine/schema'
import { sql } from 'kysely'
import { type Static, Type } from 'typebox'
import type { Ctx } from '../context.ts'
import type { Db } from '../db/database.ts'
import { monthOf } from '../db/periods.ts'
import { plannedForValues } from '../db/prepared-statements.ts'
import { invalidQuery } from '../http/errors.ts'
import { timeDigitsAt } from '../lib/ids.ts'
import { limits } from '../lib/limits.ts'
import type { Condition } from '../query/filter/conditions.ts'
import { CursorQuery, countOf, dateBounds, listed, listOf } from '../query/list.ts'
import { catalogue, type EventType, eventTypes } from './catalogue.ts'
import { inPartitionsOf, readEvents, timePartOf } from './read-events.ts'
import { EventSource, Full, SimpleCampaign } from './shapes.ts'
import { withoutProofs } from './without-proofs.ts'

const Category = OneOf(['ACTION', 'EFFECT'])

/** An event in the activity list of its entity (docs/reference/customers.md#activity). */
export const Activity = Type.Object({
  id: Type.String(),
  type: Type.String(),
  data: Full,
  created_at: Instant,
  group_id: Type.String({ description: 'The id of the request that caused it.' }),
  category: Category,
  event_source: EventSource,
})
export type Activity = Static<typeof Activity>

export const ActivityList = listOf('data', Activity, { cursor: true })
export type ActivityList = Static<typeof ActivityList>

export const CountedActivityList = listOf('data', Activity, { total: true, cursor: true })

/**
 * Query properties of an activity list, with the event types of the entity. Meant to be spread:
 * `Type.Object({ ...ActivityQuery('segment') })`.
 */
export function ActivityQuery<E extends (typeof catalogue)[EventType]['entity']>(entity: E) {
  const types = eventTypes.filter((type) => catalogue[type].entity === entity)
  return {
    ...CursorQuery({ order: ['-created_at', 'created_at'] }),
    starting_after: Type.Optional(
      Type.Unsafe<string>({ ...InstantInput, description: 'Continues after this moment, in the order asked for.' }),
    ),
    start_date: Type.Optional(InstantInput),
    end_date: Type.Optional(InstantInput),
    type: Type.Optional(OneOf(types)),
    category: Type.Optional(Category),
  }
}

/** More query properties, for the activities of a customer: events of one campaign, or of campaigns of a type. */
export const CampaignActivityQuery = {
  campaign_id: Type.Optional(Type.String()),
  campaign_type: Type.Optional(SimpleCampaign.properties.campaign_type),
}

interface ActivityFilters {
  limit?: number
  order?: 'created_at' | '-created_at'
  starting_after?: string
  starting_after_id?: string
  start_date?: string
  end_date?: string
  type?: string
  category?: 'ACTION' | 'EFFECT'
  campaign_id?: string
  campaign_type?: string
  /** Events whose data refers to this product, for example in an order. */
  product_id?: string
}

/** The events of one entity, page by page. */
export async function listActivities(ctx: Ctx, entityId: string, query: ActivityFilters): Promise<ActivityList> {
  const { limit = limits.page_size_default } = query
  const ids = await listIds(ctx, entityId, query, limit + 1)
  const { events } = await readEvents(ctx.db, ctx.project_id, ids.slice(0, limit), Number.MAX_SAFE_INTEGER)
  const activities = events.map(({ entity_id: _, ...event }) => withoutProofs(ctx.project, event))
  const last = ids[limit - 1]
  const more =
    ids.length > limit && last !== undefined ? { has_more: true, more_starting_after: last } : { has_more: false }
  return listed('data', activities, more)
}

/** The ids of a page. They sort by time, so that they are read from the index on entities, from one stretch of time after the other. */
async function listIds(
  { db, project_id }: Ctx,
  entityId: string,
  { starting_after_id, ...query }: ActivityFilters,
  count: number,
): Promise<string[]> {
  const { order = '-created_at', product_id, campaign_type } = query
  const [direction, beyond] = order === 'created_at' ? [sql`asc`, sql`>`] : [sql`desc`, sql`<`]
  const conditions = [sql`e.project_id = ${project_id}`, sql`e.entity_id = ${entityId}`, ...conditionsOf(query)]
  if (starting_after_id !== undefined) {
    await requireEvent(db, project_id, entityId, starting_after_id)
    conditions.push(sql`e.id ${beyond} ${starting_after_id}`)
  }
  const table = sql.table(product_id === undefined && campaign_type === undefined ? 'event_rows' : 'events')
  const ids: string[] = []
  for (const stretch of stretchesOf(order, starting_after_id)) {
    const { rows } = await sql<{ id: string }>`
      select e.id from ${table} e where ${sql.join([...conditions, ...stretch], sql` and `)}
      order by e.id ${direction} limit ${sql.lit(count - ids.length)} ${sql.raw(plannedForValues)}`.execute(db)
    ids.push(...rows.map(({ id }) => id))
    if (ids.length === count) break
  }
  return ids
}

/** The last month or two, the last year, and what is older: most pages need no more than the first, which is in few partitions. */
function stretchesOf(order: 'created_at' | '-created_at', after: string | undefined): Condition[][] {
  const [year, month] = [-12, -1].map((later) => timeDigitsAt(monthOf(Date.now(), later))) as [string, string]
  const bounds = [
    { from: month, to: '~' },
    { from: year, to: month },
    { from: '', to: year },
  ]
  if (order === 'created_at') bounds.reverse()
  const reached = after === undefined ? null : timePartOf(after)
  return bounds
    .filter(({ from, to }) => reached === null || (order === 'created_at' ? to > reached : from <= reached))
    .map(({ from, to }) => [
      ...(from === '' ? [] : [sql<boolean>`right(e.id, 18) >= ${from}`]),
      ...(to === '~' ? [] : [sql<boolean>`right(e.id, 18) < ${to}`]),
    ])
}

async function requireEvent(db: Db, projectId: string, entityId: string, id: string): Promise<void> {
  const { rows } = id.includes('\0')
    ? { rows: [] }
    : await sql`select from event_rows e
    where e.project_id = ${projectId} and e.id = ${id} and ${inPartitionsOf([id]).e} and e.entity_id = ${entityId}`.execute(
        db,
      )
  if (rows.length === 0) throw invalidQuery('Property .starting_after_id must be the id of an object in this list')
}

/** The number of events of one entity that match the filters, on all pages. */
export function countActivities({ db, project_id }: Ctx, entityId: string, query: ActivityFilters): Promise<number> {
  const { starting_after: _, ...filters } = query
  return countOf(
    db.selectFrom('events').where('project_id', '=', project_id).where('entity_id', '=', entityId).select('id'),
    conditionsOf(filters),
  )
}

function conditionsOf(query: ActivityFilters): Condition[] {
  const { order, starting_after, start_date, end_date, type, category } = query
  const { campaign_id, campaign_type, product_id } = query
  const comparison = order === 'created_at' ? sql`>` : sql`<`
  return [
    ...dateBounds({
      ...(start_date === undefined ? {} : { start_date }),
      ...(end_date === undefined ? {} : { end_date }),
    }),
    ...(starting_after === undefined ? [] : [sql<boolean>`created_at ${comparison} ${starting_after}::timestamptz`]),
    ...(type === undefined ? [] : [sql<boolean>`type = ${type}`]),
    ...(category === undefined ? [] : [sql<boolean>`category = ${category}`]),
    ...(campaign_id === undefined ? [] : [sql<boolean>`campaign_id = ${campaign_id}`]),
    ...(product_id === undefined
      ? []
      : [
          sql<boolean>`jsonb_path_exists(data, '$.**.product_id ? (@ == $id)', jsonb_build_object('id', ${product_id}::text))`,
        ]),
    ...(campaign_type === undefined ? [] : [sql<boolean>`data #>> '{campaign,campaign_type}' = ${campaign_type}`]),
  ]
}
