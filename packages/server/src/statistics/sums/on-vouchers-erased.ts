import { sql } from 'kysely'
import type { Ctx } from '../../core/context.ts'
import type { VoucherType } from '../../core/db/tables.ts'
import { owedTally, tallyMany } from '../../core/db/tallies.ts'

/**
 * Before the postings of cards are deleted: those that are not in the sums yet will never be, but the balance that is subtracted when
 * the card is deleted (core/db/functions/subtract_deleted_card.sql) contains them, so that they are given back. Locks the progress, so
 * that no node adds them up until the caller commits.
 */
export async function keepOwedExact({ db, project_id }: Ctx, voucherIds: readonly string[]): Promise<void> {
  const { rows: cards } = await sql`
    select from vouchers where project_id = ${project_id} and id = any(${voucherIds}::text[]) and credits_added is not null
    limit 1`.execute(db)
  if (cards.length === 0) return
  await sql`insert into statistics_progress (project_id) values (${project_id}) on conflict do nothing`.execute(db)
  await sql`select from statistics_progress where project_id = ${project_id} for share`.execute(db)
  const { rows } = await sql<{ campaign_id: string | null; type: VoucherType; credits: number }>`
    select v.campaign_id, v.type,
      sum(case r.voucher_id when r.destination then r.amount when r.source then -r.amount else 0 end) as credits
    from vouchers v
    join postings r on r.project_id = v.project_id and r.voucher_id = v.id
    join statistics_progress p on p.project_id = v.project_id
    left join statistics_history h on h.project_id = v.project_id and h.source = 'postings'
    where v.project_id = ${project_id} and v.id = any(${voucherIds}::text[])
      and (r.position > p.postings_to or r.position = 0 and r.voucher_id > h.walked_to)
      and (v.deleted_at is null or v.deleted_at >= r.created_at)
    group by v.campaign_id, v.type`.execute(db)
  await tallyMany(
    db,
    project_id,
    rows.map(({ credits, ...card }) => [owedTally(card), credits] as const),
  )
}
