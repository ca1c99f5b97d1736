import { sentence } from '@guerdon/engine'
import type { CalculatedOrder, Outcome, Reason } from '@guerdon/engine/schema'
import type { StoredCustomer } from '../../audience/customers/customer.ts'
import { categoryOf } from '../../core/configuration/configuration.ts'
import type { Ctx } from '../../core/context.ts'
import { type ErrorFacts, type ErrorKey, errorStatus } from '../../core/http/errors.ts'
import { voucherMetadataOf } from '../../incentives/vouchers/voucher.ts'
import { toCategory } from '../../rules/categories/store.ts'
import type { Checkout } from './facts.ts'
import type { RedeemableCandidate } from './redeemables.ts'
import type { RepeatedOrder } from './repeated-orders.ts'
import type { CalculatedOrderView, CategoryInResult, ExplanationView, RedeemableResult, RefusalView } from './schema.ts'

/** The outcome of one redeemable, as validations show it (docs/reference/validations.md#validate-several). */
export function resultOf(
  ctx: Ctx,
  checkout: Checkout,
  outcome: Outcome,
  applied: readonly RedeemableCandidate[],
  repeated: RepeatedOrder = (order) => order,
): RedeemableResult {
  const candidate = candidateOf(checkout, outcome)
  const { status, id, object } = outcome
  const common = {
    status,
    id,
    object,
    ...(candidate === null ? {} : { metadata: shownMetadata(candidate), ...expansionOf(checkout, candidate) }),
    ...explained(outcome),
  }
  switch (outcome.status) {
    case 'APPLICABLE': {
      const { order, applicable_to, inapplicable_to, discount, gift, loyalty_card, bundle } = outcome
      const showsOrder = checkout.request.expand === null || checkout.request.expand.has('order')
      return {
        ...common,
        ...(order === undefined || !showsOrder ? {} : { order: orderView(checkout, repeated(order), applied) }),
        applicable_to,
        inapplicable_to,
        result: {
          ...(discount === undefined ? {} : { discount }),
          ...(gift === undefined ? {} : { gift }),
          ...(loyalty_card === undefined ? {} : { loyalty_card }),
          ...(bundle === undefined ? {} : { bundle }),
        },
      }
    }
    case 'INAPPLICABLE': {
      const { reason, bundle } = outcome
      return {
        ...common,
        result: {
          error: refusalView(ctx, reason, candidate, outcome),
          details: detailsOf(reason),
          ...(bundle === undefined ? {} : { bundle }),
        },
      }
    }
    case 'SKIPPED':
      return { ...common, result: { details: detailsOf(outcome.reason) } }
  }
}

const detailsOf = ({ key, message, error }: Reason) => ({ key, message: error?.message ?? message })

/** The redeemable of an outcome; null for an unknown one. */
export function candidateOf(
  { candidates }: Pick<Checkout, 'candidates'>,
  { id, object }: Outcome,
): RedeemableCandidate | null {
  const found = candidates.find(({ facts }) => facts.id === id && facts.object === object)
  return found === undefined || found.facts.kind === 'unknown' ? null : found
}

/** The explanation, if `options.explain` asked for it. */
export function explained({ explanation }: Outcome): { explanation?: ExplanationView } {
  return explanation === undefined ? {} : { explanation: { ...explanation, sentence: sentence(explanation) } }
}

/** The details of a refusal, in a response or as an error. */
export function refusalFacts(
  reason: Reason,
  candidate: RedeemableCandidate | null,
  { id, object }: Outcome,
): ErrorFacts {
  const { message, details, error } = reason
  const resourceId = reason.resource_id ?? candidate?.voucher?.id ?? candidate?.tier?.id
  const resourceType = reason.resource_type ?? (candidate === null ? undefined : object)
  return {
    message,
    ...(details === undefined ? {} : { details }),
    ...(resourceId === undefined ? {} : { resource_id: resourceId }),
    ...(resourceType === undefined ? {} : { resource_type: resourceType }),
    redeemable_id: id,
    redeemable_type: object,
    ...(error === undefined ? {} : { error }),
  }
}

export function refusalView(
  { request_id }: Pick<Ctx, 'request_id'>,
  reason: Reason,
  candidate: RedeemableCandidate | null,
  outcome: Outcome,
): RefusalView {
  const { message = reason.message, explanation: _, ...facts } = refusalFacts(reason, candidate, outcome)
  return { code: errorStatus(reason.key as ErrorKey), key: reason.key, message, ...facts, request_id }
}

const shownMetadata = ({ voucher, tier }: RedeemableCandidate): Record<string, unknown> =>
  voucher === null ? (tier?.metadata ?? {}) : voucherMetadataOf(voucher)

function expansionOf(checkout: Checkout, candidate: RedeemableCandidate): Partial<RedeemableResult> {
  const { expand } = checkout.request
  const { campaign, tier } = candidate
  return {
    ...(expand?.has('redeemable') === true
      ? {
          ...(campaign === null ? {} : { campaign_id: campaign.id, campaign_name: campaign.name }),
          ...(tier === null ? {} : { name: tier.name }),
        }
      : {}),
    ...(expand?.has('category') === true ? { categories: categoriesOf(checkout, candidate) } : {}),
  }
}

/** The category of a redeemable, and whether the stacking rules make it exclusive or joint. */
export function categoriesOf(
  { rows: { configuration } }: Pick<Checkout, 'rows'>,
  { voucher, tier }: Pick<RedeemableCandidate, 'voucher' | 'tier'>,
): CategoryInResult[] {
  const resource = voucher ?? tier
  const category = resource === null ? null : categoryOf(configuration, resource)
  if (category === null) return []
  const { exclusive_categories, joint_categories } = configuration.stacking_rules
  return [
    {
      ...toCategory(category),
      ...(exclusive_categories.includes(category.id) ? { stacking_rules_type: 'EXCLUSIVE' as const } : {}),
      ...(joint_categories.includes(category.id) ? { stacking_rules_type: 'JOINT' as const } : {}),
    },
  ]
}

/** The redeemables that apply. */
export const appliedOf = (
  checkout: Pick<Checkout, 'candidates'>,
  outcomes: readonly Outcome[],
): RedeemableCandidate[] =>
  outcomes.flatMap((outcome) => (outcome.status === 'APPLICABLE' ? (candidateOf(checkout, outcome) ?? []) : []))

/**
 * A calculated order as responses show it before anything is stored (docs/reference/calculated-order.md#amounts-of-the-order);
 * `applied` are the redeemables that were applied to it.
 */
export function orderView(
  { rows, buyer, request }: Checkout,
  order: CalculatedOrder,
  applied: readonly RedeemableCandidate[],
): CalculatedOrderView {
  const { stored } = buyer
  const { order: storedOrder } = rows
  const referrerId = referrerOf({ request, rows }, applied)
  const sourceId = storedOrder?.source_id ?? request.order?.source_id
  return {
    ...(storedOrder === null
      ? {}
      : {
          id: storedOrder.id,
          status: storedOrder.status,
          created_at: storedOrder.created_at,
          updated_at: storedOrder.updated_at,
          ...(storedOrder.redemptions === null
            ? {}
            : { redemptions: storedOrder.redemptions as NonNullable<CalculatedOrderView['redemptions']> }),
        }),
    ...(sourceId == null ? {} : { source_id: sourceId }),
    ...order,
    customer_id: stored?.id ?? null,
    ...(stored === null ? {} : { customer: { id: stored.id, object: 'customer' as const } }),
    referrer_id: referrerId,
    ...(referrerId === null ? {} : { referrer: { id: referrerId, object: 'customer' as const } }),
    object: 'order',
  }
}

/**
 * The referrer of the order: the one that the request names, else the holder of an applied referral code, else the stored one.
 */
export function referrerOf(
  { request: { referrer }, rows: { customers, order } }: Pick<Checkout, 'request' | 'rows'>,
  applied: readonly RedeemableCandidate[],
): StoredCustomer['id'] | null {
  const sent =
    referrer === null
      ? undefined
      : (customers.find(({ id }) => id === referrer) ?? customers.find(({ source_id }) => source_id === referrer))
  const code = applied.find(({ voucher }) => voucher?.is_referral_code === true)?.voucher
  return sent?.id ?? code?.holder_id ?? order?.referrer_id ?? null
}
