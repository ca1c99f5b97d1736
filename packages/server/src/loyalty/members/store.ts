import { type Selectable, sql } from 'kysely'
import type { Ctx } from '../../core/context.ts'
import type { LoyaltyMemberRow, LoyaltyTierRow, PendingPointsRow } from '../../core/db/tables.ts'
import type { PendingPoints } from '../../core/events/shapes.ts'
import { cursorOf, pageOf } from '../../core/query/list.ts'
import type { StoredVoucher } from '../../incentives/vouchers/voucher.ts'
import { toBucket } from './bucket.ts'
import { toPendingPoints } from './pending-points.ts'
import type { PendingPointsQuery, PointsBucket, PointsBucketQuery } from './schema.ts'

/** The entries of a card, or of all cards of a campaign, that are still pending. Their ids sort by the time of activation. */
export async function listPendingPoints(
  { db, project_id }: Ctx,
  owner: Pick<PendingPointsRow, 'voucher_id'> | Pick<PendingPointsRow, 'campaign_id'>,
  query: PendingPointsQuery,
): Promise<{ entries: PendingPoints[]; has_more: boolean; more_starting_after?: string }> {
  const entries = db.selectFrom('pending_points').where('project_id', '=', project_id).selectAll()
  const { rows, ...more } = await cursorOf(
    'voucher_id' in owner
      ? entries.where('voucher_id', '=', owner.voucher_id)
      : entries.where('campaign_id', '=', owner.campaign_id),
    query,
    // Written as in the partial indexes. A cursor may point to an entry activated since.
    { columns: { id: 'id' }, default_order: '-id', where: [sql`status = 'PENDING'`] },
  )
  return { entries: rows.map(toPendingPoints), ...more }
}

/** The open buckets of a card by expiration date, the one that never expires last. */
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

/** A member with its current tier. */
export interface Membership {
  member: Selectable<LoyaltyMemberRow>
  tier: Selectable<LoyaltyTierRow>
}

/**
 * The current tier of a card, or undefined; a tier that starts later does not count yet
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
