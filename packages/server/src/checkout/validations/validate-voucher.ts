import type { Applicable, Outcome } from '@guerdon/engine/schema'
import type { Configuration } from '../../core/configuration/configuration.ts'
import type { Ctx } from '../../core/context.ts'
import { ApiError, type ErrorKey } from '../../core/http/errors.ts'
import type { StoredReplyResult } from '../../core/http/operation.ts'
import { balanceOf, metadataOf } from '../../incentives/vouchers/voucher.ts'
import { setOnly } from '../../rules/terms/validity.ts'
import { assembleCheckout, type Checkout } from '../decision/facts.ts'
import type { Candidate } from '../decision/redeemables.ts'
import { readRequest } from '../decision/request.ts'
import { candidateOf, categoriesOf, explained, orderView, refusalFacts, refusalView } from '../decision/results.ts'
import type { SessionView } from '../decision/schema.ts'
import { trackingIdOf } from '../decision/tracked.ts'
import { validateAlone } from './alone.ts'
import type { VoucherValidation, VoucherValidationBody } from './schema.ts'

export interface VoucherValidationOptions {
  /**
   * The caller cannot choose what points are spent on: as many as possible pay for the order
   * (docs/reference/client-side.md#single-vouchers-and-tiers).
   */
  pays_with_points?: boolean
}

/** What one code would do to an order (docs/reference/validations.md#one-voucher). Nothing changes but a session's holds. */
export function validateVoucher(
  ctx: Ctx,
  code: string,
  body: VoucherValidationBody,
  { pays_with_points = false }: VoucherValidationOptions = {},
): Promise<VoucherValidation | StoredReplyResult | ApiError> {
  const { gift = null, reward = null } = body
  const request = readRequest(ctx, body, [{ object: 'voucher', id: code, gift, reward }], { is_alone: true })
  return validateAlone(
    ctx,
    request,
    (it, outcome, session) => ({
      ...(outcome.status === 'APPLICABLE'
        ? validOf(it, outcome, session)
        : invalidOf(ctx, it, code, refusedAtOnce(it, outcome))),
      ...trackingIdOf(ctx, it),
      ...explained(outcome),
    }),
    pays_with_points ? (it) => payingWithPoints(ctx, it) : undefined,
  )
}

function validOf(it: Checkout, outcome: Applicable, session: SessionView | null): VoucherValidation {
  const candidate = candidateOf(it, outcome) as Candidate
  const voucher = candidate.voucher as NonNullable<Candidate['voucher']>
  const { campaign } = candidate
  const { order, applicable_to, inapplicable_to } = outcome
  return {
    valid: true,
    code: voucher.code,
    applicable_to,
    inapplicable_to,
    ...(session === null ? {} : { session }),
    ...(order === undefined ? {} : { order: orderView(it, order, [candidate]) }),
    ...worthOf(candidate, outcome),
    ...setOnly({ start_date: voucher.start_date, expiration_date: voucher.expiration_date }),
    metadata: metadataOf(voucher),
    ...(campaign === null ? {} : { campaign: campaign.name, campaign_id: campaign.id }),
    ...(it.request.expand?.has('category') === true ? { categories: categoriesOf(it, candidate) } : {}),
  }
}

/** What it gives, in the words of its kind. */
function worthOf(
  { facts, voucher }: Candidate,
  { discount, loyalty_card }: Applicable,
): Pick<VoucherValidation, 'discount' | 'gift' | 'loyalty' | 'reward'> {
  if (facts.kind === 'gift_voucher' && voucher !== null) {
    const [amount, balance] = [voucher.credits_added ?? 0, balanceOf(voucher)]
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

type Refused = Exclude<Outcome, Applicable>

/**
 * What the request lacks is the mistake of who sent it, and says nothing of the code (docs/reference/validations.md#one-voucher).
 */
const missingInputs: ReadonlySet<string> = new Set([
  'missing_reward',
  'missing_order_items',
  'missing_order_items_amount',
  'missing_customer',
  'missing_order',
  'missing_amount',
] satisfies ErrorKey[])

function refusedAtOnce(it: Checkout, outcome: Refused): Refused {
  const { reason } = outcome
  if (!missingInputs.has(reason.key)) return outcome
  const { explanation } = explained(outcome)
  throw new ApiError(reason.key as ErrorKey, {
    ...refusalFacts(reason, candidateOf(it, outcome), outcome),
    ...(explanation === undefined ? {} : { explanation: [explanation] }),
  })
}

function invalidOf(ctx: Ctx, it: Checkout, code: string, outcome: Refused): VoucherValidation {
  const { reason } = outcome
  const candidate = candidateOf(it, outcome)
  const voucher = candidate?.voucher ?? null
  return {
    valid: false,
    code: voucher?.code ?? code,
    reason: voucher === null ? 'voucher not found' : reason.message,
    error: refusalView(ctx, reason, candidate, outcome),
    metadata: voucher === null ? {} : metadataOf(voucher),
  }
}

/** A loyalty card for which no reward is named pays with points, if its program has a reward for that. */
function payingWithPoints(ctx: Ctx, it: Checkout): Checkout {
  const { request, loaded, candidates } = it
  const [sent] = request.redeemables
  const [candidate] = candidates
  if (sent === undefined || sent.reward !== undefined || candidate?.facts.kind !== 'loyalty_card') return it
  const assignmentId = firstCoinReward(loaded.configuration, candidate.voucher?.campaign_id ?? null)
  if (assignmentId === undefined) return it
  return assembleCheckout(
    ctx,
    { ...request, redeemables: [{ ...sent, reward: { assignment_id: assignmentId } }] },
    loaded,
  )
}

/** The oldest assignment of such a reward. Ids are in the order of creation. */
const firstCoinReward = (
  { rewards, reward_assignments }: Configuration,
  campaignId: string | null,
): string | undefined =>
  [...reward_assignments.values()]
    .filter((one) => one.related_object_id === campaignId && rewards.get(one.reward_id)?.type === 'COIN')
    .map(({ id }) => id)
    .sort()[0]
