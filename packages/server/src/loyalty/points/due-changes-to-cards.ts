import { sql } from 'kysely'
import type { Ctx } from '../../core/context.ts'
import { todayIn } from '../../core/query/filter/calendar.ts'
import { codeKey } from '../../incentives/vouchers/store.ts'
import { applyDueChanges } from './due-changes.ts'
import { lockAndLoadMembers, saveMembers } from './unit-of-work.ts'

/**
 * Applies due changes to cards that are about to be used, if the daily job has not processed them yet, and to all other cards
 * of their holders: a change on one card may credit points on another.
 */
export async function applyDueChangesToCards(ctx: Ctx, keys: readonly string[]): Promise<void> {
  const { db, project_id, project, now } = ctx
  const { rows } = await sql<{ holder_id: string }>`
    select distinct v.holder_id from vouchers v
    join loyalty_members m on m.project_id = v.project_id and m.customer_id = v.holder_id
      and m.due_on <= ${todayIn({ now, timezone: project.timezone })}::date
    where v.project_id = ${project_id} and v.type = 'LOYALTY_CARD' and v.deleted_at is null
      and (v.id = any(${keys}::text[]) or v.code_key = any(${keys.map((key) => codeKey(project, key))}::text[]))
  `.execute(db)
  if (rows.length === 0) return
  const work = await lockAndLoadMembers(
    ctx,
    rows.map(({ holder_id }) => holder_id),
  )
  await applyDueChanges(work)
  await saveMembers(work)
}
