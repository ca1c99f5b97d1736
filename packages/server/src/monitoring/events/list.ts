import { sql } from 'kysely'
import type { Ctx } from '../../core/context.ts'
import { timePartOf } from '../../core/events/read-events.ts'
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
  loadEvents,
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
  if (after !== null) await requireKept(ctx, after, descending)
  const range: EventRange = { descending, after, ...(await boundsOf(ctx, query)) }
  return findPage(ctx, query, range)
}

async function requireKept(ctx: Ctx, after: EventPlace, descending: boolean): Promise<void> {
  const { next, gone_until } = await getPositions(ctx)
  if (after.position >= next)
    throw invalidQuery('Property .cursor is of a later state of the database: it was restored from a backup')
  if (!descending && gone_until !== null && isTimed(after.id) && timePartOf(after.id) < gone_until)
    throw invalidQuery(
      'Property .cursor is of an event that is no longer kept: events after it may be missing, begin with created_at',
    )
}

/** Whether the place is that of an event: its id ends with 18 digits. */
const isTimed = (id: string): boolean => /[0-9a-f]{18}$/.test(id)

/**
 * Reads on where filters match nothing: a client that takes an empty page for the end would miss events. Each round is a statement of its
 * own, so that none takes long; after `events_searched_max` events the client goes on.
 */
async function findPage(ctx: Ctx, query: StoredEventQuery, range: EventRange): Promise<StoredEventList> {
  const roundsMax = limits.events_searched_max / limits.events_examined_max
  let next: EventRange = range
  for (let round = 1; ; round += 1) {
    const { events, has_more, last } = await examinePage(ctx, query, next, round === 1)
    const { data, is_cut } = await loadEvents(
      ctx,
      events.map(({ id }) => id),
    )
    const reached = (is_cut ? events.find(({ id }) => id === data.at(-1)?.id) : last) ?? next.after
    const hasMore = has_more || is_cut
    if (data.length > 0 || !hasMore || round === roundsMax)
      return { object: 'list', data_ref: 'data', data, has_more: hasMore, cursor: toCursor(reached ?? beginning) }
    next = { ...range, after: reached }
  }
}

interface ExaminedPage {
  events: EventPlace[]
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

function firstOf(found: EventPlace[], limit: number): ExaminedPage {
  const events = found.slice(0, limit)
  return { events, has_more: found.length > limit, last: events.at(-1) ?? null }
}

/** Events without a position are older than all others. */
function partsOf({ descending, after }: EventRange) {
  if (descending) return after?.position === 0 ? [examineUnpositioned] : [examinePositioned, examineUnpositioned]
  return after !== null && after.position > 0 ? [examinePositioned] : [examineUnpositioned, examinePositioned]
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
