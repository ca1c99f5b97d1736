import { sql } from 'kysely'
import type { Ctx } from '../context.ts'
import { todayIn } from '../lib/filter/calendar.ts'
import { codeKey } from '../vouchers/store.ts'
import { openBooks, saveBooks } from './books.ts'
import { settle } from './settle.ts'

/** Brings cards that are about to be used up to today, where the daily job has not been there yet. */
export async function settleCards(ctx: Ctx, keys: readonly string[]): Promise<void> {
  const { db, project_id, project, now } = ctx
  const { rows } = await sql<{ holder_id: string }>`
    select distinct v.holder_id from vouchers v
    join loyalty_members m on m.project_id = v.project_id and m.voucher_id = v.id
      and m.due_on <= ${todayIn({ now, timezone: project.timezone })}::date
    where v.project_id = ${project_id} and v.holder_id is not null and v.deleted_at is null
      and (v.id = any(${keys}::text[]) or v.code_key = any(${keys.map((key) => codeKey(project, key))}::text[]))
  `.execute(db)
  if (rows.length === 0) return
  const books = await openBooks(
    ctx,
    rows.map(({ holder_id }) => holder_id),
  )
  await settle(books)
  await saveBooks(books)
}
