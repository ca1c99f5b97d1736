import type { Ctx } from '../../core/context.ts'
import { ApiError } from '../../core/http/errors.ts'
import { invalidCampaign } from '../campaigns/define.ts'
import { findCampaign, getCampaign, type StoredCampaign } from '../campaigns/store.ts'
import { getVoucher } from '../vouchers/store.ts'
import type { StoredVoucher } from '../vouchers/voucher.ts'
import type { CreatePublication } from './schema.ts'

/** What to publish: one given voucher, or a number of free ones of a campaign. */
export type Target =
  | { voucher: StoredVoucher; campaign: StoredCampaign | null; count: 1 }
  | { voucher: null; campaign: StoredCampaign; count: number }

/** A parsed publication request. */
export interface PublicationRequest {
  target: Target
  source_id: string | null
  /** Set by the request; the campaign may require it as well. */
  join_once: boolean
  metadata: Record<string, unknown>
  channel: string
}

/**
 * Finds the voucher or campaign of a request; a voucher takes precedence
 * (docs/reference/publications.md#create-a-publication). Locks nothing yet.
 */
export async function findTarget(
  ctx: Ctx,
  { voucher: code, campaign }: Pick<CreatePublication, 'voucher' | 'campaign'>,
): Promise<Target> {
  if (code != null) {
    const voucher = await getVoucher(ctx, code)
    const storedCampaign = voucher.campaign_id === null ? undefined : await findCampaign(ctx, voucher.campaign_id)
    return { voucher, campaign: storedCampaign ?? null, count: 1 }
  }
  if (campaign == null) throw new ApiError('missing_vouchers', { details: 'Either Campaign or Voucher is required' })
  const { name, count } = typeof campaign === 'string' ? { name: campaign, count: 1 } : campaign
  const storedCampaign = await getCampaign(ctx, name)
  if (storedCampaign.campaign_type === 'PROMOTION')
    throw invalidCampaign(`Campaign ${storedCampaign.name} is a promotion and has no vouchers`)
  return { voucher: null, campaign: storedCampaign, count: count ?? 1 }
}
