import { evaluate } from '@guerdon/engine'
import type { Outcome, Verdict } from '@guerdon/engine/schema'
import { isPage } from '../../audience/customers/on-client-side.ts'
import type { Ctx } from '../../core/context.ts'
import { type ApiError, invalidPayload } from '../../core/http/errors.ts'
import type { StoredReplyResult } from '../../core/http/operation.ts'
import { newId } from '../../core/lib/ids.ts'
import { decideAndSave } from '../decision/decide.ts'
import { warnOfOrder } from '../decision/doubtful-order.ts'
import { type Checkout, refuseMetadata, refuseOutcomes, refuseRequest } from '../decision/facts.ts'
import { repeatedOrder } from '../decision/repeated-orders.ts'
import { type CheckoutRequest, openedSession, readRequest } from '../decision/request.ts'
import { appliedOf, orderView, resultOf } from '../decision/results.ts'
import type { SessionView } from '../decision/schema.ts'
import { trackingIdOf } from '../decision/tracked.ts'
import { refuseOnPrimary } from '../decision/unknown-names.ts'
import { inClientSession } from '../sessions/client-sessions.ts'
import { holdsOf } from '../sessions/hold.ts'
import { recordValidationEvent } from './record-event.ts'
import type { Validation, ValidationBody } from './schema.ts'

/**
 * Validates several redeemables on an order, applied one after another (docs/reference/validations.md#validate-several). Changes
 * nothing but the holds of a session.
 */
export async function validate(ctx: Ctx, body: ValidationBody): Promise<Validation | StoredReplyResult | ApiError> {
  const request = readRequest(ctx, body, body.redeemables)
  refuseAsOf(ctx, request)
  const decide = (checkout: Checkout) => {
    refuseRequest(checkout)
    refuseMetadata(checkout)
    const verdict = evaluate(checkout.facts, { explain: request.explain })
    if (verdict.redeemables.some(({ status }) => status !== 'APPLICABLE')) refuseOnPrimary(ctx, checkout)
    refuseOutcomes(verdict.redeemables)
    warnOfOrder(ctx, checkout)
    const session = verdict.valid && request.session !== null ? openedSession(request.session) : null
    const result = validationOf(ctx, checkout, verdict, session)
    recordValidationEvent(ctx, checkout, verdict.valid, result)
    return { result, changes: session === null ? null : holdsOf(ctx, checkout, verdict, session.key) }
  }
  return inClientSession(ctx, request.session, () => decideAndSave(ctx, request, decide))
}

/** `as_of` is only for evaluations on the server side that hold and redeem nothing (docs/decisions). */
export function refuseAsOf(ctx: Ctx, { as_of, session }: CheckoutRequest): void {
  if (as_of === null) return
  if (isPage(ctx)) throw invalidPayload('Property .options.as_of is for the server side only')
  if (session !== null) throw invalidPayload('Property .options.as_of must NOT be sent with a session')
}

function validationOf(ctx: Ctx, checkout: Checkout, verdict: Verdict, session: SessionView | null): Validation {
  const applied = appliedOf(checkout, verdict.redeemables)
  const repeated = repeatedOrder(ctx, applied.length)
  const toResult = (outcome: Outcome) => resultOf(ctx, checkout, outcome, applied, repeated)
  const resultsWith = (status: Outcome['status']) =>
    verdict.redeemables.filter((outcome) => outcome.status === status).map(toResult)
  const isPartial = checkout.facts.stacking_rules.redeemables_application_mode === 'PARTIAL'
  const [skipped, inapplicable] = [resultsWith('SKIPPED'), resultsWith('INAPPLICABLE')]
  return {
    id: newId('validation', Date.parse(ctx.now)),
    valid: verdict.valid,
    redeemables: isPartial ? resultsWith('APPLICABLE') : verdict.redeemables.map(toResult),
    ...(skipped.length === 0 ? {} : { skipped_redeemables: skipped }),
    ...(inapplicable.length === 0 ? {} : { inapplicable_redeemables: inapplicable }),
    ...(verdict.order === undefined ? {} : { order: orderView(checkout, verdict.order, applied) }),
    ...trackingIdOf(ctx, checkout),
    ...(session === null ? {} : { session }),
    stacking_rules: checkout.facts.stacking_rules,
  }
}
