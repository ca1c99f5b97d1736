import { operation } from '../core/http/operation.ts'
import { limits } from '../core/lib/limits.ts'
import { getVoucher } from '../incentives/vouchers/store.ts'
import { pageOfRedemptions, redemptionsOfVoucher } from './list.ts'
import { rollBackRedemption, rollBackRedemptions } from './rollback.ts'
import { RedemptionRollbacks, RollBackRedemption, RollbackQuery } from './rollback-schema.ts'
import {
  RedemptionEntry,
  RedemptionList,
  RedemptionQuery,
  RedemptionRollback,
  VoucherRedemptionQuery,
  VoucherRedemptions,
} from './schema.ts'
import { showRedemption } from './show.ts'
import { getRedemption } from './store.ts'

const rollbackErrors = [
  'invalid_query_params',
  'not_found',
  'invalid_payload',
  'invalid_redemption',
  'invalid_redemption_parent',
  'invalid_customer',
  'invalid_order',
  'ambiguous_tracking_id',
  'metadata_validation_failed',
  'already_rolled_back',
  'multiple_requests',
] as const

export const redemptions = [
  operation({
    id: 'listRedemptions',
    method: 'GET',
    path: '/v1/redemptions',
    summary: 'List redemptions',
    description: 'Also those that failed, and rollbacks. What concerns a code or a campaign in the bin is not listed.',
    query: RedemptionQuery,
    reply: RedemptionList,
    errors: ['invalid_query_params'],
    run: (ctx, { query }) => pageOfRedemptions(ctx, query),
  }),
  operation({
    id: 'getRedemption',
    method: 'GET',
    path: '/v1/redemptions/{redemptionId}',
    summary: 'Get a redemption',
    description: 'Or a rollback. Its voucher, promotion tier and customer are shown as they are now.',
    reply: RedemptionEntry,
    errors: ['not_found'],
    run: async (ctx, { params }) => showRedemption(ctx, await getRedemption(ctx, params.redemptionId)),
  }),
  operation({
    id: 'getVoucherRedemption',
    method: 'GET',
    path: '/v1/vouchers/{code}/redemption',
    summary: 'Get the redemptions of a voucher',
    description: `The newest first, at most ${limits.voucher_redemptions_shown_max}; \`url\` leads to all of them, page by page.`,
    reply: VoucherRedemptions,
    errors: ['not_found'],
    run: async (ctx, { params }) => redemptionsOfVoucher(ctx, await getVoucher(ctx, params.code), null),
  }),
  operation({
    id: 'listVoucherRedemptions',
    method: 'GET',
    path: '/v1/vouchers/{code}/redemptions',
    summary: 'List the redemptions of a voucher',
    description: 'Redemptions and rollbacks of one code, page by page, and how often it can still be redeemed.',
    query: VoucherRedemptionQuery,
    reply: VoucherRedemptions,
    errors: ['not_found', 'invalid_query_params'],
    run: async (ctx, { params, query }) => redemptionsOfVoucher(ctx, await getVoucher(ctx, params.code), query),
  }),
  operation({
    id: 'rollBackRedemption',
    method: 'POST',
    path: '/v1/redemptions/{redemptionId}/rollback',
    summary: 'Roll back a redemption',
    description:
      'Takes back what it used and, unless the stacking rules say otherwise, what it did to its order, within three months. A refusal of what could once be rolled back is remembered.',
    query: RollbackQuery,
    body: RollBackRedemption,
    reply: RedemptionRollback,
    errors: rollbackErrors,
    target: (ctx, { params }) => getRedemption(ctx, params.redemptionId),
    run: (ctx, { target, query, body }) => rollBackRedemption(ctx, target, query, body),
  }),
  operation({
    id: 'rollBackRedemptions',
    method: 'POST',
    path: '/v1/redemptions/{parentRedemptionId}/rollbacks',
    summary: 'Roll back what was redeemed together',
    description: 'All of it or nothing. A single redemption is taken as well.',
    query: RollbackQuery,
    body: RollBackRedemption,
    reply: RedemptionRollbacks,
    errors: rollbackErrors,
    target: (ctx, { params }) => getRedemption(ctx, params.parentRedemptionId),
    run: (ctx, { target, query, body }) => rollBackRedemptions(ctx, target, query, body),
  }),
]
