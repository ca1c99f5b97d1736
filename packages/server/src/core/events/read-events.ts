import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../db/database.ts'
import { plannedForValues } from '../db/prepared-statements.ts'
import { timeDigitsAt } from '../lib/ids.ts'
import type { Condition } from '../query/filter/conditions.ts'
import type { EventSource } from './shapes.ts'

/** The part of an event id that sorts by time, whatever its prefix: it says in which partition the event is. */
export const timePartOf = (id: string): string => id.slice(-18)

/** The ids of a request are made within an hour. */
const requestMs = 3_600_000

/**
 * Where events with these ids are, and what they share with others, for a statement that calls them `e` and `p`. The planner leaves out
 * all other partitions, if it knows the values (`plannedForValues`): with 36 of them it would take ten times as long.
 */
export function inPartitionsOf(ids: readonly string[]): { e: Condition; p: Condition } {
  let [first, last] = ['~', '']
  for (const time of ids.map(timePartOf)) {
    if (time < first) first = time
    if (time > last) last = time
  }
  const later = (time: string, ms: number): string => {
    const at = Number.parseInt(time.slice(0, 11), 16)
    return Number.isNaN(at) ? time : timeDigitsAt(at + ms)
  }
  return {
    e: sql`right(e.id, 18) >= ${first} and right(e.id, 18) <= ${last}`,
    p: sql`right(p.id, 18) >= ${later(first, -requestMs)} and right(p.id, 18) <= ${later(last, requestMs)}`,
  }
}

/**
 * Events of many months: one plan for all values, since a plan of a dozen partitions takes longer than to look up each row in its own, which
 * PostgreSQL finds while it executes the statement.
 */
const everywhere = { e: sql<boolean>`true`, p: sql<boolean>`true`, hint: sql`` }

const spreadMs = 62 * 86_400_000

function isSpread(ids: readonly string[]): boolean {
  const times = ids.map((id) => Number.parseInt(timePartOf(id).slice(0, 11), 16)).filter((at) => !Number.isNaN(at))
  return Math.max(...times) - Math.min(...times) > spreadMs
}

export interface CompleteEvent {
  id: string
  type: string
  data: object
  created_at: string
  group_id: string
  category: 'ACTION' | 'EFFECT'
  event_source: EventSource
  entity_id: string
}

/**
 * Events in the order of their ids, with their data: as many as fit into a number of bytes, at least one. `is_cut`: there were more. Those
 * that were erased meanwhile are left out.
 */
export async function readEvents(
  db: Db,
  projectId: string,
  ids: readonly string[],
  bytesMax: number,
): Promise<{ events: CompleteEvent[]; is_cut: boolean }> {
  if (ids.length === 0) return { events: [], is_cut: false }
  const { e, p, hint } = isSpread(ids) ? everywhere : { ...inPartitionsOf(ids), hint: sql.raw(plannedForValues) }
  const bytes: RawBuilder<number> = sql`octet_length(e.data) + coalesce(octet_length(p.parts), 0)`
  const { rows } = await sql<CompleteEvent & { count: number }>`
    select id, type, event_data(data, parts) as data, created_at, group_id, category, event_source, entity_id, count
    from (
      select e.*, p.parts, row_number() over listed as nth, (count(*) over ())::int as count, sum(${bytes}) over listed as bytes_through
      from unnest(${ids}::text[]) with ordinality wanted (id, place)
      cross join lateral (
        select * from event_rows e
        where e.project_id = ${projectId} and e.id = wanted.id and right(e.id, 18) = right(wanted.id, 18) and ${e}
        limit 1
      ) e
      left join lateral (
        select p.parts from event_parts p
        where p.project_id = ${projectId} and p.id = e.parts_id and right(p.id, 18) = right(e.parts_id, 18) and ${p}
        limit 1
      ) p on true
      window listed as (order by wanted.place)
    ) e
    where nth = 1 or bytes_through <= ${sql.lit(bytesMax)}
    order by nth ${hint}`.execute(db)
  return {
    events: rows.map(({ count: _, ...event }) => event),
    is_cut: rows[0] !== undefined && rows[0].count > rows.length,
  }
}
