import { qualify } from '@guerdon/engine'
import type { Outcome } from '@guerdon/engine/schema'
import type { Ctx } from '../../core/context.ts'
import type { ApiError } from '../../core/http/errors.ts'
import type { StoredReplyResult } from '../../core/http/operation.ts'
import { decideAndSave } from '../decision/decide.ts'
import { warnOfOrder } from '../decision/doubtful-order.ts'
import { type Checkout, refuseMetadata, refuseOutcomes } from '../decision/facts.ts'
import { type CheckoutRequest, openedSession } from '../decision/request.ts'
import type { SessionView } from '../decision/schema.ts'
import { refuseOnPrimary } from '../decision/unknown-names.ts'
import { inClientSession } from '../sessions/client-sessions.ts'
import { holdsOf } from '../sessions/hold.ts'
import { recordValidationEvent } from './record-event.ts'
import { refuseAsOf } from './validate.ts'

/**
 * Validates the single redeemable of a request, on the order as it was sent: stacking limits and the rule about redeemables
 * without effect do not apply, calculation modes and ONCE do (docs/reference/stacking.md#one-redeemable-alone).
 */
export async function validateSingle<Answer extends object>(
  ctx: Ctx,
  request: CheckoutRequest,
  answerOf: (checkout: Checkout, outcome: Outcome, session: SessionView | null) => Answer,
  complete: (checkout: Checkout) => Checkout = (checkout) => checkout,
): Promise<Answer | StoredReplyResult | ApiError> {
  refuseAsOf(ctx, request)
  const decide = (assembled: Checkout) => {
    const checkout = complete(assembled)
    refuseMetadata(checkout)
    const [outcome] = qualify(checkout.facts, { explain: request.explain }) as [Outcome]
    refuseOutcomes([outcome])
    warnOfOrder(ctx, checkout)
    const valid = outcome.status === 'APPLICABLE'
    if (!valid) refuseOnPrimary(ctx, checkout)
    const session = valid && request.session !== null ? openedSession(request.session) : null
    const result = answerOf(checkout, outcome, session)
    recordValidationEvent(ctx, checkout, valid, result)
    const changes = session === null ? null : holdsOf(ctx, checkout, { valid, redeemables: [outcome] }, session.key)
    return { result, changes }
  }
  return inClientSession(ctx, request.session, () => decideAndSave(ctx, request, decide))
}
