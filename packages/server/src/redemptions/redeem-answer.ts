import type { Outcome } from '@guerdon/engine/schema'
import { toSimpleCustomer } from '../audience/customers/customer.ts'
import { explained, resultOf } from '../checkout/decision/results.ts'
import type { Ctx } from '../core/context.ts'
import type { RedemptionsAnswer } from './redeem-schema.ts'
import type { Redeemed } from './redeemed-part.ts'
import { redeemedTier } from './redeemed-tier.ts'
import { shownVoucher } from './redeemed-voucher.ts'
import { toRedemption } from './redemption.ts'

/** The response to a redemption (docs/reference/redemptions.md#answer). */
export function redeemAnswerOf(
  ctx: Ctx,
  { checkout, verdict, redeemer, order, parent, children }: Redeemed,
): RedemptionsAnswer {
  const customer = redeemer.customer && toSimpleCustomer(redeemer.customer)
  const { expand } = checkout.request
  const showsOrder = expand === null || expand.has('order') || children.length === 1
  const resultsWith = (status: Outcome['status']) =>
    verdict.redeemables
      .filter((outcome) => outcome.status === status)
      .map((outcome) => resultOf(ctx, checkout, outcome, []))
  return {
    redemptions: children.map(({ row, candidate, outcome, code }) => ({
      ...toRedemption(showsOrder ? row : { ...row, order: null }, {
        customer,
        voucher: code === null ? null : shownVoucher(ctx, checkout, candidate, code.after),
        promotion_tier: candidate.tier === null ? null : redeemedTier(checkout, candidate, outcome),
      }),
      ...explained(outcome),
    })),
    ...(parent === null
      ? {}
      : { parent_redemption: toRedemption(parent, { customer, voucher: null, promotion_tier: null }) }),
    order: order === null ? null : ((parent ?? children[0]?.row)?.order as RedemptionsAnswer['order']),
    inapplicable_redeemables: resultsWith('INAPPLICABLE'),
    skipped_redeemables: resultsWith('SKIPPED'),
  }
}
