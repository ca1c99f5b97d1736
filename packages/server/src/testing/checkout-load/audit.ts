import type { Finding } from './findings.ts'
import { query, type Shop } from './shop.ts'

/** Checks that the tables are consistent about redemptions. */
export async function auditTables(shop: Shop): Promise<Finding[]> {
  return Promise.all([
    ...Object.entries(audits).map(async ([lookedFor, text]) => {
      const rows = await query(shop, text, [shop.project_id])
      const suchAs = JSON.stringify(rows.slice(0, 2))
      const violations = rows.length === 0 ? [] : [`${lookedFor}: ${rows.length}, such as ${suchAs}`]
      return { looked_for: lookedFor, times: 1, violations }
    }),
    auditTransactions(shop),
  ])
}

const live = `r.object = 'redemption' and r.status = 'SUCCEEDED'`

const audits: Record<string, string> = {
  'codes whose redeemed quantity differs from their redemptions': `
    select v.code, v.redeemed_quantity, count(r.id) as rows from vouchers v
    left join redemptions r on r.project_id = v.project_id and r.related_object_id = v.id and ${live}
    where v.project_id = $1 group by v.project_id, v.id having v.redeemed_quantity <> count(r.id)`,

  'cards whose redeemed credits differ from their redemptions': `
    select v.code, v.credits_redeemed, sum(r.amount) as amount from vouchers v
    left join redemptions r on r.project_id = v.project_id and r.related_object_id = v.id and ${live}
    where v.project_id = $1 and v.credits_redeemed is not null
    group by v.project_id, v.id having v.credits_redeemed <> coalesce(sum(r.amount), 0)`,

  'cards whose postings do not add up': `
    select v.code, v.credits_added, v.credits_subtracted, v.credits_redeemed, v.credits_expired, p.* from vouchers v
    cross join lateral (select
        coalesce(sum(amount) filter (where destination = v.id), 0) - coalesce(sum(amount) filter (where source = v.id), 0) as balance,
        coalesce(sum(amount) filter (where destination = 'redeemed'), 0)
          - coalesce(sum(amount) filter (where source = 'redeemed'), 0) as redeemed
      from postings where project_id = v.project_id and voucher_id = v.id) p
    where v.project_id = $1 and v.credits_added is not null
      and (p.balance <> v.credits_added - v.credits_subtracted - v.credits_redeemed - v.credits_expired
        or p.redeemed <> v.credits_redeemed or p.balance < 0)`,

  'cards whose lots differ from their balance': `
    select v.code, sum(l.points) as lots from vouchers v left join lots l on l.project_id = v.project_id and l.voucher_id = v.id
    where v.project_id = $1 and v.type = 'LOYALTY_CARD' group by v.project_id, v.id
    having coalesce(sum(l.points), 0) <> v.credits_added - v.credits_subtracted - v.credits_redeemed - v.credits_expired`,

  'lots that differ from their postings': `
    select l.voucher_id, l.id, l.points from lots l
    cross join lateral (select coalesce(sum(case when destination = l.voucher_id then amount else -amount end), 0) as points
      from postings where project_id = l.project_id and voucher_id = l.voucher_id and lot_id = l.id) p
    where l.project_id = $1 and p.points <> l.points`,

  'redemptions and rollbacks of credits without exactly one transaction': `
    select r.id, count(t.id) as transactions from redemptions r
    left join voucher_transactions t on t.project_id = r.project_id and t.voucher_id = r.related_object_id
      and t.details -> (case r.object when 'redemption' then 'redemption' else 'rollback' end) ->> 'id' = r.id
      and (r.object = 'redemption_rollback' or t.type like '%_REDEMPTION')
    where r.project_id = $1 and r.result = 'SUCCESS' and r.amount <> 0
    group by r.project_id, r.id having count(t.id) <> 1 or min(t.amount) <> 0 - r.amount`,

  'transactions that differ from their postings': `
    select t.id, t.amount from voucher_transactions t
    cross join lateral (select coalesce(sum(case when destination = t.voucher_id then amount else -amount end), 0) as amount
      from postings where project_id = t.project_id and voucher_id = t.voucher_id and transaction_id = t.id) p
    where t.project_id = $1 and p.amount <> t.amount`,

  'campaigns, tiers and codes whose usage differs from their redemptions': `
    with counted as (
      select scope_id, sum(case when is_undone then -redemptions else redemptions end) as redemptions,
        sum(case when is_undone then -credits else credits end) as credits,
        sum(case when is_undone then -discounted_amount else discounted_amount end) as discounted
      from usage where project_id = $1 and scope_id not like 'units/%' group by scope_id
    ), stored as (
      select scope_id, count(*) as redemptions, sum(coalesce(amount, 0)) as credits,
        sum(coalesce(("order" ->> 'total_applied_discount_amount')::numeric, 0)) as discounted
      from (
        select r.scope_id, r.amount, r."order" from redemptions r
        where r.project_id = $1 and ${live} and r.related_object_type <> 'redemption'
        union all select r.related_object_id, r.amount, r."order" from redemptions r
        where r.project_id = $1 and ${live} and r.related_object_type = 'promotion_tier'
      ) each group by scope_id
    )
    select * from counted full join stored using (scope_id)
    where coalesce(counted.redemptions, 0) <> coalesce(stored.redemptions, 0)
      or coalesce(counted.credits, 0) <> coalesce(stored.credits, 0)
      or coalesce(counted.discounted, 0) <> coalesce(stored.discounted, 0)`,

  'units whose usage differs from their redemptions': `
    with counted as (
      select scope_id, sum(case when is_undone then -redemptions else redemptions end) as units
      from usage where project_id = $1 and scope_id like 'units/%' group by scope_id
    ), stored as (
      select u.key as scope_id, sum(u.value::numeric) as units
      from redemptions r cross join lateral jsonb_each_text(r.undo -> 'units') u
      where r.project_id = $1 and ${live} group by u.key
    )
    select * from counted full join stored using (scope_id) where coalesce(counted.units, 0) <> coalesce(stored.units, 0)`,

  'redemptions that are missing from their order': `
    select r.id, r.order_id from redemptions r left join orders o on o.project_id = r.project_id and o.id = r.order_id
    where r.project_id = $1 and r.object = 'redemption' and r.result = 'SUCCESS' and r.parent_id is null
      and r.order_id is not null and not coalesce(o.redemptions ? r.id, false)`,

  'redemptions in orders that are not stored': `
    select o.id, k.key from orders o cross join lateral jsonb_object_keys(o.redemptions) k (key)
    left join redemptions r on r.project_id = o.project_id and r.id = k.key and r.order_id = o.id
    where o.project_id = $1 and o.redemptions is not null and r.id is null`,

  'rolled-back redemptions without exactly one rollback, and other redemptions with one': `
    select r.id, r.status, count(b.id) as rollbacks from redemptions r
    left join redemptions b on b.project_id = r.project_id and b.redemption_id = r.id
      and b.object = 'redemption_rollback' and b.result = 'SUCCESS'
    where r.project_id = $1 and r.object = 'redemption'
    group by r.project_id, r.id having count(b.id) <> case r.status when 'ROLLED_BACK' then 1 else 0 end`,

  'parents without children, and children without a parent': `
    select r.id from redemptions r left join redemptions p on p.project_id = r.project_id and p.id = r.parent_id
    where r.project_id = $1 and r.parent_id is not null and p.id is null
    union all select r.id from redemptions r
    where r.project_id = $1 and r.related_object_type = 'redemption' and r.result = 'SUCCESS'
      and (select count(*) from redemptions c where c.project_id = r.project_id and c.parent_id = r.id) < 2`,

  'redemptions without exactly one event': `
    select r.id, count(e.id) as events from redemptions r
    left join events e on e.project_id = r.project_id and e.entity_id = r.id
      and e.type = (case r.object when 'redemption' then 'redemption.' else 'redemption.rollback.' end)
        || (case r.result when 'SUCCESS' then 'succeeded' else 'failed' end)
    where r.project_id = $1 group by r.project_id, r.id having count(e.id) <> 1`,

  'events of redemptions that do not exist': `
    select e.id, e.type, e.entity_id from events e
    left join redemptions r on r.project_id = e.project_id and r.id = e.entity_id
    where e.project_id = $1 and e.type like 'redemption.%' and r.id is null`,

  'customers with more or fewer events than redemptions': `
    select customer_id, sum(events) as events, sum(rows) as rows from (
      select entity_id as customer_id, count(*) as events, 0 as rows from events
      where project_id = $1 and type like 'customer.redemption.%' group by 1
      union all select customer_id, 0, count(*) from redemptions
      where project_id = $1 and customer_id is not null group by 1
    ) both_ways group by customer_id having sum(events) <> sum(rows)`,

  'customers whose summary differs from their redemptions': `
    select c.source_id, c.redemptions_succeeded, c.redemptions_failed, c.redemptions_rolled_back, c.rollbacks_succeeded,
      c.rollbacks_failed, s.* from customers c
    cross join lateral (select
        count(*) filter (where object = 'redemption' and result = 'SUCCESS') as succeeded,
        count(*) filter (where object = 'redemption' and result = 'FAILURE') as failed,
        count(*) filter (where object = 'redemption' and status = 'ROLLED_BACK') as rolled_back,
        count(*) filter (where object = 'redemption_rollback' and result = 'SUCCESS') as rollbacks,
        count(*) filter (where object = 'redemption_rollback' and result = 'FAILURE') as failed_rollbacks
      from redemptions r where r.project_id = c.project_id and r.customer_id = c.id
        and (r.related_object_type <> 'redemption' or r.result = 'FAILURE')) s
    where c.project_id = $1 and (c.redemptions_succeeded, c.redemptions_failed, c.redemptions_rolled_back,
        c.rollbacks_succeeded, c.rollbacks_failed)
      is distinct from (s.succeeded, s.failed, s.rolled_back, s.rollbacks, s.failed_rollbacks)`,

  'customers whose summary differs from their orders': `
    select c.source_id, c.orders_total_count, c.orders_total_amount, o.* from customers c
    cross join lateral (select count(*) as count, coalesce(sum(amount), 0) as amount from orders
      where project_id = c.project_id and customer_id = c.id and status in ('PAID', 'FULFILLED')) o
    where c.project_id = $1 and (c.orders_total_count <> o.count or c.orders_total_amount <> o.amount)`,

  'a total that differs from the number of redemptions': `
    select t.total, r.rows from (select coalesce(sum(delta), 0) as total from tallies where project_id = $1 and name = 'redemptions') t,
      (select count(*) as rows from redemptions where project_id = $1) r where t.total <> r.rows`,

  'a total that differs from the number of orders': `
    select t.total, r.rows from (select coalesce(sum(delta), 0) as total from tallies where project_id = $1 and name = 'orders') t,
      (select count(*) as rows from orders where project_id = $1) r where t.total <> r.rows`,
}

/**
 * Every transaction states the balance after it. In the order of their ids, each starts from the balance of the one before, the
 * first from the initial credits, and the last ends with the balance of the card.
 */
async function auditTransactions(shop: Shop): Promise<Finding> {
  const cards = await query(
    shop,
    `select v.code, v.credits_added as filled, v.credits_added - v.credits_subtracted - v.credits_redeemed - v.credits_expired as left,
      coalesce(jsonb_agg(jsonb_build_object('amount', t.amount, 'balance', t.balance) order by t.id)
        filter (where t.id is not null), '[]') as transactions
    from vouchers v left join voucher_transactions t on t.project_id = v.project_id and t.voucher_id = v.id
    where v.project_id = $1 and v.credits_added is not null group by v.project_id, v.id`,
    [shop.project_id],
  )
  const violations = cards.flatMap(({ code, filled, left, transactions }) => {
    let before: number = filled
    for (const { amount, balance } of transactions as Array<{ amount: number; balance: number }>) {
      if (before + amount !== balance)
        return [`a transaction of ${code} starts from ${balance - amount}, not ${before}`]
      before = balance
    }
    return before === left ? [] : [`the transactions of ${code} end with ${before}, its balance is ${left}`]
  })
  return { looked_for: 'cards whose transactions do not form a sequence', times: cards.length, violations }
}
