import type { StoredCustomer } from '../../audience/customers/customer.ts'
import { listCustomersById } from '../../audience/customers/store.ts'
import type { Ctx } from '../../core/context.ts'
import { emitMany } from '../../core/events/emit.ts'
import type { Redeemed, RedeemedPart } from '../../redemptions/redeemed-part.ts'
import { simpleRedemption } from '../../redemptions/tell.ts'
import { simpleCampaign } from '../points/campaign-view.ts'
import type { Chain } from '../points/card.ts'
import { convert, referrerIdOf } from './conversion.ts'
import { findHolder } from './conversion-store.ts'
import { termsOf } from './conversion-terms.ts'
import { refereeEvent } from './referee-event.ts'

/**
 * Notes whom a redemption of referral codes referred (docs/reference/referrals.md#conversion). It is written already, and has
 * locked whoever redeemed and whose codes they are.
 */
export async function convertRedemption(ctx: Ctx, redeemed: Redeemed, chain: Chain): Promise<void> {
  const { customer } = redeemed.who
  if (customer === null) return
  for (const part of redeemed.children) {
    if (part.code?.voucher.is_referral_code !== true) continue
    await tellAssigned(ctx, redeemed, part, customer)
    await convertBy(ctx, redeemed, part, customer, chain)
  }
}

/** Whoever has not held the code before holds it by the redemption, whether or not that converts. */
async function tellAssigned(
  ctx: Ctx,
  { it }: Redeemed,
  { code, candidate: { campaign } }: RedeemedPart,
  customer: StoredCustomer,
): Promise<void> {
  if (code === null || campaign === null || it.loaded.held_codes.includes(code.voucher.id)) return
  const holder = await findHolder(ctx, { voucher_id: code.voucher.id, customer_id: customer.id })
  if (holder === undefined) return
  await emitMany(ctx, [
    refereeEvent('created', holder, {
      campaign: simpleCampaign(it.loaded.configuration, campaign),
      code: code.after,
      customer,
    }),
  ])
}

async function convertBy(
  ctx: Ctx,
  { it, who, order }: Redeemed,
  { row, code, candidate }: RedeemedPart,
  customer: StoredCustomer,
  chain: Chain,
): Promise<void> {
  const { campaign } = candidate
  const referrer_id = code && referrerIdOf(code.after)
  if (code === null || campaign === null || referrer_id === null) return
  if (termsOf(campaign).conversion_event_type !== 'redemption') return
  // Both as they are by now: others may have written to their rows since they were read.
  const people = await listCustomersById(ctx, [referrer_id, customer.id], { lock: true })
  const referrer = people.find(({ id }) => id === referrer_id)
  const referee = people.find(({ id }) => id === customer.id)
  if (referrer === undefined || referee === undefined) return
  const redemption = simpleRedemption({ it, customer: who.customer, order }, row, { candidate, voucher: code.after })
  await convert(
    ctx,
    {
      configuration: it.loaded.configuration,
      program: campaign,
      campaign: simpleCampaign(it.loaded.configuration, campaign),
      code: code.after,
      referrer,
      referee,
      by: { id: row.id, type: 'redemption', redemption, custom_event: null },
    },
    chain,
  )
}
