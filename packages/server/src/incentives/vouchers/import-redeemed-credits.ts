import { sql } from 'kysely'
import type { Ctx } from '../../core/context.ts'
import { type Id, newId } from '../../core/lib/ids.ts'

/**
 * Posts what was spent from imported cards before the import, so that the postings of a card still add up to its balance.
 * Like the initial value, it creates no transaction (docs/reference/balances.md#transaction-object).
 */
export async function postRedeemedCredits(
  { db, project_id, now }: Ctx,
  cards: ReadonlyArray<{ id: Id<'voucher'>; redeemed: number }>,
): Promise<void> {
  const spentCards = cards.filter(({ redeemed }) => redeemed > 0)
  if (spentCards.length === 0) return
  const at = Date.parse(now)
  await sql`
    insert into postings (project_id, voucher_id, id, source, destination, amount, created_at)
    select ${project_id}, card.voucher_id, card.id, card.voucher_id, 'redeemed', card.amount, ${now}::timestamptz
    from unnest(${spentCards.map(({ id }) => id)}::text[], ${spentCards.map(() => newId('posting', at))}::text[],
      ${spentCards.map(({ redeemed }) => redeemed)}::bigint[]) as card (voucher_id, id, amount)`.execute(db)
}
