import type { Ctx } from '../core/context.ts'
import { ApiError } from '../core/http/errors.ts'
import type { StoredCampaign } from '../incentives/campaigns/store.ts'
import { createExport } from './create.ts'
import type { AskedParameters, Export, ExportParameters } from './schema.ts'

type Asked = AskedParameters | null | undefined

/** The transactions of a campaign of cards; the answer shows the parameters with their defaults. */
export async function exportCampaignTransactions(ctx: Ctx, campaign: StoredCampaign, asked: Asked): Promise<Export> {
  refuseWithoutCards(campaign)
  return createExport(ctx, 'voucher_transactions', asked, { campaign_id: { conditions: { $in: [campaign.id] } } })
}

/** The same under the path of loyalty programs; the answer shows only the parameters that the request has. */
export async function exportProgramTransactions(ctx: Ctx, campaign: StoredCampaign, asked: Asked): Promise<Export> {
  refuseWithoutCards(campaign)
  return exportTransactions(ctx, asked, { campaign_id: { conditions: { $in: [campaign.id] } } })
}

function refuseWithoutCards({ campaign_type }: StoredCampaign): void {
  if (campaign_type !== 'LOYALTY_PROGRAM' && campaign_type !== 'GIFT_VOUCHERS')
    throw new ApiError('forbidden', { details: 'Transactions are allowed only for loyalty or gift campaigns' })
}

/** `key` is what stood in the path, the code or the id: so it is answered. */
export function exportMemberTransactions(ctx: Ctx, key: string, asked: Asked): Promise<Export> {
  return exportTransactions(ctx, asked, { voucher_id: { conditions: { $in: [key] } } })
}

function exportTransactions(ctx: Ctx, asked: Asked, bound: Record<string, unknown>): Promise<Export> {
  const sent = asSent(asked)
  return createExport(ctx, 'voucher_transactions', asked, bound, { ...sent, filters: { ...sent.filters, ...bound } })
}

/** The points of a program by the day they expire. No filter leads out of it, although it is not named among them. */
export function exportPointsExpiration(ctx: Ctx, { id }: StoredCampaign, asked: Asked): Promise<Export> {
  return createExport(ctx, 'points_expiration', asked, { campaign_id: { conditions: { $in: [id] } } }, asSent(asked))
}

function asSent(asked: Asked): ExportParameters {
  const { order, fields, filters } = asked ?? {}
  return {
    ...(order == null ? {} : { order }),
    ...(fields == null ? {} : { fields }),
    ...(filters == null ? {} : { filters }),
  }
}
