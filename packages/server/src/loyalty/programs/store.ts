import type { Ctx } from '../../core/context.ts'
import { notFound } from '../../core/http/errors.ts'
import type { RowLock } from '../../core/rows.ts'
import { getCampaign, type StoredCampaign } from '../../incentives/campaigns/store.ts'
import { findVoucher } from '../../incentives/vouchers/store.ts'
import type { StoredVoucher } from '../../incentives/vouchers/voucher.ts'

/**
 * A loyalty program by its id or name; 404 for a campaign of another type (docs/reference/loyalty-programs.md#list-programs).
 */
export async function getProgram(ctx: Ctx, key: string, options: { lock?: RowLock } = {}): Promise<StoredCampaign> {
  const campaign = await getCampaign(ctx, key, options)
  if (campaign.campaign_type !== 'LOYALTY_PROGRAM') throw notFound('campaign', key)
  return campaign
}

/**
 * A loyalty card by its code or id, within the program if one is given; otherwise 404
 * (docs/reference/loyalty-cards.md#list-members).
 */
export async function getMember(
  ctx: Ctx,
  key: string,
  program?: Pick<StoredCampaign, 'id'>,
  options: { lock?: RowLock } = {},
): Promise<StoredVoucher> {
  const card = await findVoucher(ctx, key, options)
  if (card?.type !== 'LOYALTY_CARD' || (program !== undefined && card.campaign_id !== program.id)) {
    throw notFound('voucher', key)
  }
  return card
}

/** The loyalty card of a path: by `memberId` alone, or within the program `campaignId` if the path has one. */
export const getMemberIn = async (
  ctx: Ctx,
  { campaignId, memberId }: { campaignId?: string; memberId: string },
): Promise<StoredVoucher> =>
  getMember(ctx, memberId, campaignId === undefined ? undefined : await getProgram(ctx, campaignId))
