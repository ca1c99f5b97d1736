import { sql } from 'kysely'
import type { Ctx } from '../../core/context.ts'
import { invalidQuery } from '../../core/http/errors.ts'
import { timeDigitsAt } from '../../core/lib/ids.ts'
import { limits } from '../../core/lib/limits.ts'
import type { Condition } from '../../core/query/filter/conditions.ts'
import { dateBounds } from '../../core/query/list.ts'
import { beginning, type EventPlace, endOf, momentOfGroup, readCursor, toCursor } from './place.ts'
import type { StoredEventList, StoredEventQuery } from './schema.ts'
import {
  type EventRange,
  examineEntity,
  examinePositioned,
  examineUnpositioned,
  findPositionAfter,
  findPositionBefore,
  getPositions,
  listEventsById,
} from './store.ts'

/**
 * A page of the events of a project (docs/reference/events.md#list-of-events). Oldest first, who follows the cursor gets every event
 * exactly once, also those of transactions that commit late.
 */
export async function listEvents(ctx: Ctx, query: StoredEventQuery): Promise<StoredEventList> {
  const { cursor, order = 'created_at' } = query
  const descending = order === '-created_at'
  if (cursor === 'end' && !descending) {
    const { final } = await getPositions(ctx)
    return { object: 'list', data_ref: 'data', data: [], has_more: false, cursor: toCursor(endOf(final - 1)) }
  }
  const after = cursor === undefined || cursor === 'end' ? null : readCursor(cursor)
  if (after !== null && after.position >= (await getPositions(ctx)).next)
    throw invalidQuery('Property .cursor is of a later state of the database: it was restored from a backup')
  const range: EventRange = { descending, after, ...(await boundsOf(ctx, query)) }
  return findPage(ctx, query, range)
}

/**
 * Reads on where filters match nothing: a client that takes an empty page for the end would miss events. Each round is a statement of its
 * own, so that none takes long; after `events_searched_max` events the client goes on.
 */
async function findPage(ctx: Ctx, query: StoredEventQuery, range: EventRange): Promise<StoredEventList> {
  const roundsMax = limits.events_searched_max / limits.events_examined_max
  let next: EventRange = range
  for (let round = 1; ; round += 1) {
    const { events, has_more, last } = await examinePage(ctx, query, next, round === 1)
    const page = withinBytes(events)
    const isCut = page.length < events.length
    const reached = (isCut ? page.at(-1) : last) ?? next.after
    const data = await listEventsById(
      ctx,
      page.map(({ id }) => id),
    )
    const hasMore = has_more || isCut
    if (data.length > 0 || !hasMore || round === roundsMax)
      return { object: 'list', data_ref: 'data', data, has_more: hasMore, cursor: toCursor(reached ?? beginning) }
    next = { ...range, after: reached }
  }
}

type Found = EventPlace & { size: number }

interface ExaminedPage {
  events: Found[]
  has_more: boolean
  /** Where the next page begins; null: where this one began. */
  last: EventPlace | null
}

async function examinePage(
  ctx: Ctx,
  query: StoredEventQuery,
  range: EventRange,
  isFirst: boolean,
): Promise<ExaminedPage> {
  const { limit = limits.page_size_default, entity_id } = query
  const where = conditionsOf(query)
  if (entity_id !== undefined) {
    const counts = { examined: limits.events_examined_max, matching: limit + 1 }
    const ofEntity = isFirst ? await examineEntity(ctx, entity_id, range, where, counts) : null
    if (ofEntity !== null) return firstOf(ofEntity.matching, limit)
    where.push(sql`e.entity_id = ${entity_id}`) // like every other filter: read in the order of the list
  }
  const page: ExaminedPage = { events: [], has_more: false, last: null }
  for (const examine of partsOf(range)) {
    const rest = limit - page.events.length
    const counts = { examined: where.length === 0 ? rest + 1 : limits.events_examined_max, matching: rest + 1 }
    const { examined, last, matching } = await examine(ctx, range, where, counts)
    if (matching.length > rest) {
      const { events, ...more } = firstOf(matching, rest)
      const reached = more.last ?? page.last
      return { events: [...page.events, ...events], has_more: true, last: reached }
    }
    page.events.push(...matching)
    page.last = last ?? page.last
    if (examined >= counts.examined) return { ...page, has_more: true }
  }
  return page
}

function firstOf(found: Found[], limit: number): ExaminedPage {
  const events = found.slice(0, limit)
  return { events, has_more: found.length > limit, last: events.at(-1) ?? null }
}

/** Events without a position are older than all others. */
function partsOf({ descending, after }: EventRange) {
  if (descending) return after?.position === 0 ? [examineUnpositioned] : [examinePositioned, examineUnpositioned]
  return after !== null && after.position > 0 ? [examinePositioned] : [examineUnpositioned, examinePositioned]
}

/** As many events as the size of a page allows, at least one. */
function withinBytes(events: Found[]): Found[] {
  let bytes = 0
  const count = events.findIndex(({ size }, index) => {
    bytes += size
    return index > 0 && bytes > limits.events_page_bytes_max
  })
  return count < 0 ? events : events.slice(0, count)
}

function conditionsOf(query: StoredEventQuery): Condition[] {
  const { type, category, group_id, campaign_id, voucher_id, created_at } = query
  return [
    ...dateBounds(created_at === undefined ? {} : { created_at }, { created_at: 'e.created_at' }),
    ...(type === undefined ? [] : [sql<boolean>`e.type = any(${type}::text[])`]),
    ...(category === undefined ? [] : [sql<boolean>`e.category = ${category}`]),
    ...(group_id === undefined ? [] : [sql<boolean>`e.group_id = ${group_id}`]),
    ...(campaign_id === undefined ? [] : [sql<boolean>`coalesce(e.campaign_id = ${campaign_id}, false)`]),
    ...(voucher_id === undefined ? [] : [sql<boolean>`coalesce(e.voucher_id = ${voucher_id}, false)`]),
  ]
}

const delayMs = limits.event_delay_minutes_max * 60_000

/**
 * The part of all events in which those of a time, or of a request, can be. An id is made and a transaction begins within an hour of
 * the `created_at` of an event. So if an event has an id that is an hour older than the wanted time, no event before its position is
 * wanted.
 */
async function boundsOf(ctx: Ctx, query: StoredEventQuery): Promise<Pick<EventRange, 'positions' | 'times'>> {
  const { created_at: { after, before } = {}, group_id } = query
  const starts = [
    ...(after === undefined ? [] : [Date.parse(after)]),
    ...(group_id === undefined ? [] : [momentOfGroup(group_id) ?? 0]),
  ]
  const from = starts.length === 0 ? null : timeDigitsAt(Math.max(...starts) - delayMs)
  const to = before === undefined ? null : timeDigitsAt(Date.parse(before) + delayMs)
  return {
    times: { from, to },
    positions: {
      from: from === null ? null : await findPositionBefore(ctx, from),
      to: to === null ? null : await findPositionAfter(ctx, to),
    },
  }
}
