import type { Ctx } from '../../core/context.ts'
import { ApiError } from '../../core/http/errors.ts'
import { invalidCampaign } from '../campaigns/define.ts'
import { findCampaign, getCampaign, type StoredCampaign } from '../campaigns/store.ts'
import { getVoucher } from '../vouchers/store.ts'
import type { StoredVoucher } from '../vouchers/voucher.ts'
import type { CreatePublication } from './schema.ts'

/** What is to be given away: one code, or so many free ones of a campaign. */
export type Target =
  | { voucher: StoredVoucher; campaign: StoredCampaign | null; count: 1 }
  | { voucher: null; campaign: StoredCampaign; count: number }

/**
 * What a request names; a code counts more than a campaign (docs/reference/publications.md#create-a-publication). Nothing is
 * locked yet.
 */
export async function findTarget(
  ctx: Ctx,
  { voucher: code, campaign }: Pick<CreatePublication, 'voucher' | 'campaign'>,
): Promise<Target> {
  if (code != null) {
    const voucher = await getVoucher(ctx, code)
    const found = voucher.campaign_id === null ? undefined : await findCampaign(ctx, voucher.campaign_id)
    return { voucher, campaign: found ?? null, count: 1 }
  }
  if (campaign == null) throw new ApiError('missing_vouchers', { details: 'Either Campaign or Voucher is required' })
  const { name, count } = typeof campaign === 'string' ? { name: campaign, count: 1 } : campaign
  const found = await getCampaign(ctx, name)
  if (found.campaign_type === 'PROMOTION')
    throw invalidCampaign(`Campaign ${found.name} is a promotion and has no vouchers`)
  return { voucher: null, campaign: found, count: count ?? 1 }
}
