import type { Applicable, Outcome } from '@guerdon/engine/schema'
import type { Configuration } from '../../core/configuration/configuration.ts'
import type { Ctx } from '../../core/context.ts'
import { ApiError, type ErrorKey } from '../../core/http/errors.ts'
import type { StoredReplyResult } from '../../core/http/operation.ts'
import { voucherBalanceOf, voucherMetadataOf } from '../../incentives/vouchers/voucher.ts'
import { setOnly } from '../../rules/terms/validity.ts'
import { assembleCheckout, type Checkout } from '../decision/facts.ts'
import type { RedeemableCandidate } from '../decision/redeemables.ts'
import { readRequest } from '../decision/request.ts'
import { candidateOf, categoriesOf, explained, orderView, refusalFacts, refusalView } from '../decision/results.ts'
import type { SessionView } from '../decision/schema.ts'
import { trackingIdOf } from '../decision/tracked.ts'
import type { VoucherValidation, VoucherValidationBody } from './schema.ts'
import { validateSingle } from './validate-single.ts'

export interface VoucherValidationOptions {
  /**
   * The caller cannot choose a reward: a loyalty card pays for the order with as many points as possible
   * (docs/reference/client-side.md#single-vouchers-and-tiers).
   */
  pays_with_points?: boolean
}

/** Validates one voucher on an order (docs/reference/validations.md#one-voucher). Changes nothing but the holds of a session. */
export function validateVoucher(
  ctx: Ctx,
  code: string,
  body: VoucherValidationBody,
  { pays_with_points = false }: VoucherValidationOptions = {},
): Promise<VoucherValidation | StoredReplyResult | ApiError> {
  const { gift = null, reward = null } = body
  const request = readRequest(ctx, body, [{ object: 'voucher', id: code, gift, reward }], { is_single: true })
  return validateSingle(
    ctx,
    request,
    (checkout, outcome, session) => ({
      ...(outcome.status === 'APPLICABLE'
        ? validOf(checkout, outcome, session)
        : invalidOf(ctx, checkout, code, refuseMissingInput(checkout, outcome))),
      ...trackingIdOf(ctx, checkout),
      ...explained(outcome),
    }),
    pays_with_points ? (checkout) => withCoinReward(ctx, checkout) : undefined,
  )
}

function validOf(checkout: Checkout, outcome: Applicable, session: SessionView | null): VoucherValidation {
  const candidate = candidateOf(checkout, outcome) as RedeemableCandidate
  const voucher = candidate.voucher as NonNullable<RedeemableCandidate['voucher']>
  const { campaign } = candidate
  const { order, applicable_to, inapplicable_to } = outcome
  return {
    valid: true,
    code: voucher.code,
    applicable_to,
    inapplicable_to,
    ...(session === null ? {} : { session }),
    ...(order === undefined ? {} : { order: orderView(checkout, order, [candidate]) }),
    ...benefitOf(candidate, outcome),
    ...setOnly({ start_date: voucher.start_date, expiration_date: voucher.expiration_date }),
    metadata: voucherMetadataOf(voucher),
    ...(campaign === null ? {} : { campaign: campaign.name, campaign_id: campaign.id }),
    ...(checkout.request.expand?.has('category') === true ? { categories: categoriesOf(checkout, candidate) } : {}),
  }
}

/** The benefit: of a discount, gift card or loyalty card. */
function benefitOf(
  { facts, voucher }: RedeemableCandidate,
  { discount, loyalty_card }: Applicable,
): Pick<VoucherValidation, 'discount' | 'gift' | 'loyalty' | 'reward'> {
  if (facts.kind === 'gift_voucher' && voucher !== null) {
    const [amount, balance] = [voucher.credits_added ?? 0, voucherBalanceOf(voucher)]
    return { gift: { amount, balance, effect: facts.gift.effect ?? 'APPLY_TO_ORDER' } }
  }
  if (facts.kind === 'loyalty_card') {
    const points = loyalty_card?.points ?? 0
    const { reward } = facts
    if (reward == null || reward.type === 'UNKNOWN') return { loyalty: { points_cost: points } }
    const { id, assignment_id } = reward
    return {
      loyalty: { points_cost: points },
      reward: { id, ...(assignment_id == null ? {} : { assignment_id }), points },
    }
  }
  return discount === undefined ? {} : { discount }
}

type Inapplicable = Exclude<Outcome, Applicable>

/**
 * Inputs that the request lacks: an error of the caller, which says nothing about the voucher
 * (docs/reference/validations.md#one-voucher).
 */
export const missingInputs = [
  'missing_reward',
  'missing_order_items',
  'missing_order_items_amount',
  'missing_customer',
  'missing_order',
  'missing_amount',
] as const satisfies ErrorKey[]

function refuseMissingInput(checkout: Checkout, outcome: Inapplicable): Inapplicable {
  const { reason } = outcome
  const missing = missingInputs.find((key) => key === reason.key)
  if (missing === undefined) return outcome
  const { explanation } = explained(outcome)
  throw new ApiError(missing, {
    ...refusalFacts(reason, candidateOf(checkout, outcome), outcome),
    ...(explanation === undefined ? {} : { explanation: [explanation] }),
  })
}

function invalidOf(ctx: Ctx, checkout: Checkout, code: string, outcome: Inapplicable): VoucherValidation {
  const { reason } = outcome
  const candidate = candidateOf(checkout, outcome)
  const voucher = candidate?.voucher ?? null
  return {
    valid: false,
    code: voucher?.code ?? code,
    reason: voucher === null ? 'voucher not found' : reason.message,
    error: refusalView(ctx, reason, candidate, outcome),
    metadata: voucher === null ? {} : voucherMetadataOf(voucher),
  }
}

/** Gives a loyalty card without a reward the first coin reward of its program, if there is one. */
function withCoinReward(ctx: Ctx, checkout: Checkout): Checkout {
  const { request, rows, candidates } = checkout
  const [sent] = request.redeemables
  const [candidate] = candidates
  if (sent === undefined || sent.reward !== undefined || candidate?.facts.kind !== 'loyalty_card') return checkout
  const assignmentId = firstCoinReward(rows.configuration, candidate.voucher?.campaign_id ?? null)
  if (assignmentId === undefined) return checkout
  return assembleCheckout(
    ctx,
    { ...request, redeemables: [{ ...sent, reward: { assignment_id: assignmentId } }] },
    rows,
  )
}

/** The oldest assignment of a coin reward. Ids are in the order of creation. */
const firstCoinReward = (
  { rewards, reward_assignments }: Configuration,
  campaignId: string | null,
): string | undefined =>
  [...reward_assignments.values()]
    .filter(
      ({ related_object_id, reward_id }) => related_object_id === campaignId && rewards.get(reward_id)?.type === 'COIN',
    )
    .map(({ id }) => id)
    .sort()[0]
