import { type RawBuilder, sql } from 'kysely'
import type { Ctx } from '../../core/context.ts'
import { catalogue, eventTypes } from '../../core/events/catalogue.ts'
import { readEvents, timePartOf } from '../../core/events/read-events.ts'
import { withoutProofs } from '../../core/events/without-proofs.ts'
import { idPrefix } from '../../core/lib/ids.ts'
import { limits } from '../../core/lib/limits.ts'
import type { Condition } from '../../core/query/filter/conditions.ts'
import type { EventPlace } from './place.ts'
import type { StoredEvent } from './schema.ts'

/** The prefixes of event ids: within each of them, the primary key has the order of time. */
const prefixes = [...new Set(eventTypes.map((type) => idPrefix(`${catalogue[type].entity}_event`)))]

/** Where to look: the events after a place, between two positions and two times of their ids. */
export interface EventRange {
  descending: boolean
  after: EventPlace | null
  /** Null: unbounded. */
  positions: { from: number | null; to: number | null }
  times: { from: string | null; to: string | null }
}

export interface ExaminedEvents {
  /** How many were compared with the filters. */
  examined: number
  /** The last of them. */
  last: EventPlace | null
  /** Those that match, in the order asked for. */
  matching: EventPlace[]
}

type Direction = RawBuilder<unknown>

const directions = (descending: boolean): { along: Direction; against: Direction; beyond: Direction } =>
  descending
    ? { along: sql`desc`, against: sql`asc`, beyond: sql`<` }
    : { along: sql`asc`, against: sql`desc`, beyond: sql`>` }

/** The sort key. Ids made in the same transaction sort by time whatever their prefix. */
const sorted = (table: 'e' | 'examined' | 'picked', direction: Direction): RawBuilder<unknown> => {
  const [position, id] = [sql.ref(`${table}.position`), sql.ref(`${table}.id`)]
  return sql`${position} ${direction}, right(${id}, 18) collate "C" ${direction}, ${id} ${direction}`
}

/**
 * Reads the next events by position. Oldest first, only events whose transaction is older than every running one: no other can
 * appear between them later. Newest first, all that are visible. The last transaction is read whole: its events are sorted afterwards,
 * so that the index provides the order, whatever the planner estimates.
 */
export function examinePositioned(ctx: Ctx, range: EventRange, where: Condition[], counts: Counts) {
  const { descending, after, positions } = range
  const { along } = directions(descending)
  const { from, to } = bounds(descending, after, positions)
  return examine(
    ctx,
    sql`select e.id, e.position, ${matches(where)} as matches from event_rows e
      where e.project_id = ${ctx.project_id} and e.position > 0
        ${from === null ? sql`` : sql`and e.position >= ${from}`} ${to === null ? sql`` : sql`and e.position <= ${to}`}
        ${descending ? sql`` : sql`and e.position < ${finalPosition}`} ${beyondPlace(range)}
      order by e.position ${along} fetch first (${counts.examined}) rows with ties`,
    range,
    counts,
  )
}

/** Reads the next events without a position, by the time in their ids: for each prefix from the primary key, then merged. */
export function examineUnpositioned(ctx: Ctx, range: EventRange, where: Condition[], counts: Counts) {
  const { descending, after, times } = range
  const { along } = directions(descending)
  const reached = after === null ? null : timePartOf(after.id)
  const from = descending ? times.from : laterOf(times.from, reached)
  const to = descending ? earlierOf(times.to, reached) : times.to
  return examine(
    ctx,
    sql`select e.* from event_positions s cross join unnest(${prefixes}::text[]) prefix cross join lateral (
        select e.id, e.position, ${matches(where)} as matches from event_rows e
        where e.project_id = ${ctx.project_id} and e.position = 0
          and e.id >= prefix || ${from ?? ''} and e.id <= prefix || s.unpositioned_until
          ${to === null ? sql`` : sql`and e.id < prefix || ${to} || 'g'`} ${beyondPlace(range)}
        order by e.id ${along} limit ${counts.examined}) e
      order by ${sorted('e', along)} limit ${counts.examined}`,
    range,
    counts,
  )
}

/**
 * Reads the next events of one entity from the index on entities. That index has another order, so all events of the entity are
 * compared; null if it has too many for that.
 */
export async function examineEntity(
  ctx: Ctx,
  entityId: string,
  range: EventRange,
  where: Condition[],
  { examined: max, matching }: Counts,
): Promise<ExaminedEvents | null> {
  const found = await examine(
    ctx,
    // The order is that of the index on entities: without it the planner might search the one on positions.
    sql`select e.id, e.position, ${matches(where)}
          ${range.descending ? sql`` : sql`and e.position < ${finalPosition}`} ${beyondPlace(range)} as matches
        from (select e.id, e.position, e.created_at, e.type, e.category, e.group_id, e.campaign_id, e.voucher_id
          from event_rows e where e.project_id = ${ctx.project_id} and e.entity_id = ${entityId}
          order by e.id limit ${max + 1}) e`,
    range,
    { examined: max + 1, matching },
  )
  return found.examined > max ? null : found
}

/** How many events are compared at most, and how many matching ones are returned. */
export interface Counts {
  examined: number
  matching: number
}

/** Positions below this one are final: every transaction that could still insert there has ended. */
const finalPosition = sql`(select pg_snapshot_xmin(pg_current_snapshot())::text::bigint + shift from event_positions)`

const matches = (where: Condition[]): RawBuilder<unknown> =>
  where.length === 0 ? sql`true` : sql`(${sql.join(where, sql` and `)})`

function beyondPlace({ descending, after }: EventRange): RawBuilder<unknown> {
  if (after === null) return sql``
  const { beyond } = directions(descending)
  return sql`and (e.position, right(e.id, 18) collate "C", e.id) ${beyond}
    (${after.position}::bigint, ${timePartOf(after.id)}, ${after.id})`
}

function bounds(descending: boolean, after: EventPlace | null, { from, to }: EventRange['positions']) {
  if (after === null) return { from, to }
  return descending
    ? { from, to: Math.min(to ?? after.position, after.position) }
    : { from: Math.max(from ?? 0, after.position), to }
}

const laterOf = (a: string | null, b: string | null): string | null => (a === null || (b !== null && b > a) ? b : a)
const earlierOf = (a: string | null, b: string | null): string | null => (a === null || (b !== null && b < a) ? b : a)

async function examine(
  { db }: Ctx,
  query: RawBuilder<unknown>,
  { descending }: EventRange,
  { matching }: Counts,
): Promise<ExaminedEvents> {
  const { along, against } = directions(descending)
  const { rows } = await sql<{ found: ExaminedEvents }>`
    with examined as materialized (${query}), picked as materialized (
      select id, position from examined where matches order by ${sorted('examined', along)} limit ${matching}
    )
    select jsonb_build_object(
      'examined', (select count(*) from examined),
      'last', (select jsonb_build_object('id', id, 'position', position) from examined order by ${sorted('examined', against)} limit 1),
      'matching', (select coalesce(jsonb_agg(jsonb_build_object('id', id, 'position', position)
          order by ${sorted('picked', along)}), '[]') from picked)) as found`.execute(db)
  return (rows[0] as { found: ExaminedEvents }).found
}

/** Events by their ids, in this order: as many as a page may hold. */
export async function loadEvents({ db, project, project_id }: Ctx, ids: readonly string[]) {
  const { events, is_cut } = await readEvents(db, project_id, ids, limits.events_page_bytes_max)
  return { data: events.map((event) => withoutProofs(project, event) as StoredEvent), is_cut }
}

export interface Positions {
  /** From here on events appear that do not exist yet. */
  final: number
  /** No transaction has reached this one. */
  next: number
  /** The time-ordered part of ids below which events were dropped; null: none were. */
  gone_until: string | null
}

/** Asked with the project: on a distributed database its worker numbers the transactions. */
export async function getPositions({ db, project_id }: Ctx): Promise<Positions> {
  const { rows } = await sql<Positions>`
    select pg_snapshot_xmin(pg_current_snapshot())::text::bigint + shift as final,
      pg_snapshot_xmax(pg_current_snapshot())::text::bigint + shift as next, gone_until
    from projects p cross join event_positions where p.id = ${project_id}`.execute(db)
  return rows[0] as Positions
}

/** Of the last event of each prefix whose id is older than a time, the highest position; null: there is none. */
export async function findPositionBefore({ db, project_id }: Ctx, time: string): Promise<number | null> {
  const { rows } = await sql<{ position: number | null }>`
    select max(e.position) as position from unnest(${prefixes}::text[]) prefix cross join lateral (
      select e.position from event_rows e
      where e.project_id = ${project_id} and e.id >= prefix and e.id < prefix || ${time} order by e.id desc limit 1) e`.execute(
    db,
  )
  return rows[0]?.position ?? null
}

/** Of the first event of each prefix whose id is not older than a time, the lowest position; null: there is none. */
export async function findPositionAfter({ db, project_id }: Ctx, time: string): Promise<number | null> {
  const { rows } = await sql<{ position: number | null }>`
    select min(e.position) as position from unnest(${prefixes}::text[]) prefix cross join lateral (
      select e.position from event_rows e
      where e.project_id = ${project_id} and e.id >= prefix || ${time} and e.id < prefix || 'g' order by e.id limit 1) e`.execute(
    db,
  )
  return rows[0]?.position ?? null
}
