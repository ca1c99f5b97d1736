import { evaluate } from '@guerdon/engine'
import type { Applicable, StackingRules, Verdict } from '@guerdon/engine/schema'
import { type Decision, decideAndSave, type TransactionalDecision } from '../checkout/decision/decide.ts'
import { type Checkout, refuseMetadata, refuseOutcomes, refuseRequest } from '../checkout/decision/facts.ts'
import { withLineIds } from '../checkout/decision/order.ts'
import { decideInBatch } from '../checkout/decision/redemption-batcher.ts'
import { type CheckoutBody, type CheckoutRequest, readRequest } from '../checkout/decision/request.ts'
import { batchableKeys } from '../checkout/decision/rows.ts'
import type { RedeemableBody } from '../checkout/decision/schema.ts'
import type { Ctx } from '../core/context.ts'
import { type ApiError, invalidPayload } from '../core/http/errors.ts'
import type { StoredReplyResult } from '../core/http/operation.ts'
import { newCascade } from '../loyalty/points/card.ts'
import { applyDueChangesToCards } from '../loyalty/points/due-changes-to-cards.ts'
import { pays } from '../loyalty/points/programs.ts'
import { writeOverrides } from '../orders/goods.ts'
import { failure, failureOf } from './failed.ts'
import { applyFollowUps, hasFollowUps, refreshVersion } from './follow-ups.ts'
import { answerOf } from './redeem-answer.ts'
import { changesOf } from './redeem-changes.ts'
import type { RedemptionsAnswer } from './redeem-schema.ts'
import { redeemAll } from './redeemed.ts'
import { refuseCustomer } from './redeemed-customer.ts'
import type { Redeemed, RedeemedPart } from './redeemed-part.ts'
import { giveRewards } from './rewarded.ts'
import type { Redemption } from './schema.ts'

/**
 * Redeems several things together (docs/reference/redemptions.md): all that applies, and the order, the customer and the counters
 * with it.
 */
export async function redeem(
  ctx: Ctx,
  body: CheckoutBody & { redeemables: RedeemableBody[] },
): Promise<RedemptionsAnswer | StoredReplyResult | ApiError> {
  const request = readRequest(ctx, body, body.redeemables)
  return redeemRequest(ctx, request, { is_alone: false }, (answer) => answer)
}

/**
 * Redeems one thing by itself; limits of stacking and rules about what has no effect do not apply
 * (docs/reference/validations.md#promotion-tiers).
 */
export async function redeemAlone(
  ctx: Ctx,
  body: CheckoutBody,
  redeemable: RedeemableBody,
  shown: (redemption: Redemption, outcome: Applicable) => Redemption = (redemption) => redemption,
): Promise<Redemption | StoredReplyResult | ApiError> {
  const request = readRequest(ctx, body, [redeemable], { is_alone: true })
  return redeemRequest(ctx, request, { is_alone: true }, ({ redemptions: [only] }, { children: [child] }) =>
    shown(only as Redemption, (child as RedeemedPart).outcome),
  )
}

/** Calculation modes and ONCE hold for one as for many (docs/reference/stacking.md#one-redeemable-alone). */
const alone = (rules: StackingRules): StackingRules => ({
  ...rules,
  redeemables_application_mode: 'ALL',
  redeemables_no_effect_rule: 'REDEEM_ANYWAY',
  no_effect_skip_categories: [],
})

async function redeemRequest<Answer>(
  ctx: Ctx,
  request: CheckoutRequest,
  { is_alone }: { is_alone: boolean },
  shown: (answer: RedemptionsAnswer, redeemed: Redeemed) => Answer,
): Promise<Answer | StoredReplyResult | ApiError> {
  if (request.as_of !== null) throw invalidPayload('Property .options.as_of is not for redemptions')
  const overrides = ctx.caller.channel !== 'CLIENT_API' && hasOverrides(request)
  const cards = request.redeemables.flatMap(({ object, id, reward }) =>
    object === 'voucher' && reward !== undefined ? [id] : [],
  )
  const prepare = async (ctx: Ctx) => {
    if (overrides) await writeOverrides(ctx, request.order?.items ?? [])
    if (cards.length > 0) await applyDueChangesToCards(ctx, cards)
  }
  const isLarge = request.order !== null && pays(ctx.configurations.known(ctx.project_id), 'order.paid')
  const isPrepared = overrides || cards.length > 0
  const byItself = () =>
    decideAndSave<Answer>(ctx, request, decide, {
      is_redemption: true,
      is_large: isLarge,
      ...(isPrepared ? { prepare } : {}),
    })
  if (isLarge || isPrepared || ctx.saving?.key != null) return byItself()
  const names = batchableKeys(ctx, request)
  return names === null ? byItself() : decideInBatch<Answer>(ctx, request, names, decide, byItself)

  function decide(it: Checkout): Decision<Answer> | TransactionalDecision<Answer> {
    const verdict = judge(ctx, it, { is_alone })
    if (!verdict.valid) return failure(ctx, it, verdict, { is_alone })
    const redeemed = redeemAll(ctx, it, verdict)
    if (!hasFollowUps(redeemed)) return decisionOf(ctx, redeemed, shown)
    const chain = newCascade()
    return {
      issue: async (ctx) => {
        await giveRewards(ctx, redeemed)
        await refreshVersion(ctx, redeemed)
        return decisionOf(ctx, redeemed, shown)
      },
      follow: (ctx) => applyFollowUps(ctx, redeemed, chain),
      refused: (error) => failureOf(ctx, it, error),
    }
  }
}

/** What comes of a request, on facts whose lines have ids; what is wrong with the request itself is thrown. */
export function judge(ctx: Ctx, it: Checkout, { is_alone }: { is_alone: boolean }): Verdict {
  refuseRequest(it)
  refuseCustomer(ctx, it)
  refuseMetadata(it, { is_redemption: true })
  const { stacking_rules } = it.facts
  it.facts = {
    ...it.facts,
    stacking_rules: is_alone ? alone(stacking_rules) : stacking_rules,
    order: withLineIds(it.facts.order),
  }
  const verdict = evaluate(it.facts, { explain: it.request.explain })
  refuseOutcomes(verdict.redeemables)
  return verdict
}

const decisionOf = <Answer>(
  ctx: Ctx,
  redeemed: Redeemed,
  shown: (answer: RedemptionsAnswer, redeemed: Redeemed) => Answer,
): Decision<Answer> => ({ result: shown(answerOf(ctx, redeemed), redeemed), changes: changesOf(ctx, redeemed) })

const hasOverrides = ({ order }: CheckoutRequest): boolean =>
  order?.items?.some(({ product, sku }) => product?.override === true || sku?.override === true) === true
