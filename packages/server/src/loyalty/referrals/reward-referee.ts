import { toSimpleCustomer } from '../../audience/customers/customer.ts'
import type { Ctx } from '../../core/context.ts'
import { emit } from '../../core/events/emit.ts'
import { toSimpleVoucher } from '../../incentives/vouchers/voucher.ts'
import type { CascadeState } from '../points/card.ts'
import { issueReward } from '../points/issue.ts'
import { applyMemberChanges } from '../points/member-changes.ts'
import { inSavepointOrNull } from '../points/savepoint.ts'
import { type Conversion, conversionTermsOf } from './conversion-terms.ts'

/**
 * Issues the program's reward for the referee, credits or points, if it has one (docs/reference/referrals.md#conversion, step
 * 4).
 */
export async function rewardReferee(ctx: Ctx, conversion: Conversion, cascade: CascadeState): Promise<void> {
  const { program, campaign, code, referrer, referee, by } = conversion
  const { referee_reward } = conversionTermsOf(program)
  if (referee_reward === undefined) return
  const { related_object_parent, type, amount } = referee_reward
  const parameters = { campaign: { id: related_object_parent.id, balance: amount, type: campaignTypes[type] } }
  const issued = await inSavepointOrNull(ctx, () =>
    issueReward(ctx, { customer: referee, reward: { type: 'CAMPAIGN', parameters } }),
  )
  if (issued === null) return
  await emit(ctx, 'customer.rewarded', referee.id, {
    customer: toSimpleCustomer(referee),
    holder: toSimpleCustomer(referrer),
    voucher: toSimpleVoucher(code),
    campaign,
    redemption: by.redemption,
    reward: null,
    referral_tier: null,
    balance: issued.balance,
    custom_event: by.custom_event,
    customer_event: null,
  })
  if (issued.rewardCredit !== null)
    await applyMemberChanges(ctx, referee.id, { rewardCredits: [issued.rewardCredit], cascade })
}

const campaignTypes = { LOYALTY_CARD: 'LOYALTY_PROGRAM', GIFT_VOUCHER: 'GIFT_VOUCHERS' } as const
