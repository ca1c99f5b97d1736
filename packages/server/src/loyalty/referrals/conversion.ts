import { type StoredCustomer, toSimpleCustomer } from '../../audience/customers/customer.ts'
import { saveCheckout } from '../../checkout/decision/save.ts'
import type { Ctx } from '../../core/context.ts'
import type { LoyaltyMove } from '../../core/db/checkout-changes.ts'
import type { NewEvent } from '../../core/events/emit.ts'
import { newId } from '../../core/lib/ids.ts'
import { figureTallies } from '../../incentives/campaigns/summary-figures.ts'
import { type StoredVoucher, toSimpleVoucher } from '../../incentives/vouchers/voucher.ts'
import type { CascadeState } from '../points/card.ts'
import { addToLoyalty } from '../points/unit-of-work.ts'
import { insertConversion } from './conversion-store.ts'
import type { Conversion, ConvertingProgram } from './conversion-terms.ts'
import { grantTiers } from './grant.ts'
import { refereeEvent } from './referee-event.ts'
import { rewardReferee } from './reward-referee.ts'
import { insertHolders, type StoredHolder } from './store.ts'

/** The referrer of a code: its holder, else the referrer recorded on it. */
export const referrerIdOf = ({
  holder_id,
  referrer_id,
}: Pick<StoredVoucher, 'holder_id' | 'referrer_id'>): StoredCustomer['id'] | null => holder_id ?? referrer_id

/**
 * Records a conversion and rewards referrer and referee, unless the referee is already counted
 * (docs/reference/referrals.md#conversion, steps 3 to 5).
 */
export async function convert(ctx: Ctx, conversion: Conversion, cascade: CascadeState): Promise<void> {
  const { program, code, referrer, referee, by } = conversion
  const referral = {
    campaign_id: program.id,
    referrer_id: referrer.id,
    related_object_id: by.id,
    related_object_type: by.type,
  }
  const inserted = await insertConversion(ctx, {
    ...referral,
    referee_id: referee.id,
    voucher_id: code.id,
    created_at: ctx.now,
  })
  if (inserted === null) return
  // A redemption has already made the customer a holder; a custom event has not.
  const [holder] = by.type === 'redemption' ? [] : await insertHolders(ctx, [newReferee(ctx, conversion)])
  await saveCheckout(ctx, ctx.db, {
    customers: [
      { id: referrer.id, loyalty: oneMoreReferee(program) },
      { id: referee.id, referred: { ...referral, date: ctx.now } },
    ],
    tallies: figureTallies(ctx, program.id, { referred_customers: 1 }),
    segment_checks: [referrer.id, referee.id],
    events: eventsOf(ctx, conversion, holder),
  })
  // A referee who converts again after a rollback has kept the first reward.
  if (inserted.earlier.length === 0) await rewardReferee(ctx, conversion, cascade)
  await grantTiers(ctx, conversion, inserted.earlier, cascade)
}

const oneMoreReferee = ({ name }: ConvertingProgram): Record<string, Exclude<LoyaltyMove, { gone: true }>> => ({
  [name]: { referred_customers: 1 },
})

const newReferee = (
  { now }: Ctx,
  { program, code, referee }: Conversion,
): Parameters<typeof insertHolders>[1][number] => ({
  id: newId('holder', Date.parse(now)),
  voucher_id: code.id,
  customer_id: referee.id,
  campaign_id: program.id,
  role: 'REFEREE',
  publication_id: null,
  created_at: now,
  metadata: null,
})

function eventsOf(ctx: Ctx, conversion: Conversion, holder: StoredHolder | undefined): NewEvent[] {
  const { program, campaign, code, referrer, referee, by } = conversion
  const { redemption, custom_event } = by
  return [
    ...(holder === undefined ? [] : [refereeEvent('created', holder, { campaign, code, customer: referee })]),
    {
      type: 'customer.referred',
      entity_id: referee.id,
      data: {
        customer: toSimpleCustomer(referee),
        referrer: toSimpleCustomer(referrer),
        campaign,
        voucher: toSimpleVoucher(code),
        custom_event,
        redemption,
      },
    },
    {
      type: 'customer.loyalty.updated',
      entity_id: referrer.id,
      data: {
        customer: toSimpleCustomer(referrer),
        campaign,
        loyalty: addToLoyalty(referrer.loyalty, oneMoreReferee(program)),
        created_at: ctx.now,
      },
    },
  ]
}
