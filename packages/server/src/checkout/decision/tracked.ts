import { trackingId } from '../../audience/customers/tracking.ts'
import type { Ctx } from '../../core/context.ts'
import type { Checkout } from './facts.ts'

/** The tracking id of the customer, derived from its source id (docs/reference/requests.md#customer). */
export function trackingIdOf({ project }: Ctx, { buyer }: Pick<Checkout, 'buyer'>): { tracking_id?: string } {
  const sourceId = buyer.customer?.source_id ?? null
  return sourceId === null ? {} : { tracking_id: trackingId(project, sourceId) }
}
