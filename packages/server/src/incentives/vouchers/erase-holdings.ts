import { sql } from 'kysely'
import type { StoredCustomer } from '../../audience/customers/customer.ts'
import type { Ctx } from '../../core/context.ts'
import { deleteEvents } from '../../core/events/delete-events.ts'
import { destroyVouchers, removeVoucher } from './remove.ts'
import { listVouchersById } from './store.ts'

/**
 * Removes everything that an erased customer held (docs/reference/customers.md#endpoints;
 * docs/reference/loyalty-programs.md#rollback-cancellation-and-deletion): deletes events about it and its loyalty cards
 * with their points, clears the holder of its other vouchers and the customer of its publications. The vouchers stay
 * published, so that no other customer gets them. Returns the number of deleted events.
 */
export async function eraseHoldings(ctx: Ctx, id: StoredCustomer['id']): Promise<number> {
  const { db, project_id } = ctx
  const events = await deleteEvents(
    db,
    project_id,
    sql`events.entity_id = telling.entity_id
      and (events.type in ('publication.succeeded', 'voucher.published', 'voucher.gift.transaction.created')
        or events.type like 'voucher.loyalty_card.%')`,
    sql`(
      select id as entity_id from publications where project_id = ${project_id} and customer_id = ${id}
      union all
      select voucher_id from holders where project_id = ${project_id} and customer_id = ${id} and role <> 'REFEREE'
    ) as telling`,
  )
  await destroyCards(ctx, id)
  await sql`update publications set customer_id = null where project_id = ${project_id} and customer_id = ${id}`.execute(
    db,
  )
  await sql`
    update vouchers set holder_id = null, referrer_id = nullif(referrer_id, ${id})
    where project_id = ${project_id} and holder_id = ${id}`.execute(db)
  await sql`delete from holders where project_id = ${project_id} and customer_id = ${id}`.execute(db)
  await eraseReferrals(ctx, id)
  return events.length
}

/** Deletes referrals by and of the customer, and the rewards for them. */
async function eraseReferrals({ db, project_id }: Ctx, id: StoredCustomer['id']): Promise<void> {
  await sql`delete from reward_redemptions where project_id = ${project_id} and customer_id = ${id}`.execute(db)
  // Remove the customer from the referees that it referred.
  await sql`
    update customers c set referrals = (
      select jsonb_build_object('total', count(*), 'campaigns', coalesce(jsonb_agg(value order by place), '[]'))
      from jsonb_array_elements(c.referrals->'campaigns') with ordinality as each (value, place)
      where value->>'referrer_id' <> ${id})
    where project_id = ${project_id} and id in (
      select referee_id from referral_conversions where project_id = ${project_id} and referrer_id = ${id})`.execute(db)
  // Programs and their tiers are few: each is looked up by its key.
  await sql`delete from referral_conversions where project_id = ${project_id} and referrer_id = ${id}
    and campaign_id in (select id from campaigns where project_id = ${project_id} and campaign_type = 'REFERRAL_PROGRAM')`.execute(
    db,
  )
  await sql`delete from referral_conversions where project_id = ${project_id} and referee_id = ${id}`.execute(db)
  await sql`delete from referral_grants where project_id = ${project_id} and referrer_id = ${id}
    and tier_id in (select id from referral_tiers where project_id = ${project_id})`.execute(db)
}

/** Includes cards in the bin or of a campaign in the bin, which already count as deleted. */
async function destroyCards(ctx: Ctx, id: StoredCustomer['id']): Promise<void> {
  const cards = await ctx.db
    .selectFrom('vouchers')
    .where('project_id', '=', ctx.project_id)
    .where('holder_id', '=', id)
    .where('type', '=', 'LOYALTY_CARD')
    .orderBy('id')
    .select(['id', 'campaign_id'])
    .execute()
  // As everywhere, lock the campaigns before the cards; this waits for a campaign that is being deleted.
  const campaignIds = [...new Set(cards.flatMap(({ campaign_id }) => campaign_id ?? []))]
  await sql`select 1 from campaigns where project_id = ${ctx.project_id} and id = any(${campaignIds}::text[])
    order by id for key share`.execute(ctx.db)
  const ids = cards.map((card) => card.id)
  for (const card of await listVouchersById(ctx, ids)) await removeVoucher(ctx, card, true)
  await destroyVouchers(ctx, ids)
}
