import type { Ctx } from '../../core/context.ts'
import { ApiError } from '../../core/http/errors.ts'
import { readTrackingId, trackingProof } from '../../core/http/tracking-id.ts'
import { toInstant } from '../../core/lib/instant.ts'
import type { StoredCustomer } from './customer.ts'
import type { IssuedTrackingId } from './schema.ts'

/** Issues a tracking id, by which the pages of a customer prove who it is (docs/reference/client-side.md#identity). */
export function issueTrackingId({ project, settings, now }: Ctx, { id, source_id }: StoredCustomer): IssuedTrackingId {
  if (source_id === null)
    throw new ApiError('invalid_customer', {
      details: `Customer ${id} has no 'source_id' that a tracking id could stand for`,
    })
  const trackingId = trackingProof(project, source_id, Date.parse(now))
  const issuedAt = readTrackingId(project, trackingId)?.issued_at as number
  return {
    tracking_id: trackingId,
    expires_at: toInstant(issuedAt + settings.tracking_id_hours_max * 3_600_000),
    object: 'tracking_id',
  }
}
