import { isPage } from '../../audience/customers/on-client-side.ts'
import { type Ctx, writingRoles } from '../../core/context.ts'
import { trackingName, trackingProof } from '../../core/http/tracking-id.ts'
import type { Checkout } from './facts.ts'

/**
 * The tracking id that a response shows (docs/reference/requests.md#tracking-token). The server side gets one that proves the
 * customer to the client side, unless it may only read; a client-side request gets back the one that it sent, or one that proves nothing.
 */
export function trackingIdOf(
  { project, caller, identity, now }: Ctx,
  { buyer }: Pick<Checkout, 'buyer'>,
): { tracking_id?: string } {
  const sourceId = buyer.customer?.source_id ?? null
  if (sourceId === null) return {}
  if (!isPage({ caller }) && writingRoles.has(caller.role))
    return { tracking_id: trackingProof(project, sourceId, Date.parse(now)) }
  return { tracking_id: identity?.tracking_id ?? trackingName(project, sourceId) }
}
