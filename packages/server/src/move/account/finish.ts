import { sql } from 'kysely'
import type { Ctx } from '../../core/context.ts'
import { todayIn } from '../../core/query/filter/calendar.ts'
import { count, type KindReport } from './report.ts'

/** What follows from several lists together. Every statement adds only what is missing, so that it may run again. */
export async function connectRows(ctx: Ctx, vouchers: KindReport): Promise<void> {
  // Statements over all codes of an account, which may be millions.
  await sql`set local statement_timeout = 0`.execute(ctx.db)
  await countRedemptions(ctx, vouchers)
  await addHolders(ctx)
  await addReferees(ctx)
  await addMembers(ctx)
  await addConversions(ctx)
  await connectTransactions(ctx)
}

/**
 * A rollback subtracts one from what a code counts, so the code has counted every redemption that can be rolled back; a limit that the
 * account has lowered below that would refuse the number.
 */
async function countRedemptions({ db, project_id }: Ctx, vouchers: KindReport): Promise<void> {
  const { rows } = await sql<{ codes: number; first_codes: string[] | null }>`
    with counted as (
      select related_object_id as id, count(*) as redemptions from redemptions
      where project_id = ${project_id} and object = 'redemption' and status = 'SUCCEEDED' and related_object_type = 'voucher'
      group by 1
    ), raised as (
      update vouchers v set redeemed_quantity = counted.redemptions, quantity = greatest(v.quantity, counted.redemptions)
      from counted where v.project_id = ${project_id} and v.id = counted.id and v.redeemed_quantity < counted.redemptions
      returning v.code
    )
    select count(*)::int as codes, (array_agg(code))[1:5] as first_codes from raised`.execute(db)
  for (const { codes, first_codes } of rows)
    for (const [index, code] of first_codes?.entries() ?? [])
      count(vouchers.changed, moreRedemptions, code, index === 0 ? codes - (first_codes?.length ?? 0) + 1 : 1)
}

const moreRedemptions = 'it has more redemptions than it counts or its limit allows: both were raised to their number'

/** Holders of codes whose publication the account no longer shows. */
async function addHolders({ db, project_id }: Ctx): Promise<void> {
  await sql`
    insert into holders (project_id, id, voucher_id, customer_id, campaign_id, role, created_at)
    select v.project_id, 'rh_' || substr(encode(sha256(convert_to(v.id || ' ' || held.customer_id, 'UTF8')), 'hex'), 1, 18),
      v.id, held.customer_id, v.campaign_id, case when v.is_referral_code then 'REFERRER' else 'OWNER' end, v.created_at
    from vouchers v cross join lateral (select coalesce(v.holder_id, v.referrer_id) as customer_id) held
    where v.project_id = ${project_id} and held.customer_id is not null
    on conflict do nothing`.execute(db)
}

/** A customer that redeems a referral code holds it too, until every redemption is rolled back; no list of the account shows that. */
async function addReferees({ db, project_id }: Ctx): Promise<void> {
  await sql`
    insert into holders (project_id, id, voucher_id, customer_id, campaign_id, role, created_at)
    select v.project_id, 'rh_' || substr(encode(sha256(convert_to(v.id || ' ' || r.customer_id, 'UTF8')), 'hex'), 1, 18),
      v.id, r.customer_id, v.campaign_id, 'REFEREE', min(r.created_at)
    from redemptions r join vouchers v on v.project_id = r.project_id and v.id = r.related_object_id and v.is_referral_code
    where r.project_id = ${project_id} and r.object = 'redemption' and r.status = 'SUCCEEDED' and r.customer_id is not null
    group by v.project_id, v.id, r.customer_id, v.campaign_id
    on conflict do nothing`.execute(db)
}

/**
 * Members of loyalty programs, in the tier that their customer shows. In a program with tiers they are due at once: the daily job
 * finds the day on which their tier ends, which no list shows.
 */
async function addMembers({ db, project_id, now, project: { timezone } }: Ctx): Promise<void> {
  const today = todayIn({ now, timezone })
  await sql`
    insert into loyalty_members (project_id, voucher_id, campaign_id, customer_id, tier_id, tier_start_date, tier_created_at, due_on)
    select v.project_id, v.id, v.campaign_id, v.holder_id, t.id, case when t.id is not null then ${today}::date end,
      case when t.id is not null then ${now}::timestamptz end,
      case when exists (select from loyalty_tiers any_tier where any_tier.project_id = ${project_id} and any_tier.campaign_id = v.campaign_id)
        then ${today}::date else least(
          (select min(l.expires_at) + 1 from lots l where l.project_id = ${project_id} and l.voucher_id = v.id and l.expired_points is null),
          (select min(q.activates_at) from pending_points q where q.project_id = ${project_id} and q.voucher_id = v.id and q.status = 'PENDING'))
      end
    from vouchers v
      join campaigns g on g.project_id = v.project_id and g.id = v.campaign_id
      join customers c on c.project_id = v.project_id and c.id = v.holder_id
      left join loyalty_tiers t on t.project_id = v.project_id and t.campaign_id = v.campaign_id
        and t.id = c.loyalty -> 'campaigns' -> g.name ->> 'loyalty_tier'
    where v.project_id = ${project_id} and v.type = 'LOYALTY_CARD' and v.holder_id is not null
    on conflict do nothing`.execute(db)
}

/**
 * Who was referred by whom, as the customers show it: a program counts each referee once. No index finds the code of a referrer, so all
 * are gathered first: looked for one by one, each takes a scan of the program.
 */
async function addConversions({ db, project_id }: Ctx): Promise<void> {
  await sql`
    with referred as materialized (
      select c.id as referee_id, r.* from customers c
        cross join lateral jsonb_to_recordset(c.referrals -> 'campaigns')
          as r (campaign_id text, referrer_id text, related_object_id text, related_object_type text, date timestamptz)
      where c.project_id = ${project_id} and c.referrals <> '{"total": 0, "campaigns": []}' and r.related_object_id is not null
    ), codes as materialized (
      select campaign_id, coalesce(referrer_id, holder_id) as referrer_id, min(id) as id from vouchers
      where project_id = ${project_id} and campaign_id in (select campaign_id from referred)
        and coalesce(referrer_id, holder_id) is not null
      group by 1, 2
    )
    insert into referral_conversions (project_id, campaign_id, referrer_id, referee_id, voucher_id, related_object_id,
      related_object_type, created_at, source_ids)
    select own.id, r.campaign_id, r.referrer_id, r.referee_id, v.id, r.related_object_id,
      case when r.related_object_type = 'redemption' then 'redemption' else 'event' end, r.date, array[r.related_object_id]
    from projects own, referred r join codes v on v.campaign_id = r.campaign_id and v.referrer_id = r.referrer_id
    where own.id = ${project_id}
    on conflict do nothing`.execute(db)
}

/**
 * A transaction that follows from another one, such as a refund. An id that was derived has the moment of its own row, which the row
 * that refers to it does not know; what follows the moment is the same on both sides (kept-id.ts).
 */
async function connectTransactions({ db, project_id }: Ctx): Promise<void> {
  await sql`
    update voucher_transactions t set related_transaction_id = r.id
    from voucher_transactions r
    where t.project_id = ${project_id} and t.related_transaction_id is not null
      and not exists (select from voucher_transactions known
        where known.project_id = ${project_id} and known.id = t.related_transaction_id)
      and r.project_id = ${project_id} and r.voucher_id = t.voucher_id and r.id <> t.id
      and right(r.id, 7) = right(t.related_transaction_id, 7)`.execute(db)
}
