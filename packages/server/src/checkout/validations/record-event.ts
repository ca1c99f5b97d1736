import { toSimpleCustomer } from '../../audience/customers/customer.ts'
import type { Ctx } from '../../core/context.ts'
import { eventRow } from '../../core/events/emit.ts'
import { isProof, trackingName } from '../../core/http/tracking-id.ts'
import { figureTallies } from '../../incentives/campaigns/summary-figures.ts'
import type { Checkout } from '../decision/facts.ts'
import { trackingIdOf } from '../decision/tracked.ts'

/**
 * Records a validation: as an event of the customer, if it is stored, and in the figures of the campaigns. The deferred writer
 * saves both shortly after the response, which the event contains: they are informational, so no request waits for them.
 */
export function recordValidationEvent(ctx: Ctx, checkout: Checkout, isValid: boolean): void {
  const { buyer, candidates, request } = checkout
  const { stored } = buyer
  if (request.as_of !== null) return // a simulation, no real checkout
  ctx.replyStore?.onReply((validation) => {
    const campaigns = new Set(candidates.flatMap(({ campaign }) => campaign?.id ?? []))
    const figure = isValid ? 'validations_succeeded' : 'validations_failed'
    const type = isValid ? 'customer.validation.succeeded' : 'customer.validation.failed'
    ctx.deferred.record(ctx.project_id, {
      event:
        stored === null
          ? null
          : {
              row: eventRow(ctx, { type, entity_id: stored.id }),
              data: `{"customer":${JSON.stringify(toSimpleCustomer(stored))},"validation":${withoutProof(ctx, checkout, validation)}}`,
            },
      tallies: [...campaigns].flatMap((id) => figureTallies(ctx, id, { [figure]: 1 })),
    })
  })
}

/**
 * A reply with the pseudonym in place of the tracking id that proves its customer: keys that may only read get no proof
 * (trackingIdOf), but read events.
 */
function withoutProof(ctx: Ctx, checkout: Checkout, reply: string): string {
  const { tracking_id } = trackingIdOf(ctx, checkout)
  const sourceId = checkout.buyer.customer?.source_id ?? null
  if (tracking_id === undefined || sourceId === null || !isProof(tracking_id)) return reply
  return reply.replaceAll(tracking_id, trackingName(ctx.project, sourceId))
}
