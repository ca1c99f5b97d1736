import { evaluate } from '@guerdon/engine'
import type { Outcome, Verdict } from '@guerdon/engine/schema'
import type { Ctx } from '../../core/context.ts'
import { type ApiError, invalidPayload } from '../../core/http/errors.ts'
import type { StoredReplyResult } from '../../core/http/operation.ts'
import { newId } from '../../core/lib/ids.ts'
import { decideAndSave } from '../decision/decide.ts'
import { type Checkout, refuseMetadata, refuseOutcomes, refuseRequest } from '../decision/facts.ts'
import { type CheckoutRequest, openedSession, readRequest } from '../decision/request.ts'
import { appliedOf, orderView, resultOf } from '../decision/results.ts'
import type { SessionView } from '../decision/schema.ts'
import { trackingIdOf } from '../decision/tracked.ts'
import { holdsOf } from '../sessions/hold.ts'
import { recordValidationEvent } from './record-event.ts'
import type { Validation, ValidationBody } from './schema.ts'

/**
 * What some redeemables would do to an order, one after the other (docs/reference/validations.md#validate-several). Nothing
 * changes but a session's holds.
 */
export async function validate(ctx: Ctx, body: ValidationBody): Promise<Validation | StoredReplyResult | ApiError> {
  const request = readRequest(ctx, body, body.redeemables)
  refuseAsOf(ctx, request)
  return decideAndSave(ctx, request, (it) => {
    refuseRequest(it)
    refuseMetadata(it)
    const verdict = evaluate(it.facts, { explain: request.explain })
    refuseOutcomes(verdict.redeemables)
    const session = verdict.valid && request.session !== null ? openedSession(request.session) : null
    const result = validationOf(ctx, it, verdict, session)
    recordValidationEvent(ctx, it, verdict.valid)
    return { result, changes: session === null ? null : holdsOf(ctx, it, verdict, session.key) }
  })
}

/** Another moment than now is for those who look, on the server side (docs/decisions). */
export function refuseAsOf({ caller }: Ctx, { as_of, session }: CheckoutRequest): void {
  if (as_of === null) return
  if (caller.channel === 'CLIENT_API') throw invalidPayload('Property .options.as_of is for the server side only')
  if (session !== null) throw invalidPayload('Property .options.as_of must NOT be sent with a session')
}

function validationOf(ctx: Ctx, it: Checkout, verdict: Verdict, session: SessionView | null): Validation {
  const applied = appliedOf(it, verdict.redeemables)
  const shown = (outcome: Outcome) => resultOf(ctx, it, outcome, applied)
  const of = (status: Outcome['status']) => verdict.redeemables.filter((one) => one.status === status).map(shown)
  const isPartial = it.facts.stacking_rules.redeemables_application_mode === 'PARTIAL'
  const [skipped, inapplicable] = [of('SKIPPED'), of('INAPPLICABLE')]
  return {
    id: newId('validation', Date.parse(ctx.now)),
    valid: verdict.valid,
    redeemables: isPartial ? of('APPLICABLE') : verdict.redeemables.map(shown),
    ...(skipped.length === 0 ? {} : { skipped_redeemables: skipped }),
    ...(inapplicable.length === 0 ? {} : { inapplicable_redeemables: inapplicable }),
    ...(verdict.order === undefined ? {} : { order: orderView(it, verdict.order, applied) }),
    ...trackingIdOf(ctx, it),
    ...(session === null ? {} : { session }),
    stacking_rules: it.facts.stacking_rules,
  }
}
