import { Instant, InstantInput, OneOf } from '@guerdon/engine/schema'
import { sql } from 'kysely'
import { type Static, Type } from 'typebox'
import type { Ctx } from '../context.ts'
import type { Condition } from '../query/filter/conditions.ts'
import { CursorQuery, countOf, dateBounds, listed, listOf } from '../query/list.ts'
import { catalogue, type EventType, eventTypes } from './catalogue.ts'
import { pageOfEntity } from './page-of-entity.ts'
import { EventSource, Full, SimpleCampaign } from './shapes.ts'

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
  const { events, ...more } = await pageOfEntity(ctx, entityId, query, {
    where: conditionsOf(query),
    table: tableFor(query),
  })
  const activities = events.map(({ entity_id: _, ...event }) => event)
  return listed('data', activities, more)
}

/** Two filters look into the data. */
const tableFor = ({ product_id, campaign_type }: ActivityFilters): 'events' | 'event_rows' =>
  product_id === undefined && campaign_type === undefined ? 'event_rows' : 'events'

/** The number of events of one entity that match the filters, on all pages. */
export function countActivities({ db, project_id }: Ctx, entityId: string, query: ActivityFilters): Promise<number> {
  const { starting_after: _, ...filters } = query
  return countOf(
    db.selectFrom(tableFor(query)).where('project_id', '=', project_id).where('entity_id', '=', entityId).select('id'),
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
