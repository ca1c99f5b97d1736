import type { Applicable } from '@guerdon/engine/schema'
import { clientView } from '../audience/customers/client-view.ts'
import type { Ctx } from '../core/context.ts'
import { operation, operationPair } from '../core/http/operation.ts'
import type { StoredVoucher } from '../incentives/vouchers/voucher.ts'
import { getMemberIn } from '../loyalty/programs/store.ts'
import { redeem, redeemSingle } from './redeem.ts'
import { redeemErrors } from './redeem-errors.ts'
import {
  ClientRedemptionsAnswer,
  ClientSingleRedemptionAnswer,
  RedeemQuery,
  RedeemReward,
  RedeemVoucherQuery,
  RedemptionBody,
  RedemptionsAnswer,
  SingleRedemptionAnswer,
  SingleRedemptionBody,
} from './redeem-schema.ts'
import type { Redemption } from './schema.ts'

const stackedErrors = [
  ...redeemErrors,
  'duplicated_redeemables',
  'invalid_redeemables',
  'no_effect',
  'exclusion_rules_not_met',
  'preceding_validation_failed',
  'applicable_redeemables_limit_exceeded',
  'applicable_redeemables_per_category_limit_exceeded',
  'applicable_exclusive_redeemables_limit_exceeded',
  'applicable_exclusive_redeemables_per_category_limit_exceeded',
] as const

const description =
  'Redeems what applies, all together or not at all: codes, balances, counters, the order and the customer change in one transaction, before the answer. A refusal is remembered as a failed redemption.'

const single = {
  body: SingleRedemptionBody,
  reply: SingleRedemptionAnswer,
  errors: redeemErrors,
  saves: true,
  redeems: true,
  description,
} as const

export const redeeming = [
  ...operationPair({
    id: 'redeem',
    method: 'POST',
    path: '/v1/redemptions',
    summary: 'Redeem stackable discounts',
    second: {
      id: 'redeemOnClient',
      path: '/client/v1/redemptions',
      for_pages: { reply: ClientRedemptionsAnswer, view: clientView },
      flag: 'client_redeem_enabled',
    },
    body: RedemptionBody,
    reply: RedemptionsAnswer,
    errors: stackedErrors,
    saves: true,
    redeems: true,
    description,
    run: (ctx, { body }) => redeem(ctx, body),
  }),
  operation({
    id: 'redeemVoucher',
    method: 'POST',
    path: '/v1/vouchers/{code}/redemption',
    summary: 'Redeem a voucher',
    query: RedeemVoucherQuery,
    ...single,
    errors: [...redeemErrors, 'invalid_query_params'],
    run: (ctx, { params, query, body }) => redeemVoucher(ctx, params.code, query.tracking_id, body),
  }),
  operation({
    id: 'redeemVoucherOnClient',
    deprecated: true,
    method: 'POST',
    path: '/client/v1/redeem',
    summary: 'Redeem a voucher',
    query: RedeemQuery,
    ...single,
    for_pages: { reply: ClientSingleRedemptionAnswer, view: clientView },
    errors: [...redeemErrors, 'invalid_query_params'],
    flag: 'client_redeem_enabled',
    run: (ctx, { query, body }) => redeemVoucher(ctx, query.code, query.tracking_id, body),
  }),
  ...operationPair({
    id: 'redeemPromotionTier',
    method: 'POST',
    path: '/v1/promotions/tiers/{promotionTierId}/redemption',
    summary: 'Redeem a promotion tier',
    second: {
      id: 'redeemPromotionTierOnClient',
      path: '/client/v1/promotions/tiers/{promotionTierId}/redemption',
      deprecated: true,
      for_pages: { reply: ClientSingleRedemptionAnswer, view: clientView },
      flag: 'client_redeem_enabled',
    },
    ...single,
    run: (ctx, { params, body }) => redeemSingle(ctx, body, { object: 'promotion_tier', id: params.promotionTierId }),
  }),
  ...operationPair({
    id: 'redeemMemberReward',
    method: 'POST',
    path: '/v1/loyalties/members/{memberId}/redemption',
    summary: 'Redeem a reward',
    second: {
      id: 'redeemProgramMemberReward',
      path: '/v1/loyalties/{campaignId}/members/{memberId}/redemption',
      summary: 'Redeem a reward of a program',
    },
    body: RedeemReward,
    reply: SingleRedemptionAnswer,
    errors: redeemErrors,
    saves: true,
    redeems: true,
    description:
      'Takes the points of the reward off the card and gives the reward: a code is published, another card is topped up, an order is paid, or goods wait to be sent.',
    target: (ctx, { params }) => getMemberIn(ctx, params),
    run: (ctx, { target, body }) => redeemReward(ctx, target, body),
  }),
]

/** The response also shows what the voucher applied to (docs/reference/validations.md#one-voucher). */
function redeemVoucher(
  ctx: Ctx,
  code: string,
  trackingId: string | undefined,
  { gift, reward, ...body }: Parameters<typeof redeemSingle>[1] & { gift?: object | null; reward?: object | null },
) {
  const covered = (
    { voucher, ...redemption }: Redemption,
    { applicable_to, inapplicable_to }: Applicable,
  ): Redemption => ({
    ...redemption,
    voucher: voucher && { ...voucher, applicable_to, inapplicable_to },
  })
  return redeemSingle(
    ctx,
    { ...body, ...(trackingId === undefined ? {} : { tracking_id: trackingId }) },
    { object: 'voucher', id: code, gift: gift ?? null, reward: reward ?? null },
    covered,
  )
}

function redeemReward(ctx: Ctx, { id }: StoredVoucher, { reward, order, metadata }: RedeemReward) {
  return redeemSingle(
    ctx,
    { ...(order == null ? {} : { order }), ...(metadata == null ? {} : { metadata }) },
    { object: 'voucher', id, ...(reward == null ? {} : { reward }) },
  )
}
