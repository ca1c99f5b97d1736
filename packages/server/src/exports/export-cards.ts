import type { Ctx } from '../core/context.ts'
import { ApiError } from '../core/http/errors.ts'
import type { StoredCampaign } from '../incentives/campaigns/store.ts'
import { createExport } from './create.ts'
import type { AskedParameters, Export, ExportParameters } from './schema.ts'

type SentParameters = AskedParameters | null | undefined

/** The transactions of a loyalty or gift campaign. */
export async function exportCampaignTransactions(
  ctx: Ctx,
  campaign: StoredCampaign,
  sentParameters: SentParameters,
): Promise<Export> {
  refuseWithoutCards(campaign)
  return exportTransactions(ctx, sentParameters, { campaign_id: { conditions: { $in: [campaign.id] } } })
}

function refuseWithoutCards({ campaign_type }: StoredCampaign): void {
  if (campaign_type !== 'LOYALTY_PROGRAM' && campaign_type !== 'GIFT_VOUCHERS')
    throw new ApiError('forbidden', { details: 'Transactions are allowed only for loyalty or gift campaigns' })
}

/** `key` is the code or the id, as in the path: the response shows the same. */
export function exportCardTransactions(ctx: Ctx, key: string, sentParameters: SentParameters): Promise<Export> {
  return exportTransactions(ctx, sentParameters, { voucher_id: { conditions: { $in: [key] } } })
}

/** The response shows the parameters that were sent, and the bound that the path sets. */
function exportTransactions(ctx: Ctx, sentParameters: SentParameters, bound: Record<string, unknown>): Promise<Export> {
  const sent = asSent(sentParameters)
  return createExport(ctx, 'voucher_transactions', sentParameters, bound, {
    ...sent,
    filters: { ...sent.filters, ...bound },
  })
}

/**
 * The points of a program by expiration date. The filters cannot reach beyond the program, although the response does not show
 * that bound.
 */
export function exportPointsExpiration(
  ctx: Ctx,
  { id }: StoredCampaign,
  sentParameters: SentParameters,
): Promise<Export> {
  return createExport(
    ctx,
    'points_expiration',
    sentParameters,
    { campaign_id: { conditions: { $in: [id] } } },
    asSent(sentParameters),
  )
}

function asSent(sentParameters: SentParameters): ExportParameters {
  const { order, fields, filters } = sentParameters ?? {}
  return {
    ...(order == null ? {} : { order }),
    ...(fields == null ? {} : { fields }),
    ...(filters == null ? {} : { filters }),
  }
}
