import { sql } from 'kysely'
import type { Ctx } from '../../core/context.ts'
import { todayIn } from '../../core/query/filter/calendar.ts'
import { all, type Condition, no } from '../../core/query/filter/conditions.ts'
import { customerFilterSql } from '../customers/filter.ts'
import type { StoredSegment } from './store.ts'

/**
 * The condition on `customers` for the current members of a segment (docs/reference/segments.md#membership). The filter decides.
 * If the stored memberships are up to date, the filter is applied only to members and to customers with a queued check, so a
 * small segment among a million customers is read from an index. An unknown segment has no members.
 */
export async function memberSql(ctx: Ctx, segmentId: string): Promise<Condition> {
  const { db, project_id } = ctx
  const segment = await db
    .selectFrom('segments')
    .where('project_id', '=', project_id)
    .where('id', '=', segmentId as StoredSegment['id'])
    .where('deleted_at', 'is', null)
    .selectAll()
    .executeTakeFirst()
  if (segment === undefined) return no
  const members = sql`select m.customer_id from segment_members m where m.project_id = ${project_id} and m.segment_id = ${segmentId}`
  if (segment.type === 'static') return sql`customers.id in (${members})`
  const matchesFilter = await customerFilterSql(ctx, segment.filter)
  if (!isUpToDate(ctx, segment)) return matchesFilter
  const queuedChecks = sql`select c.customer_id from segment_checks c where c.project_id = ${project_id}`
  return all([sql`customers.id in (${members} union all ${queuedChecks})`, matchesFilter])
}

function isUpToDate({ now, project: { timezone } }: Ctx, segment: StoredSegment): boolean {
  if (segment.walk_started_at !== null) return false
  return !segment.is_day_relative || segment.known_on === todayIn({ now, timezone })
}
