import type { Ctx } from '../../core/context.ts'
import { loadMetadataRules, type MetadataRules } from '../../definitions/metadata-schemas/rules.ts'
import { chosenCategory } from '../../rules/categories/assign.ts'
import type { VoucherTemplate } from '../vouchers/make.ts'
import { creditsOf, invalidCampaign } from './define.ts'
import type { AddVoucherWithCode } from './schema.ts'
import type { StoredCampaign } from './store.ts'

/**
 * Everything about a voucher of a campaign except its code, taken from the campaign
 * (docs/reference/validity-periods.md#from-campaign-to-voucher and
 * docs/reference/campaigns.md#add-vouchers-to-a-campaign).
 */
export function templateOf(campaign: StoredCampaign): VoucherTemplate {
  const { voucher, voucher_type, terms_id } = campaign
  if (voucher === null || voucher_type === null || terms_id === null)
    throw invalidCampaign('A promotion has no vouchers')
  return {
    type: voucher_type,
    campaign_id: campaign.id,
    category_id: campaign.category_id,
    terms_id,
    start_date: campaign.start_date,
    expiration_date: campaign.expiration_date,
    quantity: voucher.redemption.quantity,
    credits: creditsOf(voucher),
    active: true,
    additional_info: null,
    metadata: null,
    is_referral_code: campaign.campaign_type === 'REFERRAL_PROGRAM',
    is_automatic: false,
  }
}

/** The same with the overrides of a request. */
export async function templateWith(
  ctx: Ctx,
  campaign: StoredCampaign,
  sent: AddVoucherWithCode,
  rules?: MetadataRules,
): Promise<VoucherTemplate> {
  const base = templateOf(campaign)
  const categoryId = await chosenCategory(ctx, sent)
  const template: VoucherTemplate = {
    ...base,
    category_id: categoryId === undefined ? base.category_id : categoryId,
    start_date: sent.start_date === undefined ? base.start_date : sent.start_date,
    expiration_date: sent.expiration_date === undefined ? base.expiration_date : sent.expiration_date,
    quantity: sent.redemption?.quantity === undefined ? base.quantity : sent.redemption.quantity,
    active: sent.active ?? true,
    additional_info: sent.additional_info ?? null,
    metadata: await ownMetadata(ctx, campaign, sent.metadata, rules),
  }
  if (
    template.start_date !== null &&
    template.expiration_date !== null &&
    template.expiration_date < template.start_date
  )
    throw invalidCampaign('Property .expiration_date must not be earlier than .start_date')
  if (template.start_date === null && campaign.validity_timeframe !== null)
    throw invalidCampaign('Property .validity_timeframe requires .start_date')
  return template
}

/**
 * The metadata of a voucher: its own over those of the campaign, if the campaign passes them on
 * (docs/reference/campaigns.md#create-a-campaign). Null: the voucher has none of its own.
 */
export async function ownMetadata(
  ctx: Ctx,
  { use_voucher_metadata_schema, metadata }: StoredCampaign,
  sent: Record<string, unknown> | undefined,
  rules?: MetadataRules,
): Promise<Record<string, unknown> | null> {
  if (sent === undefined || Object.keys(sent).length === 0) return null
  const merged = { ...(use_voucher_metadata_schema ? metadata : {}), ...sent }
  const metadataRules = rules ?? (await loadMetadataRules(ctx, 'voucher'))
  metadataRules.check(merged, { isNew: true })
  return merged
}
