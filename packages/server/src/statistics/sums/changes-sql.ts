import { type RawBuilder, sql } from 'kysely'
import type { StatisticsSource } from '../../core/db/tables.ts'
import { type Figure, figures } from './figures.ts'

/**
 * Rows of a source, as a query that ends with a literal number of rows. The planner knows no better how many are above a position that
 * another part of the statement reads: it supposes a third of the table, and reads all of the tables that are joined.
 */
type Rows = RawBuilder<unknown>

/**
 * What rows of a table add to the sums, as a query with the columns `scope_id`, `starts_at` (of 15 minutes), `reason` (of a
 * refusal, else null) and the figures: several rows per scope and moment, which the caller adds up. Each row of a table counts at
 * its own `created_at`: a rollback when it happens, not when its redemption did.
 */
export const changesSql: { [Source in StatisticsSource]: (projectId: string, rows: Rows) => RawBuilder<unknown> } = {
  // Of several redeemables in one request, each counts, and the row that joins them does not. Credits and points that pay for an
  // order (`amount`) are no discount: the postings count them. The orders of a campaign are those in which it was redeemed; those
  // of the project come from the orders themselves.
  redemptions: (projectId, rows) => sql`
    select s.scope_id, ${quarterOf(sql`r.created_at`)} as starts_at, case when r.failed then r.failure_code end as reason,
      ${figuresSql({
        redemptions: sql`r.redeemed::int`,
        failed_redemptions: sql`r.failed::int`,
        rolled_back_redemptions: sql`r.rolled_back::int`,
        discount_amount: sql`case when r.redeemed then r.discounted_amount else 0 end`,
        rolled_back_discount_amount: sql`case when r.rolled_back then r.discounted_amount else 0 end`,
        orders: sql`(s.is_campaign and r.redeemed and r.order_id is not null)::int`,
        order_amount: sql`case when s.is_campaign and r.redeemed then r.orders_amount else 0 end`,
        discounted_order_amount: sql`case when s.is_campaign and r.redeemed then r.orders_amount - r.discounted_amount else 0 end`,
      })}
    from (
      select r.campaign_id, r.created_at, r.failure_code, r.order_id,
        r.object = 'redemption' and r.result = 'SUCCESS' and r.related_object_type <> 'redemption' as redeemed,
        r.object = 'redemption' and r.result = 'FAILURE' as failed,
        r.object = 'redemption_rollback' and r.result = 'SUCCESS' and r.related_object_type <> 'redemption' as rolled_back,
        case when r.amount is null
          then coalesce((coalesce(r.undo, u.undo) ->> 'discounted_amount')::numeric, 0) else 0 end as discounted_amount,
        coalesce((coalesce(r.undo, u.undo) ->> 'orders_amount')::numeric, 0) as orders_amount
      from (${rows}) r
      left join redemptions u on u.project_id = ${projectId} and u.id = r.redemption_id
    ) r
    cross join lateral (values ('', false), (r.campaign_id, true)) s (scope_id, is_campaign)
    where s.scope_id is not null and (r.redeemed or r.failed or r.rolled_back)`,

  publications: (_projectId, rows) => sql`
    select s.scope_id, ${quarterOf(sql`r.created_at`)} as starts_at, null::text as reason,
      ${figuresSql({ published_codes: sql`cardinality(r.voucher_ids)` })}
    from (${rows}) r
    cross join lateral (values (''), (r.campaign_id)) s (scope_id)
    where s.scope_id is not null and r.result = 'SUCCESS'`,

  // A posting without a transaction is the initial value of a card, or a correction of it. Points that move from card to card are
  // neither earned nor spent. A card in the bin owes nothing: what is paid back to it afterwards does not count.
  postings: (projectId, rows) => sql`
    select s.scope_id, ${quarterOf(sql`r.created_at`)} as starts_at, null::text as reason,
      ${figuresSql({
        points_earned: sql`case when r.is_points and (r.type is null
          or r.type in ('POINTS_ACCRUAL', 'PENDING_POINTS_ACTIVATION', 'POINTS_ADDITION')) then r.credited else 0 end`,
        points_spent: sql`case when r.is_points and r.type is not null and r.destination = 'redeemed' then r.amount else 0 end`,
        points_returned: sql`case when r.is_points and r.type is not null and r.source = 'redeemed' then r.amount else 0 end`,
        points_expired: sql`case when r.is_points and r.destination = 'expired' then r.amount else 0 end`,
        points_removed: sql`case when r.is_points and r.type = 'POINTS_REMOVAL' then -r.credited else 0 end`,
        points_pending: sql`case 'pending' when r.destination then r.amount when r.source then -r.amount else 0 end`,
        points_owed: sql`case when r.is_points and not r.is_binned then r.credited else 0 end`,
        gift_cards_issued: sql`case when not r.is_points
          and (r.type is null or r.type not in ('CREDITS_REDEMPTION', 'CREDITS_REFUND')) then r.credited else 0 end`,
        gift_cards_spent: sql`case when not r.is_points and r.type is not null and r.destination = 'redeemed'
          then r.amount else 0 end`,
        gift_cards_returned: sql`case when not r.is_points and r.type is not null and r.source = 'redeemed'
          then r.amount else 0 end`,
        gift_cards_owed: sql`case when not r.is_points and not r.is_binned then r.credited else 0 end`,
      })}
    from (
      select r.source, r.destination, r.amount, r.created_at, v.campaign_id, v.type = 'LOYALTY_CARD' as is_points,
        case r.voucher_id when r.destination then r.amount when r.source then -r.amount else 0 end as credited,
        t.type, coalesce(v.deleted_at < r.created_at, false) as is_binned
      from (${rows}) r
      join vouchers v on v.project_id = ${projectId} and v.id = r.voucher_id
      left join voucher_transactions t on t.project_id = ${projectId} and t.id = r.transaction_id
    ) r
    cross join lateral (values (''), (r.campaign_id)) s (scope_id)
    where s.scope_id is not null`,

  // An order counts when it was created, with its present status and amounts: what it added before is subtracted.
  orders: (projectId, rows) => sql`
    select '' as scope_id, ${quarterOf(sql`r.created_at`)} as starts_at, null::text as reason,
      ${figuresSql({
        orders: sql`s.sign * s.is_discounted::int`,
        order_amount: sql`s.sign * case when s.is_discounted then s.amount else 0 end`,
        discounted_order_amount: sql`s.sign * case when s.is_discounted then s.total_amount else 0 end`,
        orders_without_discount: sql`s.sign * (not s.is_discounted)::int`,
        order_amount_without_discount: sql`s.sign * case when s.is_discounted then 0 else s.amount end`,
      })}
    from (${countedOrdersSql(rows)}) r
    left join statistics_orders k on k.project_id = ${projectId} and k.order_id = r.id
    cross join lateral (values
      (1, r.is_discounted, r.amount, r.total_amount, r.is_counted),
      (-1, k.is_discounted, k.amount, k.total_amount, k.order_id is not null)
    ) s (sign, is_discounted, amount, total_amount, is_counted)
    where s.is_counted`,
}

/** Orders as they count: those that are paid. */
export const countedOrdersSql = (rows: Rows) => sql`
  select r.id, r.created_at, r.total_discount_amount > 0 as is_discounted, coalesce(r.amount, 0) as amount,
    coalesce(r.total_amount, 0) as total_amount, r.status in ('PAID', 'FULFILLED') as is_counted
  from (${rows}) r`

/** The figures as columns; those that are not given are 0. */
const figuresSql = (values: Partial<Record<Figure, RawBuilder<unknown>>>): RawBuilder<unknown> =>
  sql.join(figures.map((name) => sql`(${values[name] ?? sql.lit(0)})::numeric as ${sql.ref(name)}`))

/** The beginning of the 15 minutes that contain a moment. */
const quarterOf = (moment: RawBuilder<unknown>) => sql`date_bin('15 minutes', ${moment}, 'epoch')`
