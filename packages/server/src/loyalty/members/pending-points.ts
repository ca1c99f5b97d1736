import type { Selectable } from 'kysely'
import type { PendingPointsRow } from '../../core/db/tables.ts'
import type { PendingPoints } from '../../core/events/shapes.ts'

/** [PP] Pending points (docs/reference/points.md#pending-points), without their internal status. */
export function toPendingPoints(row: Selectable<PendingPointsRow>): PendingPoints {
  const { id, voucher_id, campaign_id, customer_id, order_id, points, activates_at, created_at, updated_at } = row
  return {
    id,
    voucher_id,
    campaign_id,
    customer_id,
    order_id,
    points,
    activates_at,
    details: row.details as PendingPoints['details'],
    created_at,
    ...(updated_at === null ? {} : { updated_at }),
  }
}
