import { numbersRead } from '../../core/http/numeric-text.ts'
import { operation, operationPair } from '../../core/http/operation.ts'
import { AdjustBalance, BalanceAnswer, Voucher } from '../../incentives/vouchers/schema.ts'
import { getVoucher } from '../../incentives/vouchers/store.ts'
import { getMemberIn, getProgram } from '../programs/store.ts'
import { adjustPoints } from './adjust.ts'
import { adjustBalance } from './adjust-balance.ts'
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
  TransferPoints,
  transferPointsShape,
} from './schema.ts'
import { transferPoints } from './transfer.ts'

const adjustmentOf = numbersRead(adjustPointsShape)
const pendingAdjustmentOf = numbersRead(adjustPendingPointsShape)
const transfersOf = numbersRead(transferPointsShape)

const pendingErrors = ['invalid_pending_points_state', 'not_published', 'multiple_requests', 'not_found'] as const

export const loyalty = [
  operation({
    id: 'activateMemberPendingPoints',
    method: 'POST',
    path: '/v1/loyalties/members/{memberId}/pending-points/{pendingPointsId}/activate',
    summary: 'Activate pending points of a member',
    description: 'Puts the points on the card at once instead of on their day.',
    reply: PointsBalance,
    errors: pendingErrors,
    target: (ctx, { params }) => getMemberIn(ctx, params),
    run: (ctx, { target, params }) => activatePendingPoints(ctx, target, params.pendingPointsId),
  }),
  operation({
    id: 'adjustMemberPendingPoints',
    method: 'POST',
    path: '/v1/loyalties/members/{memberId}/pending-points/{pendingPointsId}/balance',
    summary: 'Adjust pending points of a member',
    description: 'Adds to points that are still pending, or takes from them; at least one must be left.',
    body: AdjustPendingPoints,
    reply: PendingPointsBalance,
    errors: [...pendingErrors, 'invalid_amount', 'invalid_payload'],
    target: (ctx, { params }) => getMemberIn(ctx, params),
    run: (ctx, { target, params, body }) =>
      adjustPendingPoints(ctx, target, params.pendingPointsId, pendingAdjustmentOf(body).points),
  }),
  operation({
    id: 'cancelMemberPendingPoints',
    method: 'POST',
    path: '/v1/loyalties/members/{memberId}/pending-points/{pendingPointsId}/cancel',
    summary: 'Cancel pending points of a member',
    description: 'The points will never be on the card.',
    reply: null,
    errors: pendingErrors,
    target: (ctx, { params }) => getMemberIn(ctx, params),
    run: (ctx, { target, params }) => cancelPendingPoints(ctx, target, params.pendingPointsId),
  }),
  ...operationPair({
    id: 'adjustMemberBalance',
    method: 'POST',
    path: '/v1/loyalties/members/{memberId}/balance',
    summary: 'Adjust the points of a member',
    second: {
      id: 'adjustProgramMemberBalance',
      path: '/v1/loyalties/{campaignId}/members/{memberId}/balance',
      summary: 'Adjust the points of a member of a program',
    },
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
    target: (ctx, { params }) => getMemberIn(ctx, params),
    run: (ctx, { target, body }) => adjustPoints(ctx, target, adjustmentOf(body), { source: null }),
  }),
  operation({
    id: 'adjustVoucherBalance',
    method: 'POST',
    path: '/v1/vouchers/{code}/balance',
    summary: 'Add to the balance of a card, or take from it',
    description:
      'Changes the credits of a gift card or the points of a loyalty card by hand, and keeps a transaction with the reason.',
    body: AdjustBalance,
    reply: BalanceAnswer,
    errors: [
      'invalid_payload',
      'invalid_add_balance_params',
      'gift_amount_exceeded',
      'loyalty_card_points_exceeded',
      'not_published',
      'duplicate_source_id',
      'not_found',
    ],
    target: (ctx, { params }) => getVoucher(ctx, params.code),
    run: (ctx, { target, body }) => adjustBalance(ctx, target, body),
  }),
  operation({
    id: 'transferMemberPoints',
    method: 'POST',
    path: '/v1/loyalties/{campaignId}/members/{memberId}/transfers',
    summary: 'Transfer points from other cards to this one',
    description:
      'Takes the points from each listed card and puts them on this one; the cards may belong to other programs and customers.',
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
    target: (ctx, { params }) => getMemberIn(ctx, params),
    run: (ctx, { target, body }) => transferPoints(ctx, target, transfersOf(body)),
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
