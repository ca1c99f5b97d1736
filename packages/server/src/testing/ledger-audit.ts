import { totalsOf } from '@guerdon/engine'
import type { Posting } from '@guerdon/engine/schema'

/** Queries a database: that of this process, or on a separate connection. Numbers come as numbers, dates as text. */
// biome-ignore lint/suspicious/noExplicitAny: whatever was selected
export type Ask = (text: string, values: unknown[]) => Promise<any[]>

/**
 * Compares everything that a project has stored about points: counters, lots, postings, transactions, pending entries, and the
 * rows of members and customers. Returns the inconsistencies. In the order of their ids, no transaction is older than the one
 * before it, and no posting takes points that only a later one gives.
 */
export async function auditLedger(ask: Ask, projectId: string): Promise<string[]> {
  const rows = await ask(allAudits, [projectId])
  const found = rows.map(({ name, count, sample }) => `${name}: ${count}, such as ${JSON.stringify(sample)}`)
  return [...found, ...(await auditCards(ask, projectId))]
}

const cards = `v.project_id = $1 and v.type = 'LOYALTY_CARD' and v.deleted_at is null`
const balance = '(v.credits_added - v.credits_subtracted - v.credits_redeemed - v.credits_expired)'
/** The points that a card has received from a system account, minus those it gave to it. */
const net = (account: string) => `coalesce(sum(case when p.destination = v.id then p.amount else -p.amount end)
  filter (where '${account}' in (p.source, p.destination) and v.id in (p.source, p.destination)), 0)`

/** Each table is tied to the project by a value, so that a distributed database answers on the server of the project. */
const audits: Record<string, string> = {
  'cards whose counters differ from their postings': `
    select v.code, v.credits_added, v.credits_subtracted, v.credits_redeemed, v.credits_expired, v.credits_pending, n.* from vouchers v
    cross join lateral (select ${net('issued')} as issued, -${net('subtracted')} as subtracted, -${net('redeemed')} as redeemed,
        -${net('expired')} as expired, coalesce(sum(case when p.destination = 'pending' then p.amount else -p.amount end)
          filter (where 'pending' in (p.source, p.destination)), 0) as pending
      from postings p where p.project_id = $1 and v.project_id = $1 and p.voucher_id = v.id) n
    where ${cards} and (v.credits_added, v.credits_subtracted, v.credits_redeemed, v.credits_expired, v.credits_pending)
      is distinct from (n.issued, n.subtracted, n.redeemed, n.expired, n.pending)`,

  'cards with a negative balance or counter': `
    select v.code from vouchers v where ${cards} and (${balance} < 0
      or least(v.credits_added, v.credits_subtracted, v.credits_redeemed, v.credits_expired, v.credits_pending) < 0)`,

  'cards whose open lots differ from their balance': `
    select v.code, ${balance} as balance, l.points from vouchers v
    cross join lateral (select coalesce(sum(l.points), 0) as points from lots l
      where l.project_id = $1 and v.project_id = $1 and l.voucher_id = v.id and l.expired_points is null) l
    where ${cards} and l.points <> ${balance}`,

  'lots that differ from their postings': `
    select l.voucher_id, l.id, l.points, l.expired_points, n.* from lots l
    cross join lateral (select coalesce(sum(case when p.destination = l.voucher_id then p.amount else -p.amount end), 0) as points,
        coalesce(sum(p.amount) filter (where p.destination = 'expired'), 0) as expired,
        count(*) filter (where p.expires_at is distinct from l.expires_at) as otherwise_dated
      from postings p where p.project_id = $1 and l.project_id = $1 and p.voucher_id = l.voucher_id and p.lot_id = l.id) n
    where l.project_id = $1 and (n.points <> l.points or n.expired <> coalesce(l.expired_points, 0) or n.otherwise_dated > 0)`,

  'lots that lost more points than they received': `
    select p.voucher_id, p.lot_id from postings p join vouchers v on v.project_id = $1 and p.project_id = $1 and v.id = p.voucher_id
    where ${cards} and v.id in (p.source, p.destination) group by p.voucher_id, p.lot_id
    having sum(case when p.destination = p.voucher_id then p.amount else -p.amount end) < 0`,

  'postings of a card without a lot': `
    select p.id, p.source, p.destination, p.lot_id from postings p
    join vouchers v on v.project_id = $1 and p.project_id = $1 and v.id = p.voucher_id
    left join lots l on l.project_id = $1 and p.project_id = $1 and l.voucher_id = p.voucher_id and l.id = p.lot_id
    where ${cards} and v.id in (p.source, p.destination) and l.id is null`,

  'postings that are not between a system account and the card': `
    select p.id, p.source, p.destination from postings p join vouchers v on v.project_id = $1 and p.project_id = $1 and v.id = p.voucher_id
    where ${cards} and not (p.source = v.id and p.destination in ('redeemed', 'subtracted', 'expired')
      or p.destination = v.id and p.source in ('issued', 'redeemed')
      or p.source = 'issued' and p.destination = 'pending' or p.source = 'pending' and p.destination = 'issued')`,

  'pending entries whose points differ from their postings': `
    select q.id, q.status, q.points, n.points as posted from pending_points q
    cross join lateral (select coalesce(sum(case when p.destination = 'pending' then p.amount else -p.amount end), 0) as points
      from postings p where p.project_id = $1 and q.project_id = $1 and p.voucher_id = q.voucher_id and p.lot_id = q.id) n
    where q.project_id = $1 and n.points <> case q.status when 'PENDING' then q.points else 0 end`,

  'cards whose pending points differ from their pending entries': `
    select v.code, v.credits_pending, q.points from vouchers v
    cross join lateral (select coalesce(sum(q.points), 0) as points from pending_points q
      where q.project_id = $1 and v.project_id = $1 and q.voucher_id = v.id and q.status = 'PENDING') q
    where ${cards} and v.credits_pending <> q.points`,

  'pending entries without exactly one activation transaction, or with one although not activated': `
    select q.id, q.points, count(t.id) as transactions from pending_points q
    left join voucher_transactions t on t.project_id = $1 and q.project_id = $1 and t.voucher_id = q.voucher_id
      and t.type = 'PENDING_POINTS_ACTIVATION' and t.details -> 'pending_points' ->> 'id' = q.id and t.amount = q.points
    where q.project_id = $1 group by q.project_id, q.id
    having count(t.id) <> case q.status when 'ACTIVATED' then 1 else 0 end`,

  'transactions that differ from their postings': `
    select t.id, t.type, t.amount, n.amount as posted from voucher_transactions t
    join vouchers v on v.project_id = $1 and t.project_id = $1 and v.id = t.voucher_id
    cross join lateral (select coalesce(sum(case when p.destination = t.voucher_id then p.amount else -p.amount end), 0) as amount
      from postings p where p.project_id = $1 and t.project_id = $1 and p.voucher_id = t.voucher_id and p.transaction_id = t.id) n
    where ${cards} and (n.amount <> t.amount or (t.details -> 'balance' ->> 'points')::bigint is distinct from t.amount
      or (t.details -> 'balance' ->> 'balance')::bigint is distinct from t.balance)`,

  'postings beyond the initial points without a transaction': `
    select p.id from postings p join vouchers v on v.project_id = $1 and p.project_id = $1 and v.id = p.voucher_id
    join campaigns c on c.project_id = $1 and v.project_id = $1 and c.id = v.campaign_id
    where ${cards} and v.id in (p.source, p.destination) and p.transaction_id is null
    group by p.project_id, v.id, p.id, c.voucher, p.amount
    having p.amount > coalesce((c.voucher -> 'loyalty_card' ->> 'points')::bigint, 0)`,

  'transfers without a matching opposite transaction': `
    select t.id, t.type, t.amount, o.id as other, o.amount as other_amount from voucher_transactions t
    left join voucher_transactions o on o.project_id = $1 and t.project_id = $1 and o.id = t.related_transaction_id
    where t.project_id = $1 and t.type like 'POINTS_TRANSFER%'
      and (o.id is null or o.amount <> -t.amount or o.type = t.type or o.related_transaction_id <> t.id)`,

  'earning rules that paid for an order more or less than once': `
    with paid as (
      select t.voucher_id, t.details -> 'order' ->> 'id' as order_id, t.details -> 'earning_rule' ->> 'id' as rule_id
      from voucher_transactions t where t.project_id = $1 and t.type = 'POINTS_ACCRUAL' and t.details ? 'order'
      union all select q.voucher_id, q.order_id, q.details -> 'earning_rule' ->> 'id' from pending_points q where q.project_id = $1
    ), counted as (select voucher_id, order_id, rule_id, count(*) as times from paid group by 1, 2, 3),
    kept as (select e.voucher_id, e.order_id, e.earning_rule_id as rule_id from earnings e where e.project_id = $1)
    select * from counted full join kept using (voucher_id, order_id, rule_id)
    where counted.times is distinct from 1 or kept.rule_id is null`,

  'cards whose redeemed counters differ from their redemptions': `
    select v.code, v.redeemed_quantity, v.credits_redeemed, r.* from vouchers v
    cross join lateral (select count(*) as quantity, coalesce(sum(r.amount), 0) as points from redemptions r
      where r.project_id = $1 and v.project_id = $1 and r.related_object_id = v.id and r.object = 'redemption' and r.status = 'SUCCEEDED') r
    where ${cards} and (v.redeemed_quantity <> r.quantity or v.credits_redeemed <> r.points)`,

  'rewards whose redeemed counter differs from their reward redemptions': `
    select w.id, w.type, w.stock, w.redeemed, r.given from rewards w
    cross join lateral (select count(*) as given from reward_redemptions r
      where r.project_id = $1 and w.project_id = $1 and r.reward_id = w.id and r.state <> 'ROLLEDBACK') r
    where w.project_id = $1 and (w.redeemed <> r.given or (w.type = 'MATERIAL' and w.redeemed > w.stock))`,

  'customers with two cards of one program': `
    select v.holder_id, v.campaign_id from vouchers v where ${cards} and v.holder_id is not null
    group by v.holder_id, v.campaign_id having count(*) > 1`,

  // A referrer has no card of the program; once the only referral is rolled back, the entry says zero.
  'customers whose stored points differ from their cards': `
    select h.source_id, h.loyalty, s.* from customers h
    cross join lateral (select coalesce(sum(${balance}), 0) as points, coalesce(jsonb_object_agg(c.name,
          jsonb_strip_nulls(jsonb_build_object('points', ${balance}, 'loyalty_tier', m.tier_id))), '{}') as campaigns
      from vouchers v join campaigns c on c.project_id = $1 and v.project_id = $1 and c.id = v.campaign_id and c.deleted_at is null
      left join loyalty_members m on m.project_id = $1 and v.project_id = $1 and m.voucher_id = v.id
      where ${cards} and v.holder_id = h.id) s
    cross join lateral (select coalesce(jsonb_object_agg(o.key, o.value - 'referred_customers'), '{}') as campaigns
      from jsonb_each(h.loyalty -> 'campaigns') o where s.campaigns ? o.key or o.value ? 'loyalty_tier' or o.value -> 'points' <> '0'
        or not exists (select from campaigns c where c.project_id = $1 and h.project_id = $1 and c.name = o.key and c.campaign_type = 'REFERRAL_PROGRAM')) own
    where h.project_id = $1 and h.deleted_at is null
      and ((h.loyalty ->> 'points')::bigint <> s.points or own.campaigns <> s.campaigns)`,

  // A program with automatic redemption checks again on the next day, which this query cannot derive.
  'members whose due date is not that of their first due change': `
    select v.code, m.due_on, d.first from vouchers v
    left join loyalty_members m on m.project_id = $1 and v.project_id = $1 and m.voucher_id = v.id
    cross join lateral (select min(day) as first from (
        select l.expires_at + 1 as day from lots l
        where l.project_id = $1 and v.project_id = $1 and l.voucher_id = v.id and l.expired_points is null
        union all select q.activates_at from pending_points q
        where q.project_id = $1 and v.project_id = $1 and q.voucher_id = v.id and q.status = 'PENDING'
        union all select m.tier_expiration_date + 1 union all select m.scheduled_start_date) each) d
    where ${cards} and v.holder_id is not null and m.due_on is distinct from d.first
      and (m.voucher_id is null or m.due_on > d.first or not exists (select from reward_assignments a
        where a.project_id = $1 and v.project_id = $1 and a.related_object_id = v.campaign_id
          and (a.parameters -> 'loyalty' ->> 'auto_redeem')::boolean))`,
}

const allAudits = Object.entries(audits)
  .map(
    ([name, text]) => `(select '${name}' as name, count(*) as count, (jsonb_agg(to_jsonb(found)) -> 0) as sample
      from (${text}) found having count(*) > 0)`,
  )
  .join(' union all ')

interface Movement {
  id: string
  transaction_id: string | null
  source: string
  destination: string
  amount: number
  lot_id: string
  expires_at: string | null
}

interface AuditedCard {
  id: string
  code: string
  added: number
  subtracted: number
  redeemed: number
  expired: number
  lots: Array<{ id: string; points: number; expires_at: string | null }>
  postings: Movement[]
  transactions: Array<{ id: string; type: string; amount: number; balance: number; total: number; created_at: number }>
}

async function auditCards(ask: Ask, projectId: string): Promise<string[]> {
  const rows = (await ask(
    `select v.id, v.code, v.credits_added as added, v.credits_subtracted as subtracted, v.credits_redeemed as redeemed,
      v.credits_expired as expired,
      (select coalesce(jsonb_agg(jsonb_build_object('id', l.id, 'points', l.points, 'expires_at', l.expires_at)), '[]') from lots l
        where l.project_id = $1 and v.project_id = $1 and l.voucher_id = v.id) as lots,
      (select coalesce(jsonb_agg(to_jsonb(p) - 'project_id' order by p.id), '[]') from postings p
        where p.project_id = $1 and v.project_id = $1 and p.voucher_id = v.id and v.id in (p.source, p.destination)) as postings,
      (select coalesce(jsonb_agg(jsonb_build_object('id', t.id, 'type', t.type, 'amount', t.amount, 'balance', t.balance,
          'total', t.details -> 'balance' -> 'total', 'created_at', extract(epoch from t.created_at) * 1000) order by t.id), '[]')
        from voucher_transactions t where t.project_id = $1 and v.project_id = $1 and t.voucher_id = v.id) as transactions
    from vouchers v where ${cards}`,
    [projectId],
  )) as AuditedCard[]
  return rows.flatMap((card) => [...auditReplay(card), ...auditSequence(card)])
}

/** Replaying the postings on an empty card must give the stored lots and counters. */
function auditReplay({ id, code, lots, postings, ...stored }: AuditedCard): string[] {
  const faults: string[] = []
  const replayed = new Map<string, { points: number; expires_at: string | null }>()
  for (const { id: posting, destination, amount, lot_id, expires_at } of postings) {
    const lot = replayed.get(lot_id) ?? { points: 0, expires_at }
    lot.points += destination === id ? amount : -amount
    replayed.set(lot_id, lot)
    if (lot.points < 0) faults.push(`lot ${lot_id} of ${code} is below zero after ${posting}`)
  }
  const sortedText = (all: AuditedCard['lots']) => JSON.stringify(all.toSorted((a, b) => (a.id < b.id ? -1 : 1)))
  // A lot that was opened without points, or emptied by a change that added none, has no postings.
  const kept = lots.filter((lot) => replayed.has(lot.id) || lot.points > 0)
  const [storedLots, replayedLots] = [
    sortedText(kept),
    sortedText([...replayed].map(([lot, { points, expires_at }]) => ({ id: lot, points, expires_at }))),
  ]
  if (storedLots !== replayedLots)
    faults.push(`the lots of ${code} are ${storedLots}, but its postings give ${replayedLots}`)
  const entries: Posting[] = postings.map(({ source, destination, amount, lot_id, expires_at }) => ({
    from: source,
    to: destination,
    amount,
    asset: 'points',
    lot: lot_id,
    expires_at,
  }))
  const { points, subtracted, redeemed, expired } = totalsOf(id, entries)
  const sums = [points, subtracted, redeemed, expired]
  const counters = [stored.added, stored.subtracted, stored.redeemed, stored.expired]
  if (sums.join() !== counters.join())
    faults.push(`the counters of ${code} are ${counters}, but its postings give ${sums}`)
  return faults
}

const initialOf = ({ id, postings }: AuditedCard): number =>
  postings.reduce((sum, p) => sum + (p.transaction_id === null && p.destination === id ? p.amount : 0), 0)

/** In the order of their ids, every transaction must state the balance after it. */
function auditSequence(card: AuditedCard): string[] {
  const faults: string[] = []
  let [balance, total, at] = [initialOf(card), initialOf(card), 0]
  for (const transaction of card.transactions) {
    balance += transaction.amount
    if (transaction.type !== 'POINTS_REDEMPTION' && transaction.type !== 'POINTS_REFUND') total += transaction.amount
    if (transaction.balance !== balance)
      faults.push(
        `${transaction.id} ${transaction.type} ${transaction.amount} of ${card.code} has balance ${transaction.balance}, expected ${balance}`,
      )
    if (transaction.total !== total)
      faults.push(
        `${transaction.id} ${transaction.type} of ${card.code} has total ${transaction.total}, expected ${total}`,
      )
    if (transaction.created_at < at)
      faults.push(`${transaction.id} ${transaction.type} of ${card.code} has an id after that of a later transaction`)
    at = Math.max(at, transaction.created_at)
  }
  return faults.slice(0, 3)
}
