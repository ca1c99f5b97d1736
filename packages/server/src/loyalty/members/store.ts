import { type Selectable, sql } from 'kysely'
import type { Ctx } from '../../core/context.ts'
import type { LoyaltyMemberRow, LoyaltyTierRow, PendingPointsRow } from '../../core/db/tables.ts'
import type { PendingPoints } from '../../core/events/shapes.ts'
import { cursorOf, pageOf } from '../../core/query/list.ts'
import type { StoredVoucher } from '../../incentives/vouchers/voucher.ts'
import { toBucket } from './bucket.ts'
import { toPendingPoints } from './pending-points.ts'
import type { PendingPointsQuery, PointsBucket, PointsBucketQuery } from './schema.ts'

/** Points of one card, or of all cards of a campaign, that still wait. Their ids sort by the moment they activate. */
export async function listPendingPoints(
  { db, project_id }: Ctx,
  of: Pick<PendingPointsRow, 'voucher_id'> | Pick<PendingPointsRow, 'campaign_id'>,
  query: PendingPointsQuery,
): Promise<{ entries: PendingPoints[]; has_more: boolean; more_starting_after?: string }> {
  const ever = db.selectFrom('pending_points').where('project_id', '=', project_id).selectAll()
  const { rows, ...more } = await cursorOf(
    'voucher_id' in of ? ever.where('voucher_id', '=', of.voucher_id) : ever.where('campaign_id', '=', of.campaign_id),
    query,
    // The condition in the words of the indexes. One may continue after an entry that has been activated meanwhile.
    { columns: { id: 'id' }, default_order: '-id', where: [sql`status = 'PENDING'`] },
  )
  return { entries: rows.map(toPendingPoints), ...more }
}

/** The points of a card by the day they expire, those that never do last; without what is over. */
export async function listBuckets(
  { db, project_id }: Ctx,
  { voucher_id, campaign_id }: Pick<LoyaltyMemberRow, 'voucher_id' | 'campaign_id'>,
  query: PointsBucketQuery,
): Promise<{ buckets: PointsBucket[]; total: number }> {
  const { rows, total } = await pageOf(
    db.selectFrom('lots').where('project_id', '=', project_id).where('voucher_id', '=', voucher_id).selectAll(),
    query,
    {
      columns: { expires_at: { nullable: 'expires_at' } },
      default_order: 'expires_at',
      where: [sql`expired_points is null`],
    },
  )
  return { buckets: rows.map((row) => toBucket(row, campaign_id)), total }
}

/** A member with the tier it is in. */
export interface Membership {
  member: Selectable<LoyaltyMemberRow>
  tier: Selectable<LoyaltyTierRow>
}

/**
 * The tier of a card and since when, or undefined. One that has still to start is none yet
 * (docs/reference/loyalty-tiers.md#endpoints).
 */
export async function findMembership(
  { db, project_id }: Ctx,
  voucherId: StoredVoucher['id'],
): Promise<Membership | undefined> {
  const member = await db
    .selectFrom('loyalty_members')
    .where('project_id', '=', project_id)
    .where('voucher_id', '=', voucherId)
    .selectAll()
    .executeTakeFirst()
  if (member?.tier_id == null) return undefined
  const tier = await db
    .selectFrom('loyalty_tiers')
    .where('project_id', '=', project_id)
    .where('id', '=', member.tier_id)
    .selectAll()
    .executeTakeFirst()
  return tier && { member, tier }
}
