import type { Outcome } from '@guerdon/engine/schema'
import { toSimpleCustomer } from '../audience/customers/customer.ts'
import { explained, resultOf } from '../checkout/decision/results.ts'
import type { Ctx } from '../core/context.ts'
import type { RedemptionsAnswer } from './redeem-schema.ts'
import { wholeOrder } from './redeemed-order.ts'
import type { Redeemed } from './redeemed-part.ts'
import { redeemedTier } from './redeemed-tier.ts'
import { shownVoucher } from './redeemed-voucher.ts'
import { toRedemption } from './redemption.ts'

/** What was redeemed together, as it is answered (docs/reference/redemptions.md#answer). */
export function answerOf(ctx: Ctx, { it, verdict, who, order, parent, children }: Redeemed): RedemptionsAnswer {
  const customer = who.customer && toSimpleCustomer(who.customer)
  const { expand } = it.request
  const showsOrder = expand === null || expand.has('order') || children.length === 1
  const of = (status: Outcome['status']) =>
    verdict.redeemables.filter((one) => one.status === status).map((one) => resultOf(ctx, it, one, []))
  return {
    redemptions: children.map(({ row, candidate, outcome, code }) => ({
      ...toRedemption(showsOrder ? row : { ...row, order: null }, {
        customer,
        voucher: code === null ? null : shownVoucher(ctx, it, candidate, code.after),
        promotion_tier: candidate.tier === null ? null : redeemedTier(it, candidate, outcome),
      }),
      ...explained(outcome),
    })),
    ...(parent === null
      ? {}
      : { parent_redemption: toRedemption(parent, { customer, voucher: null, promotion_tier: null }) }),
    order: order === null ? null : wholeOrder(order),
    inapplicable_redeemables: of('INAPPLICABLE'),
    skipped_redeemables: of('SKIPPED'),
  }
}
