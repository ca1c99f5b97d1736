import { sql } from 'kysely'
import type { Ctx } from '../../core/context.ts'
import { type Id, newId } from '../../core/lib/ids.ts'

/**
 * Writes down what was spent of imported cards before they came here, so that the postings of a card still add up to its
 * balance. Like their initial value it is no transaction (docs/reference/balances.md#transaction-object).
 */
export async function bookRedeemed(
  { db, project_id, now }: Ctx,
  cards: ReadonlyArray<{ id: Id<'voucher'>; redeemed: number }>,
): Promise<void> {
  const spent = cards.filter(({ redeemed }) => redeemed > 0)
  if (spent.length === 0) return
  const at = Date.parse(now)
  await sql`
    insert into postings (project_id, voucher_id, id, source, destination, amount, created_at)
    select ${project_id}, card.voucher_id, card.id, card.voucher_id, 'redeemed', card.amount, ${now}::timestamptz
    from unnest(${spent.map(({ id }) => id)}::text[], ${spent.map(() => newId('posting', at))}::text[],
      ${spent.map(({ redeemed }) => redeemed)}::bigint[]) as card (voucher_id, id, amount)`.execute(db)
}
