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
import { conversionTermsOf } from './conversion-terms.ts'
import { refereeEvent } from './referee-event.ts'

/** A referral code that a customer redeemed. */
export interface RedeemedReferralCode {
  configuration: Configuration
  program: ConfiguredCampaign
  /** The code after the redemption. */
  code: StoredVoucher
  /** Whether the customer held the code before the redemption. */
  was_held: boolean
  /** Whether the conversion waits until the order is paid, since only a page says that it will be. */
  waits: boolean
  redemption_id: string
  /** The redemption as events show it. */
  redemption: SimpleRedemption
}

/**
 * Converts the customer who redeemed referral codes (docs/reference/referrals.md#conversion). The redemption is already written
 * and has locked the customer and the referrers.
 */
export async function convertRedemption(
  ctx: Ctx,
  customer: StoredCustomer,
  redeemed: readonly RedeemedReferralCode[],
  cascade: CascadeState,
): Promise<void> {
  for (const redeemedCode of redeemed) {
    await emitHolderCreated(ctx, redeemedCode, customer)
    if (!redeemedCode.waits) await convertCode(ctx, redeemedCode, customer, cascade)
  }
}

/** Emits the event of a new holder: a redemption makes the customer a holder of the code, whether or not it converts. */
async function emitHolderCreated(
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

async function convertCode(
  ctx: Ctx,
  { configuration, program, code, redemption_id, redemption }: RedeemedReferralCode,
  customer: StoredCustomer,
  cascade: CascadeState,
): Promise<void> {
  const referrerId = referrerIdOf(code)
  if (referrerId === null || conversionTermsOf(program).conversion_event_type !== 'redemption') return
  // Reloaded: other statements may have written to both rows since they were read.
  const customers = await listCustomersById(ctx, [referrerId, customer.id], { lock: true })
  const referrer = customers.find(({ id }) => id === referrerId)
  const referee = customers.find(({ id }) => id === customer.id)
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
    cascade,
  )
}
