import type { Ctx } from '../../core/context.ts'
import type { CampaignRow } from '../../core/db/tables.ts'
import { type Tally, tallyMany } from '../../core/db/tallies.ts'
import { todayIn } from '../../core/query/filter/calendar.ts'

/**
 * The daily figures of a campaign summary (docs/reference/campaigns.md#campaign-summary). Figures of redemptions are
 * stored with the redemptions (core/db/usage.ts).
 */
export const figures = [
  'redemptions_failed',
  'rollbacks_succeeded',
  'rollbacks_failed',
  'validations_succeeded',
  'validations_failed',
  'orders_rolledback_amount',
  'vouchers_created',
  'vouchers_deleted',
  'publications_succeeded',
  'publications_failed',
  'rolledback_discounted_amount',
  'created_vouchers_amount',
  'amount_added',
  'amount_subtracted',
  'amount_rolledback',
  'amount_deleted',
  'created_vouchers_points',
  'points_added',
  'points_subtracted',
  'points_rewarded',
  'points_rolledback',
  'points_expired',
  'points_deleted',
  'points_transferred_in',
  'points_transferred_out',
  'pending_points_added',
  'pending_points_subtracted',
  'pending_points_activated',
  'pending_points_canceled',
  'referred_customers',
] as const
export type Figure = (typeof figures)[number]

/** Adds figures to the current day in the time zone of the project. */
export async function countInSummary(
  ctx: Ctx,
  campaignId: CampaignRow['id'] | null,
  counts: Partial<Record<Figure, number>>,
): Promise<void> {
  if (campaignId !== null) await tallyMany(ctx.db, ctx.project_id, figureTallies(ctx, campaignId, counts))
}

/** The same as tally changes, for callers that write them together with others. */
export function figureTallies(
  { now, project: { timezone } }: Ctx,
  campaignId: CampaignRow['id'],
  counts: Partial<Record<Figure, number>>,
): Array<[Tally, number]> {
  const day = todayIn({ now, timezone })
  return Object.entries(counts).map(([figure, count]) => [`campaign/${campaignId}/${day}/${figure}`, count])
}
