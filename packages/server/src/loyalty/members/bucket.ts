import type { LotRow } from '../../core/db/tables.ts'
import type { PointsBucket as PointsBucketInEvents } from '../../core/events/shapes.ts'
import type { PointsBucket } from './schema.ts'

type Lot = Pick<LotRow, 'id' | 'voucher_id' | 'points' | 'expires_at' | 'created_at' | 'updated_at'> & {
  expired_points: number | null
}

/** [LB] The points of a card that expire on one day; without `expires_at` if they never expire. */
export function toBucket(lot: Lot & { expires_at: string }, campaignId: string): PointsBucketInEvents
export function toBucket(lot: Lot, campaignId: string): PointsBucket
export function toBucket(lot: Lot, campaignId: string): PointsBucket {
  const { id, voucher_id, points, expires_at, expired_points, created_at, updated_at } = lot
  return {
    id,
    voucher_id,
    campaign_id: campaignId,
    bucket: { total_points: points },
    status: expired_points === null ? 'ACTIVE' : 'EXPIRED',
    ...(expires_at === null ? {} : { expires_at }),
    created_at,
    ...(updated_at === null ? {} : { updated_at }),
    object: 'loyalty_points_bucket',
  }
}
