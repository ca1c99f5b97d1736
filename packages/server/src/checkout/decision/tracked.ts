import { trackingId } from '../../audience/customers/tracking.ts'
import type { Ctx } from '../../core/context.ts'
import type { Checkout } from './facts.ts'

/** The token of the customer, who has one by having a source id (docs/reference/requests.md#customer). */
export function trackingIdOf({ project }: Ctx, { buyer }: Pick<Checkout, 'buyer'>): { tracking_id?: string } {
  const source_id = buyer.customer?.source_id ?? null
  return source_id === null ? {} : { tracking_id: trackingId(project, source_id) }
}
