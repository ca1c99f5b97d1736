import type { Ctx } from '../../core/context.ts'
import { loadMetadataRules, type MetadataRules } from '../../definitions/metadata-schemas/rules.ts'
import { chosenCategory } from '../../rules/categories/assign.ts'
import type { VoucherTemplate } from '../vouchers/make.ts'
import { creditsOf, invalidCampaign } from './define.ts'
import type { AddVoucherWithCode } from './schema.ts'
import type { StoredCampaign } from './store.ts'

/**
 * What a code of a campaign is like, but for the code: all of it comes from the campaign
 * (docs/reference/validity-periods.md#from-campaign-to-voucher and docs/reference/campaigns.md#add-vouchers-to-a-campaign).
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

/** The same with what a call wants to be different. */
export async function templateWith(
  ctx: Ctx,
  campaign: StoredCampaign,
  sent: AddVoucherWithCode,
  rules?: MetadataRules,
): Promise<VoucherTemplate> {
  const mould = templateOf(campaign)
  const categoryId = await chosenCategory(ctx, sent)
  const own: VoucherTemplate = {
    ...mould,
    category_id: categoryId === undefined ? mould.category_id : categoryId,
    start_date: sent.start_date === undefined ? mould.start_date : sent.start_date,
    expiration_date: sent.expiration_date === undefined ? mould.expiration_date : sent.expiration_date,
    quantity: sent.redemption?.quantity === undefined ? mould.quantity : sent.redemption.quantity,
    active: sent.active ?? true,
    additional_info: sent.additional_info ?? null,
    metadata: await ownMetadata(ctx, campaign, sent.metadata, rules),
  }
  if (own.start_date !== null && own.expiration_date !== null && own.expiration_date < own.start_date)
    throw invalidCampaign('Property .expiration_date must not be earlier than .start_date')
  if (own.start_date === null && campaign.validity_timeframe !== null)
    throw invalidCampaign('Property .validity_timeframe requires .start_date')
  return own
}

/**
 * The metadata of a code: those of its campaign, where it hands them down, and over them its own
 * (docs/reference/campaigns.md#create-a-campaign).
 */
export async function ownMetadata(
  ctx: Ctx,
  { use_voucher_metadata_schema, metadata }: StoredCampaign,
  sent: Record<string, unknown> | undefined,
  rules?: MetadataRules,
): Promise<Record<string, unknown> | null> {
  if (sent === undefined || Object.keys(sent).length === 0) return null
  const merged = { ...(use_voucher_metadata_schema ? metadata : {}), ...sent }
  const checked = rules ?? (await loadMetadataRules(ctx, 'voucher'))
  checked.check(merged, { isNew: true })
  return merged
}
