import { qualify } from '@guerdon/engine'
import type { Outcome } from '@guerdon/engine/schema'
import type { Ctx } from '../../core/context.ts'
import type { ApiError } from '../../core/http/errors.ts'
import type { StoredReplyResult } from '../../core/http/operation.ts'
import { decideAndSave } from '../decision/decide.ts'
import { type Checkout, refuseMetadata, refuseOutcomes } from '../decision/facts.ts'
import { type CheckoutRequest, openedSession } from '../decision/request.ts'
import type { SessionView } from '../decision/schema.ts'
import { holdsOf } from '../sessions/hold.ts'
import { recordValidationEvent } from './record-event.ts'
import { refuseAsOf } from './validate.ts'

/**
 * Validates the one redeemable of a request. It is judged on the order as it was sent: neither the limits of stacking nor
 * its rule about what has no effect play a part, calculation modes and ONCE do (docs/reference/stacking.md#one-redeemable-alone).
 */
export async function validateAlone<Answer extends object>(
  ctx: Ctx,
  request: CheckoutRequest,
  answerOf: (it: Checkout, outcome: Outcome, session: SessionView | null) => Answer,
  completed: (it: Checkout) => Checkout = (it) => it,
): Promise<Answer | StoredReplyResult | ApiError> {
  refuseAsOf(ctx, request)
  return decideAndSave(ctx, request, (loaded) => {
    const it = completed(loaded)
    refuseMetadata(it)
    const [outcome] = qualify(it.facts, { explain: request.explain }) as [Outcome]
    refuseOutcomes([outcome])
    const valid = outcome.status === 'APPLICABLE'
    const session = valid && request.session !== null ? openedSession(request.session) : null
    const result = answerOf(it, outcome, session)
    recordValidationEvent(ctx, it, valid)
    const changes = session === null ? null : holdsOf(ctx, it, { valid, redeemables: [outcome] }, session.key)
    return { result, changes }
  })
}
