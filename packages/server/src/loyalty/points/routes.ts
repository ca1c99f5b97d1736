import type { Ctx } from '../../core/context.ts'
import { numbersRead } from '../../core/http/numeric-text.ts'
import { operation } from '../../core/http/operation.ts'
import { Voucher } from '../../incentives/vouchers/schema.ts'
import type { StoredVoucher } from '../../incentives/vouchers/voucher.ts'
import { redeemAlone } from '../../redemptions/redeem.ts'
import { redeem_errors } from '../../redemptions/redeem-errors.ts'
import { ExplainedRedemption } from '../../redemptions/redeem-schema.ts'
import { getMember, getProgram } from '../programs/store.ts'
import { adjustPoints } from './adjust.ts'
import { activatePendingPoints, adjustPendingPoints, cancelPendingPoints } from './change-pending.ts'
import { estimatePoints } from './estimate.ts'
import {
  AdjustPendingPoints,
  AdjustPoints,
  adjustPendingPointsShape,
  adjustPointsShape,
  EstimatePoints,
  PendingPointsBalance,
  PointsBalance,
  PointsEstimation,
  RedeemReward,
  TransferPoints,
  transferPointsShape,
} from './schema.ts'
import { transferPoints } from './transfer.ts'

const adjustmentOf = numbersRead(adjustPointsShape)
const pendingAdjustmentOf = numbersRead(adjustPendingPointsShape)
const transfersOf = numbersRead(transferPointsShape)

/** A card by itself, and one of a program that the path names too. */
const member = (ctx: Ctx, { params }: { params: { memberId: string } }) => getMember(ctx, params.memberId)
const memberOf = async (ctx: Ctx, { params }: { params: { campaignId: string; memberId: string } }) =>
  getMember(ctx, params.memberId, await getProgram(ctx, params.campaignId))

const adjusting = {
  body: AdjustPoints,
  reply: PointsBalance,
  errors: [
    'invalid_payload',
    'invalid_amount',
    'missing_param',
    'invalid_expiration_date',
    'loyalty_card_points_exceeded',
    'not_published',
    'duplicate_source_id',
    'multiple_requests',
    'not_found',
  ],
  description:
    'Points that are added expire by the rules of the program, on a day that is given, or never. A negative number takes points, those that expire first before the others.',
} as const

const pending_errors = ['invalid_pending_points_state', 'not_published', 'multiple_requests', 'not_found'] as const

const redeeming = {
  body: RedeemReward,
  reply: ExplainedRedemption,
  errors: redeem_errors,
  saves: true,
  description:
    'Takes the points of the reward off the card and gives the reward: a code is published, another card is topped up, an order is paid, or goods wait to be sent.',
} as const

export const loyalty = [
  operation({
    id: 'activateMemberPendingPoints',
    method: 'POST',
    path: '/v1/loyalties/members/{memberId}/pending-points/{pendingPointsId}/activate',
    summary: 'Activate pending points of a member',
    reply: PointsBalance,
    errors: pending_errors,
    target: member,
    run: (ctx, { target, params }) => activatePendingPoints(ctx, target, params.pendingPointsId),
  }),
  operation({
    id: 'adjustMemberPendingPoints',
    method: 'POST',
    path: '/v1/loyalties/members/{memberId}/pending-points/{pendingPointsId}/balance',
    summary: 'Adjust pending points of a member',
    body: AdjustPendingPoints,
    reply: PendingPointsBalance,
    errors: [...pending_errors, 'invalid_amount', 'invalid_payload'],
    target: member,
    run: (ctx, { target, params, body }) =>
      adjustPendingPoints(ctx, target, params.pendingPointsId, pendingAdjustmentOf(body).points),
  }),
  operation({
    id: 'cancelMemberPendingPoints',
    method: 'POST',
    path: '/v1/loyalties/members/{memberId}/pending-points/{pendingPointsId}/cancel',
    summary: 'Cancel pending points of a member',
    reply: null,
    errors: pending_errors,
    target: member,
    run: (ctx, { target, params }) => cancelPendingPoints(ctx, target, params.pendingPointsId),
  }),
  operation({
    id: 'adjustMemberBalance',
    method: 'POST',
    path: '/v1/loyalties/members/{memberId}/balance',
    summary: 'Adjust the points of a member',
    ...adjusting,
    target: member,
    run: (ctx, { target, body }) => adjustPoints(ctx, target, adjustmentOf(body), { source: null }),
  }),
  operation({
    id: 'adjustProgramMemberBalance',
    method: 'POST',
    path: '/v1/loyalties/{campaignId}/members/{memberId}/balance',
    summary: 'Adjust the points of a member of a program',
    ...adjusting,
    target: memberOf,
    run: (ctx, { target, body }) => adjustPoints(ctx, target, adjustmentOf(body), { source: null }),
  }),
  operation({
    id: 'transferMemberPoints',
    method: 'POST',
    path: '/v1/loyalties/{campaignId}/members/{memberId}/transfers',
    summary: 'Transfer points from other cards to this one',
    body: TransferPoints,
    reply: Voucher,
    errors: [
      'invalid_payload',
      'not_published',
      'loyalty_card_points_exceeded',
      'duplicate_source_id',
      'multiple_requests',
      'not_found',
    ],
    target: memberOf,
    run: (ctx, { target, body }) => transferPoints(ctx, target, transfersOf(body)),
  }),
  operation({
    id: 'redeemMemberReward',
    method: 'POST',
    path: '/v1/loyalties/members/{memberId}/redemption',
    summary: 'Redeem a reward',
    ...redeeming,
    target: member,
    run: (ctx, { target, body }) => redeemReward(ctx, target, body),
  }),
  operation({
    id: 'redeemProgramMemberReward',
    method: 'POST',
    path: '/v1/loyalties/{campaignId}/members/{memberId}/redemption',
    summary: 'Redeem a reward of a program',
    ...redeeming,
    target: memberOf,
    run: (ctx, { target, body }) => redeemReward(ctx, target, body),
  }),
  operation({
    id: 'estimatePoints',
    method: 'POST',
    path: '/v1/loyalties/{campaignId}/qualifications',
    summary: 'Estimate the points of an order',
    description: 'What the order would earn in this program if it were paid now; nothing changes.',
    body: EstimatePoints,
    reply: PointsEstimation,
    errors: [
      'invalid_payload',
      'campaign_not_active',
      'loyalty_card_not_active',
      'campaign_not_allow_auto_join',
      'not_found',
    ],
    writes: false,
    target: (ctx, { params }) => getProgram(ctx, params.campaignId),
    run: (ctx, { target, body }) => estimatePoints(ctx, target, body),
  }),
]

function redeemReward(ctx: Ctx, { id }: StoredVoucher, { reward, order, metadata }: RedeemReward) {
  return redeemAlone(
    ctx,
    { ...(order == null ? {} : { order }), ...(metadata == null ? {} : { metadata }) },
    { object: 'voucher', id, ...(reward == null ? {} : { reward }) },
  )
}
