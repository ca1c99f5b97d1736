import { sql } from 'kysely'
import type { Ctx } from '../../core/context.ts'
import { todayIn } from '../../core/query/filter/calendar.ts'
import { all, type Condition, no } from '../../core/query/filter/conditions.ts'
import { customerFilterSql } from '../customers/filter.ts'
import type { StoredSegment } from './store.ts'

/**
 * Who belongs to a segment now, as a condition on `customers` (docs/reference/segments.md#membership). The filter decides; but
 * where memberships are known, only members and those who changed since are asked, so that a small segment of a million customers
 * is read from an index. An unknown segment has nobody.
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
  const decided = await customerFilterSql(ctx, segment.filter)
  if (!isKnown(ctx, segment)) return decided
  const changed = sql`select c.customer_id from segment_checks c where c.project_id = ${project_id}`
  return all([sql`customers.id in (${members} union all ${changed})`, decided])
}

function isKnown({ now, project: { timezone } }: Ctx, segment: StoredSegment): boolean {
  if (segment.walk_started_at !== null) return false
  return !segment.is_day_relative || segment.known_on === todayIn({ now, timezone })
}
