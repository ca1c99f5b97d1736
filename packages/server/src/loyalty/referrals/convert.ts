import type { StoredCustomer } from '../../audience/customers/customer.ts'
import { listCustomersById } from '../../audience/customers/store.ts'
import type { Configuration, ConfiguredCampaign } from '../../core/configuration/configuration.ts'
import type { Ctx } from '../../core/context.ts'
import { emitMany } from '../../core/events/emit.ts'
import type { SimpleRedemption } from '../../core/events/shapes.ts'
import type { StoredVoucher } from '../../incentives/vouchers/voucher.ts'
import { simpleCampaign } from '../points/campaign-view.ts'
import type { CascadeState } from '../points/card.ts'
import { convert, referrerIdOf } from './conversion.ts'
import { findHolder } from './conversion-store.ts'
import { termsOf } from './conversion-terms.ts'
import { refereeEvent } from './referee-event.ts'

/** A referral code that a customer redeemed. */
export interface RedeemedReferralCode {
  configuration: Configuration
  program: ConfiguredCampaign
  /** As the redemption left it. */
  code: StoredVoucher
  /** Whether the customer held the code before the redemption. */
  was_held: boolean
  redemption_id: string
  /** The redemption as events show it. */
  redemption: SimpleRedemption
}

/**
 * Notes whom a redemption of referral codes referred (docs/reference/referrals.md#conversion). It is written already, and has
 * locked whoever redeemed and whose codes they are.
 */
export async function convertRedemption(
  ctx: Ctx,
  customer: StoredCustomer,
  redeemed: readonly RedeemedReferralCode[],
  chain: CascadeState,
): Promise<void> {
  for (const one of redeemed) {
    await tellAssigned(ctx, one, customer)
    await convertBy(ctx, one, customer, chain)
  }
}

/** Whoever has not held the code before holds it by the redemption, whether or not that converts. */
async function tellAssigned(
  ctx: Ctx,
  { configuration, program, code, was_held }: RedeemedReferralCode,
  customer: StoredCustomer,
): Promise<void> {
  if (was_held) return
  const holder = await findHolder(ctx, { voucher_id: code.id, customer_id: customer.id })
  if (holder === undefined) return
  const campaign = simpleCampaign(configuration, program)
  await emitMany(ctx, [refereeEvent('created', holder, { campaign, code, customer })])
}

async function convertBy(
  ctx: Ctx,
  { configuration, program, code, redemption_id, redemption }: RedeemedReferralCode,
  customer: StoredCustomer,
  chain: CascadeState,
): Promise<void> {
  const referrerId = referrerIdOf(code)
  if (referrerId === null || termsOf(program).conversion_event_type !== 'redemption') return
  // Both as they are by now: others may have written to their rows since they were read.
  const people = await listCustomersById(ctx, [referrerId, customer.id], { lock: true })
  const referrer = people.find(({ id }) => id === referrerId)
  const referee = people.find(({ id }) => id === customer.id)
  if (referrer === undefined || referee === undefined) return
  await convert(
    ctx,
    {
      configuration,
      program,
      campaign: simpleCampaign(configuration, program),
      code,
      referrer,
      referee,
      by: { id: redemption_id, type: 'redemption', redemption, custom_event: null },
    },
    chain,
  )
}
