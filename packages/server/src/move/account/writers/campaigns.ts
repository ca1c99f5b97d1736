import type { CampaignRow, CampaignVoucher } from '../../../core/db/tables.ts'
import {
  campaignTermsOf,
  definitionOf,
  joinOnce,
  referralProgramOf,
  tierSettingsOf,
} from '../../../incentives/campaigns/define.ts'
import type { CreateCampaign } from '../../../incentives/campaigns/schema.ts'
import { readCodeConfig } from '../../../incentives/vouchers/code-config.ts'
import { insertTerms } from '../../../rules/terms/store.ts'
import { always } from '../../../rules/terms/validity.ts'
import { type Batch, forEach, ownId, reference, type Writer } from '../batch.ts'
import { type Foreign, flag, moments, oneOf, part, requiredText, shape, text } from '../foreign.ts'
import { count } from '../report.ts'
import { validityOf } from '../validity.ts'
import { insertConfiguration } from './definitions.ts'

const campaignTypes = ['DISCOUNT_COUPONS', 'GIFT_VOUCHERS', 'LOYALTY_PROGRAM', 'REFERRAL_PROGRAM', 'PROMOTION'] as const

export const campaigns: Writer = {
  list: 'campaigns',
  size: 100,
  async write(batch) {
    const rows = await forEach(batch, (campaign) => rowOf(batch, campaign))
    await insertConfiguration(batch, 'campaigns', rows)
  },
}

async function rowOf(batch: Batch, campaign: Foreign) {
  const { ctx, report } = batch
  const campaignType = oneOf(campaign, 'campaign_type', campaignTypes)
  const type = oneOf({ type: 'STATIC', ...campaign }, 'type', ['AUTO_UPDATE', 'STATIC', 'STANDALONE'])
  const isPromotion = campaignType === 'PROMOTION'
  const referralProgram =
    campaignType === 'REFERRAL_PROGRAM'
      ? await referralProgramOf(ctx, shape(campaign, 'referral_program') as CreateCampaign['referral_program'])
      : null
  const hasRefereeReward = referralProgram !== null && 'referee_reward' in referralProgram
  const voucher = isPromotion
    ? null
    : await voucherOf(batch, campaignType, type, part(campaign, 'voucher'), hasRefereeReward)
  const validity = isPromotion ? { ...always, ...validityOf(campaign) } : validityOf(campaign)
  const common = {
    use_voucher_metadata_schema: flag(campaign, 'use_voucher_metadata_schema', !isPromotion),
    metadata: { ...part(campaign, 'metadata') },
  }
  const terms = campaignTermsOf({ voucher, ...validity, ...common })
  const tierSettings = shape(campaign, 'loyalty_tiers_expiration')
  if (['DRAFT', 'FAILED'].includes(String(campaign.creation_status)))
    count(report.changed, `the campaign is ${campaign.creation_status} there, and complete here`, campaign.id)
  return {
    id: ownId(batch, 'campaign', campaign),
    name: requiredText(campaign, 'name'),
    description: text(campaign, 'description'),
    campaign_type: campaignType,
    type,
    voucher_type: isPromotion ? null : requiredText(part(campaign, 'voucher'), 'type'),
    voucher,
    terms_id: voucher === null ? null : await insertTerms(ctx.db, ctx.project_id, terms, ctx.now),
    referral_program: referralProgram,
    loyalty_tiers_expiration:
      campaignType === 'LOYALTY_PROGRAM' && tierSettings !== null
        ? tierSettingsOf(tierSettings as Parameters<typeof tierSettingsOf>[0])
        : null,
    auto_join: !isPromotion && flag(campaign, 'auto_join', false),
    join_once: joinOnce(campaignType, type, flag(campaign, 'join_once', false)),
    ...common,
    ...validity,
    activity_duration_after_publishing: text(campaign, 'activity_duration_after_publishing'),
    category_id: reference('category', campaign, 'category_id'),
    active: flag(campaign, 'active', true),
    protected: flag(campaign, 'protected', false),
    status: 'DONE',
    ...moments(campaign, batch.copied_at),
  }
}

async function voucherOf(
  { ctx, report }: Batch,
  campaignType: Exclude<CampaignRow['campaign_type'], 'PROMOTION'>,
  type: CampaignRow['type'],
  sent: Foreign,
  hasRefereeReward: boolean,
): Promise<CampaignVoucher> {
  const definition = await definitionOf(ctx, campaignType, sent as CreateCampaign['voucher'], { hasRefereeReward })
  const quantity = part(sent, 'redemption').quantity
  const redemption = {
    quantity: Number.isSafeInteger(quantity) && (quantity as number) > 0 ? (quantity as number) : null,
  }
  if (type === 'STANDALONE') return { ...definition, redemption }
  const config = shape(sent, 'code_config')
  try {
    return { ...definition, redemption, code_config: readCodeConfig(config, ctx.project, '.voucher') }
  } catch {
    // Only codes that are made from now on depend on it.
    count(report.changed, 'its code configuration is none of ours: new codes get the default one', null)
    return { ...definition, redemption, code_config: readCodeConfig(null, ctx.project, '.voucher') }
  }
}
