import { sql } from 'kysely'
import type { Ctx } from '../../core/context.ts'

/**
 * Queues a membership check for customers, in the transaction that changes them. A background worker recomputes their
 * memberships within seconds (audience/segments/worker.ts). Queues nothing in a project without dynamic segments.
 */
export async function queueMembershipCheck(ctx: Ctx, ids: readonly string[]): Promise<void> {
  const { db, project_id, now, request_id, caller, jobs } = ctx
  if (ids.length === 0) return
  const { rows } = await sql`
    insert into segment_checks (project_id, customer_id, request_id, caller, created_at)
    select own.id, each.id, ${request_id}, ${JSON.stringify(caller)}::jsonb, ${now}::timestamptz
    from projects own, unnest(${ids}::text[]) as each (id)
    where own.id = ${project_id} and exists (select from segments where project_id = ${project_id} and type <> 'static' and deleted_at is null)
    on conflict do nothing
    returning 1`.execute(db)
  if (rows.length > 0) ctx.afterCommit(() => jobs.wake('segments'))
}
