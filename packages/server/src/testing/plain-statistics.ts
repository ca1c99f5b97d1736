import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../core/db/database.ts'
import { type Figure, figures } from '../statistics/sums/figures.ts'

export type PlainFigures = Record<Figure, number>

/**
 * The figures of each hour, counted in the tables themselves, to compare the sums with. Written independently of the statements that
 * add up: money from `usage` and the balances of cards where they say it, too.
 */
export async function plainFiguresByHour(
  db: Db,
  projectId: string,
  campaignId: string | null,
): Promise<Map<string, Partial<PlainFigures>>> {
  const hours = new Map<string, Partial<PlainFigures>>()
  const add = async (query: RawBuilder<unknown>) => {
    const { rows } = await sql<Record<string, unknown> & { hour: string }>`
      select to_char(date_trunc('hour', x.created_at at time zone 'UTC'), 'YYYY-MM-DD"T"HH24:00:00.000"Z"') as hour, x.name, sum(x.value)::bigint as value
      from (${query}) x group by 1, 2`.execute(db)
    for (const { hour, name, value } of rows) {
      const sums = hours.get(hour) ?? {}
      sums[name as Figure] = (sums[name as Figure] ?? 0) + Number(value)
      hours.set(hour, sums)
    }
  }
  const inCampaign = (column: string) => (campaignId === null ? sql`true` : sql`${sql.ref(column)} = ${campaignId}`)
  const ofRedemptions = sql`redemptions r where r.project_id = ${projectId} and ${inCampaign('r.campaign_id')}`
  const isOne = sql`r.related_object_type <> 'redemption'`
  const redeemed = sql`r.object = 'redemption' and r.result = 'SUCCESS' and ${isOne}`
  await add(sql`select created_at, 'redemptions' as name, 1 as value from ${ofRedemptions} and ${redeemed}`)
  await add(
    sql`select created_at, 'failed_redemptions' as name, 1 as value from ${ofRedemptions} and r.object = 'redemption' and r.status = 'FAILED'`,
  )
  await add(sql`select created_at, 'rolled_back_redemptions' as name, 1 as value from ${ofRedemptions}
    and r.object = 'redemption_rollback' and r.status = 'SUCCEEDED' and ${isOne}`)
  await add(sql`select created_at, 'discount_amount' as name, (undo ->> 'discounted_amount')::bigint as value
    from ${ofRedemptions} and ${redeemed} and r.amount is null`)
  await add(sql`select b.created_at, 'rolled_back_discount_amount' as name, (r.undo ->> 'discounted_amount')::bigint as value
    from redemptions b, ${ofRedemptions} and ${redeemed} and r.amount is null
    and b.project_id = r.project_id and b.redemption_id = r.id and b.object = 'redemption_rollback' and b.result = 'SUCCESS'`)
  if (campaignId === null) {
    const paid = sql`orders where project_id = ${projectId} and status in ('PAID', 'FULFILLED')`
    await add(sql`select created_at, 'orders' as name, 1 as value from ${paid} and total_discount_amount > 0`)
    await add(
      sql`select created_at, 'order_amount' as name, amount as value from ${paid} and total_discount_amount > 0`,
    )
    await add(
      sql`select created_at, 'discounted_order_amount' as name, total_amount as value from ${paid} and total_discount_amount > 0`,
    )
    await add(
      sql`select created_at, 'orders_without_discount' as name, 1 as value from ${paid} and total_discount_amount = 0`,
    )
    await add(
      sql`select created_at, 'order_amount_without_discount' as name, amount as value from ${paid} and total_discount_amount = 0`,
    )
  } else {
    await add(
      sql`select created_at, 'orders' as name, 1 as value from ${ofRedemptions} and ${redeemed} and r.order_id is not null`,
    )
    await add(
      sql`select created_at, 'order_amount' as name, (undo ->> 'orders_amount')::bigint as value from ${ofRedemptions} and ${redeemed}`,
    )
    await add(sql`select created_at, 'discounted_order_amount' as name,
      (undo ->> 'orders_amount')::bigint - case when r.amount is null then (undo ->> 'discounted_amount')::bigint else 0 end as value
      from ${ofRedemptions} and ${redeemed}`)
  }
  await add(sql`select created_at, 'published_codes' as name, cardinality(voucher_ids) as value from publications
    where project_id = ${projectId} and result = 'SUCCESS' and ${inCampaign('campaign_id')}`)
  const transactions = (types: string[], sign: number) => sql`
    ${sql.lit(sign)} * t.amount as value from voucher_transactions t
    where t.project_id = ${projectId} and t.type = any(${types}::text[]) and ${inCampaign('t.campaign_id')}`
  const initial = (type: string) => sql`
    case p.destination when p.voucher_id then p.amount else -p.amount end as value
    from postings p join vouchers v on v.project_id = p.project_id and v.id = p.voucher_id
    where p.project_id = ${projectId} and p.transaction_id is null and p.voucher_id in (p.source, p.destination)
      and v.type = ${type} and ${inCampaign('v.campaign_id')}`
  for (const [name, types, sign, card] of ledger) {
    await add(sql`select t.created_at, ${name}::text as name, ${transactions([...types], sign)}`)
    if (card !== undefined) await add(sql`select p.created_at, ${name}::text as name, ${initial(card)}`)
  }
  return hours
}

const points = ['POINTS_ACCRUAL', 'PENDING_POINTS_ACTIVATION', 'POINTS_ADDITION']
const ledger = [
  ['points_earned', points, 1, 'LOYALTY_CARD'],
  ['points_spent', ['POINTS_REDEMPTION'], -1],
  ['points_returned', ['POINTS_REFUND'], 1],
  ['points_expired', ['POINTS_EXPIRATION'], -1],
  ['points_removed', ['POINTS_REMOVAL'], -1],
  ['gift_cards_issued', ['CREDITS_ADDITION', 'CREDITS_REMOVAL'], 1, 'GIFT_VOUCHER'],
  ['gift_cards_spent', ['CREDITS_REDEMPTION'], -1],
  ['gift_cards_returned', ['CREDITS_REFUND'], 1],
] as const satisfies ReadonlyArray<readonly [Figure, readonly string[], number, string?]>

/** What cards that exist owe, from their balances. */
export async function plainOwed(db: Db, projectId: string): Promise<{ points: number; gift_cards: number }> {
  const { rows } = await sql<{ points: number; gift_cards: number }>`
    select coalesce(sum(b) filter (where type = 'LOYALTY_CARD'), 0)::bigint as points,
      coalesce(sum(b) filter (where type = 'GIFT_VOUCHER'), 0)::bigint as gift_cards
    from (select v.type, v.credits_added - v.credits_subtracted - v.credits_redeemed - v.credits_expired as b
      from vouchers v left join campaigns c on c.project_id = v.project_id and c.id = v.campaign_id
      where v.project_id = ${projectId} and v.deleted_at is null and c.deleted_at is null
        and (v.campaign_id is null or c.id is not null)) v`.execute(db)
  return rows[0] as { points: number; gift_cards: number }
}

/** Figures that are not derived from others, to compare. */
export const comparedFigures = figures.filter((name) => !/_(owed|pending)$/.test(name))
