import { clientView } from '../../audience/customers/client-view.ts'
import { operation, operationPair } from '../../core/http/operation.ts'
import { readPromotionQuery, readVoucherQuery } from './from-query.ts'
import {
  ClientPromotionValidation,
  ClientValidation,
  ClientVoucherValidation,
  PromotionTierAnswer,
  PromotionTierValidationBody,
  PromotionValidation,
  PromotionValidationBody,
  PromotionValidationByQuery,
  PromotionValidationQuery,
  Validation,
  ValidationBody,
  VoucherValidation,
  VoucherValidationBody,
  VoucherValidationByQuery,
} from './schema.ts'
import { validate } from './validate.ts'
import { validatePromotions } from './validate-promotions.ts'
import { refuseUnknownTier, validateTier } from './validate-tier.ts'
import { missingInputs, validateVoucher } from './validate-voucher.ts'

const refusals = ['not_found', 'invalid_amount', 'metadata_validation_failed', 'ambiguous_tracking_id'] as const

/** A session holds codes, which is written, and asks for what is held, which must not lag behind. */
const hasNoSession = ({ body }: { body: { session?: object | null } }): boolean => body.session == null

export const validations = [
  ...operationPair({
    id: 'validateRedeemables',
    method: 'POST',
    path: '/v1/validations',
    summary: 'Validate stackable discounts',
    second: {
      id: 'validateRedeemablesOnClient',
      path: '/client/v1/validations',
      for_pages: { reply: ClientValidation, view: clientView },
    },
    description:
      'Says for each redeemable whether it applies and what it does to the order, one after the other as the stacking rules have it. Nothing is redeemed. With a `session` of type `LOCK`, what applies is kept for the session until it ends.',
    body: ValidationBody,
    reply: Validation,
    errors: [
      'invalid_payload',
      ...refusals,
      'invalid_gift',
      'duplicated_redeemables',
      'invalid_redeemables',
      'multiple_requests',
    ],
    saves: true,
    reads_replica: hasNoSession,
    run: (ctx, { body }) => validate(ctx, body),
  }),
  operation({
    id: 'validateVoucher',
    method: 'POST',
    path: '/v1/vouchers/{code}/validate',
    summary: 'Validate a code',
    description:
      'Says whether a code applies and what it does to the order, by itself: limits of stacking play no part. An unknown code is not valid. With a `session` of type `LOCK`, it is kept for the session until that ends.',
    body: VoucherValidationBody,
    reply: VoucherValidation,
    errors: ['invalid_payload', ...refusals, 'invalid_gift', ...missingInputs, 'multiple_requests'],
    saves: true,
    reads_replica: hasNoSession,
    run: (ctx, { params, body }) => validateVoucher(ctx, params.code, body),
  }),
  operation({
    id: 'validateVoucherByQuery',
    method: 'GET',
    path: '/client/v1/validate',
    summary: 'Validate a code, by a query string (client side)',
    deprecated: true,
    description:
      'Names in brackets are properties: `item[0][product_id]=prod_1`. As many credits or points are used as possible.',
    query: VoucherValidationByQuery,
    reply: VoucherValidation,
    for_pages: { reply: ClientVoucherValidation, view: clientView },
    errors: ['invalid_query_params', 'invalid_payload', ...refusals, ...missingInputs, 'multiple_requests'],
    saves: true,
    reads_replica: ({ query: { session_type, session_key, session_ttl, session_ttl_unit } }) =>
      (session_type ?? session_key ?? session_ttl ?? session_ttl_unit) === undefined,
    run: async (ctx, { query }) => {
      const { code, body } = await readVoucherQuery(ctx, query)
      return validateVoucher(ctx, code, body, { pays_with_points: true })
    },
  }),
  operation({
    id: 'validatePromotions',
    method: 'POST',
    path: '/v1/promotions/validation',
    summary: 'Validate promotion tiers',
    description:
      'Shows those of the newest 150 tiers that would apply, each alone on the order as it was sent, by `hierarchy`. Filters: `filters[promotion_id]…`, `filters[metadata][key]…`.',
    query: PromotionValidationQuery,
    body: PromotionValidationBody,
    reply: PromotionValidation,
    errors: ['invalid_query_params', 'invalid_payload', ...refusals],
    saves: true,
    reads_replica: true,
    run: (ctx, { query, body }) => validatePromotions(ctx, body, query),
  }),
  operation({
    id: 'validatePromotionsByQuery',
    method: 'GET',
    path: '/client/v1/promotions/validation',
    summary: 'Validate promotion tiers, by a query string (client side)',
    deprecated: true,
    description: 'Names in brackets are properties: `item[0][product_id]=prod_1`.',
    query: PromotionValidationByQuery,
    reply: PromotionValidation,
    for_pages: { reply: ClientPromotionValidation, view: clientView },
    errors: ['invalid_query_params', 'invalid_payload', ...refusals],
    reads_replica: true,
    run: async (ctx, { query }) => validatePromotions(ctx, await readPromotionQuery(ctx, query)),
  }),
  operation({
    id: 'validatePromotionTier',
    method: 'POST',
    path: '/v1/promotions/tiers/{tierId}/validation',
    summary: 'Validate a promotion tier',
    description:
      'Says whether a tier applies and what it does to the order, by itself: limits of stacking play no part.',
    body: PromotionTierValidationBody,
    reply: PromotionTierAnswer,
    errors: ['invalid_payload', ...refusals, 'multiple_requests'],
    saves: true,
    reads_replica: hasNoSession,
    target: (ctx, { params }) => refuseUnknownTier(ctx, params.tierId),
    run: (ctx, { params, body }) => validateTier(ctx, params.tierId, body),
  }),
]
