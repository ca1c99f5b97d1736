import { sql } from 'kysely'
import { toSimpleCustomer } from '../../audience/customers/customer.ts'
import { findCustomerById } from '../../audience/customers/store.ts'
import { saveCheckout } from '../../checkout/decision/save.ts'
import type { Ctx } from '../../core/context.ts'
import type { LoyaltyMove } from '../../core/db/checkout-changes.ts'
import { emit } from '../../core/events/emit.ts'
import { newId } from '../../core/lib/ids.ts'
import type { StoredVoucher } from '../../incentives/vouchers/voucher.ts'
import { simpleCampaign } from './campaign-view.ts'
import { findCard, type LoyaltyUnitOfWork, momentNow } from './card.ts'
import { creditTierEarnings } from './cascade.ts'
import { applyDueChanges } from './due-changes.ts'
import { leaveTier } from './tiers.ts'
import { lockAndLoadMembers, saveMembers } from './unit-of-work.ts'

/**
 * Removes a card that is about to be deleted from its program
 * (docs/reference/loyalty-programs.md#rollback-cancellation-and-deletion): cancels its pending points, ends the tier of its
 * holder, and removes the program from the holder's row. The holder is locked before the card, as everywhere.
 */
export async function leaveProgram(
  ctx: Ctx,
  { id, type, holder_id }: Pick<StoredVoucher, 'id' | 'type' | 'holder_id'>,
) {
  if (type !== 'LOYALTY_CARD' || holder_id === null) return
  const work = await lockAndLoadMembers(ctx, [holder_id])
  await applyDueChanges(work)
  const card = findCard(work, id)
  if (card === undefined) return
  const { person, program } = card
  const tierChanges = leaveTier(work, card)
  // Leaving the tier must not pay on this card, nor on another card of its program.
  person.cards = person.cards.filter((other) => other !== card)
  work.cascade.closed.add(program.campaign.id)
  await creditTierEarnings(work, tierChanges, momentNow(ctx))
  dropCard(work, id)
  await saveMembers(work)
  await forgetMembers(ctx, [id])
  const customer = await findCustomerById(ctx, holder_id)
  if (customer === undefined) return
  await emit(ctx, 'customer.loyalty.updated', customer.id, {
    customer: toSimpleCustomer(customer),
    campaign: simpleCampaign(work.configuration, program.campaign),
    loyalty: customer.loyalty,
    created_at: ctx.now,
  })
}

/** Removes the card from the unit of work: a reload may have brought it back. */
function dropCard({ people }: LoyaltyUnitOfWork, id: string): void {
  for (const person of people.values()) person.cards = person.cards.filter(({ voucher }) => voucher.id !== id)
}

/**
 * The same for many cards of a program that is deleted with them; emits no events
 * (docs/reference/campaigns.md#delete-a-campaign).
 */
export async function forgetMembers(ctx: Ctx, voucherIds: readonly string[]): Promise<void> {
  const { db, project_id, now } = ctx
  const { rows } = await sql<{ customer_id: string; name: string }>`
    select m.customer_id, c.name from loyalty_members m
    join campaigns c on c.project_id = m.project_id and c.id = m.campaign_id
    where m.project_id = ${project_id} and m.voucher_id = any(${voucherIds}::text[])`.execute(db)
  if (rows.length === 0) return
  const gone: LoyaltyMove = { gone: true }
  const ids = rows.map(({ customer_id }) => customer_id)
  await sql`select 1 from customers where project_id = ${project_id} and id = any(${ids}::text[]) order by id for update`.execute(
    db,
  )
  await sql`
    update customers c set loyalty = add_to_loyalty(c.loyalty, m.moves)
    from unnest(${ids}::text[], ${rows.map(({ name }) => JSON.stringify({ [name]: gone }))}::jsonb[])
      as m (customer_id, moves)
    where c.project_id = ${project_id} and c.id = m.customer_id`.execute(db)
  const canceledEntries = await db
    .updateTable('pending_points')
    .set({ status: 'CANCELED', updated_at: now })
    .where('project_id', '=', project_id)
    .where(sql<boolean>`voucher_id = any(${voucherIds}::text[])`)
    .where('status', '=', 'PENDING')
    .returning(['id', 'voucher_id', 'points', 'activates_at'])
    .execute()
  await saveCheckout(ctx, db, {
    postings: canceledEntries.map(({ id, voucher_id, points, activates_at }) => ({
      voucher_id,
      id: newId('posting', Date.parse(now)),
      transaction_id: null,
      source: 'pending',
      destination: 'issued',
      amount: points,
      lot_id: id,
      expires_at: activates_at,
      created_at: now,
    })),
  })
  await sql`update vouchers set credits_pending = 0 where project_id = ${project_id}
    and id = any(${[...new Set(canceledEntries.map(({ voucher_id }) => voucher_id))]}::text[])`.execute(db)
  await sql`delete from loyalty_members where project_id = ${project_id} and voucher_id = any(${voucherIds}::text[])`.execute(
    db,
  )
}
