import { evaluate } from '@guerdon/engine'
import type { Applicable, StackingRules, Verdict } from '@guerdon/engine/schema'
import { isPage } from '../audience/customers/on-client-side.ts'
import { sentMetadata } from '../audience/customers/upsert.ts'
import { type Decision, decideAndSave, type TransactionalDecision } from '../checkout/decision/decide.ts'
import { refuseUnknownLines, warnOfOrder } from '../checkout/decision/doubtful-order.ts'
import { type Checkout, refuseMetadata, refuseOutcomes, refuseRequest } from '../checkout/decision/facts.ts'
import { withLineIds } from '../checkout/decision/order.ts'
import { decideInBatch } from '../checkout/decision/redemption-batcher.ts'
import { type CheckoutBody, type CheckoutRequest, readRequest } from '../checkout/decision/request.ts'
import { batchableKeys } from '../checkout/decision/rows.ts'
import type { RedeemableBody } from '../checkout/decision/schema.ts'
import { endClientSession } from '../checkout/sessions/client-sessions.ts'
import type { Ctx } from '../core/context.ts'
import { ApiError, invalidPayload } from '../core/http/errors.ts'
import type { StoredReplyResult } from '../core/http/operation.ts'
import { newCascade } from '../loyalty/points/card.ts'
import { applyDueChangesToCards } from '../loyalty/points/due-changes-to-cards.ts'
import { hasRuleFor } from '../loyalty/points/programs.ts'
import { writeOverrides } from '../orders/goods.ts'
import { failure, failureOf } from './failed.ts'
import { applyFollowUps, hasFollowUps, refreshVersion } from './follow-ups.ts'
import { redeemAnswerOf } from './redeem-answer.ts'
import { changesOf } from './redeem-changes.ts'
import type { RedemptionsAnswer } from './redeem-schema.ts'
import { redeemAll } from './redeemed.ts'
import { refuseCustomer } from './redeemed-customer.ts'
import type { Redeemed, RedeemedPart } from './redeemed-part.ts'
import { giveRewards } from './rewarded.ts'
import type { Redemption } from './schema.ts'

/**
 * Redeems several redeemables in one request (docs/reference/redemptions.md): saves all that apply, with the order, the customer
 * and the counters.
 */
export async function redeem(
  ctx: Ctx,
  body: CheckoutBody & { redeemables: RedeemableBody[] },
): Promise<RedemptionsAnswer | StoredReplyResult | ApiError> {
  const request = readRequest(ctx, body, body.redeemables)
  return redeemRequest(ctx, request, { is_single: false }, (answer) => answer)
}

/**
 * Redeems a single redeemable; stacking limits and the rule about redeemables without effect do not apply
 * (docs/reference/validations.md#promotion-tiers).
 */
export async function redeemSingle(
  ctx: Ctx,
  body: CheckoutBody,
  redeemable: RedeemableBody,
  toReply: (redemption: Redemption, outcome: Applicable) => Redemption = (redemption) => redemption,
): Promise<Redemption | StoredReplyResult | ApiError> {
  const request = readRequest(ctx, body, [redeemable], { is_single: true })
  return redeemRequest(ctx, request, { is_single: true }, ({ redemptions: [only] }, { children: [child] }) =>
    toReply(only as Redemption, (child as RedeemedPart).outcome),
  )
}

/** The calculation modes and ONCE apply to a single redeemable too (docs/reference/stacking.md#one-redeemable-alone). */
const singleRedeemableRules = (rules: StackingRules): StackingRules => ({
  ...rules,
  redeemables_application_mode: 'ALL',
  redeemables_no_effect_rule: 'REDEEM_ANYWAY',
  no_effect_skip_categories: [],
})

async function redeemRequest<Answer>(
  ctx: Ctx,
  sent: CheckoutRequest,
  { is_single }: { is_single: boolean },
  toReply: (answer: RedemptionsAnswer, redeemed: Redeemed) => Answer,
): Promise<Answer | StoredReplyResult | ApiError> {
  const request = withCountedMetadata(ctx, sent)
  if (request.as_of !== null) throw invalidPayload('Property .options.as_of is not for redemptions')
  const writesCatalogue = !isPage(ctx) && hasOverrides(request)
  const cards = request.redeemables.flatMap(({ object, id, reward }) =>
    object === 'voucher' && reward !== undefined ? [id] : [],
  )
  const prepare = async (ctx: Ctx) => {
    if (writesCatalogue) await writeOverrides(ctx, request.order?.items ?? [])
    if (cards.length > 0) await applyDueChangesToCards(ctx, cards)
  }
  const needsTransaction = request.order !== null && hasRuleFor(ctx.configurations.cached(ctx.project_id), 'order.paid')
  const needsPreparation = writesCatalogue || cards.length > 0
  const decideAlone = () =>
    decideAndSave<Answer>(ctx, request, decide, {
      is_redemption: true,
      needs_transaction: needsTransaction,
      ...(needsPreparation ? { prepare } : {}),
    })
  const keys = needsTransaction || needsPreparation || ctx.replyStore?.key != null ? null : batchableKeys(ctx, request)
  const answer = await (keys === null ? decideAlone() : decideInBatch<Answer>(ctx, request, keys, decide, decideAlone))
  if (request.session?.key != null && !(answer instanceof ApiError)) await endClientSession(ctx, request.session.key)
  return answer

  function decide(checkout: Checkout): Decision<Answer> | TransactionalDecision<Answer> {
    const verdict = evaluateRedemption(ctx, checkout, { is_single })
    if (!verdict.valid) return failure(ctx, checkout, verdict, { is_single })
    const redeemed = redeemAll(ctx, checkout, verdict)
    if (!hasFollowUps(redeemed)) return decisionOf(ctx, redeemed, toReply)
    const cascade = newCascade()
    return {
      issueRewards: async (ctx) => {
        await giveRewards(ctx, redeemed)
        await refreshVersion(ctx, redeemed)
        return decisionOf(ctx, redeemed, toReply)
      },
      applyFollowUps: (ctx) => applyFollowUps(ctx, redeemed, cascade),
      refuse: (error) => failureOf(ctx, checkout, error),
    }
  }
}

/** Evaluates a redemption, after giving every order line an id. Throws if the request itself is invalid. */
export function evaluateRedemption(ctx: Ctx, checkout: Checkout, { is_single }: { is_single: boolean }): Verdict {
  refuseRequest(checkout)
  refuseCustomer(ctx, checkout)
  refuseMetadata(checkout, { is_redemption: true })
  const { stacking_rules } = checkout.facts
  checkout.facts = {
    ...checkout.facts,
    stacking_rules: is_single ? singleRedeemableRules(stacking_rules) : stacking_rules,
    order: withLineIds(checkout.facts.order),
  }
  const verdict = evaluate(checkout.facts, { explain: checkout.request.explain })
  refuseOutcomes(verdict.redeemables)
  if (verdict.valid) refuseUnknownLines(checkout)
  warnOfOrder(ctx, checkout)
  return verdict
}

const decisionOf = <Answer>(
  ctx: Ctx,
  redeemed: Redeemed,
  toReply: (answer: RedemptionsAnswer, redeemed: Redeemed) => Answer,
): Decision<Answer> => ({ result: toReply(redeemAnswerOf(ctx, redeemed), redeemed), changes: changesOf(ctx, redeemed) })

/** What a page says of a new customer may show a price, and redeems nothing. */
function withCountedMetadata(ctx: Ctx, request: CheckoutRequest): CheckoutRequest {
  const { customer } = request
  if (customer?.profile.metadata == null || !isPage(ctx)) return request
  const profile = { ...customer.profile, metadata: sentMetadata(ctx, customer.profile) }
  return { ...request, customer: { ...customer, profile } }
}

const hasOverrides = ({ order }: CheckoutRequest): boolean =>
  order?.items?.some(({ product, sku }) => product?.override === true || sku?.override === true) === true
