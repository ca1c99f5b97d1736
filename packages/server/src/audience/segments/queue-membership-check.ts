import { sql } from 'kysely'
import type { Ctx } from '../../core/context.ts'

/**
 * Notes, in the transaction that changes them, that customers may have entered or left segments. A worker looks at them
 * within seconds (audience/segments/watch.ts). A project without dynamic segments has nothing to look at.
 */
export async function queueMembershipCheck(ctx: Ctx, ids: readonly string[]): Promise<void> {
  const { db, project_id, now, request_id, caller, jobs } = ctx
  if (ids.length === 0) return
  await sql`
    insert into segment_checks (project_id, customer_id, request_id, caller, created_at)
    select ${project_id}, id, ${request_id}, ${JSON.stringify(caller)}::jsonb, ${now}::timestamptz
    from unnest(${ids}::text[]) as id
    where exists (select from segments where project_id = ${project_id} and type <> 'static' and deleted_at is null)
    on conflict do nothing`.execute(db)
  ctx.afterCommit(() => jobs.wake('segments'))
}
