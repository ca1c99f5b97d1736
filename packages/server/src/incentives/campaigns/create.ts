import type { Ctx } from '../../core/context.ts'
import type { CampaignRow, CampaignType, CampaignVoucher } from '../../core/db/tables.ts'
import { emit } from '../../core/events/emit.ts'
import { newId } from '../../core/lib/ids.ts'
import { loadMetadataRules } from '../../definitions/metadata-schemas/rules.ts'
import { chosenCategory } from '../../rules/categories/assign.ts'
import { insertTerms } from '../../rules/terms/store.ts'
import { always, validityAfter, validityColumns } from '../../rules/terms/validity.ts'
import { assignRules, rulesNamed } from '../../rules/validation-rules/assign.ts'
import { createTiers } from '../promotions/create-tiers.ts'
import { readCodeConfig } from '../vouchers/code-config.ts'
import { makeVoucherWithCode } from '../vouchers/create.ts'
import {
  campaignTermsOf,
  campaignTypeOf,
  definitionOf,
  invalidCampaign,
  joinOnce,
  referralProgramOf,
  tierSettingsOf,
} from './define.ts'
import { completeFirstVoucher, startGenerating } from './generate.ts'
import type { Campaign, CreateCampaign } from './schema.ts'
import { showCampaign } from './show.ts'
import { getCampaign, insertCampaign } from './store.ts'
import { templateOf } from './voucher-template.ts'

/** Creates a campaign of any type with its first vouchers or tiers (docs/reference/campaigns.md#create-a-campaign). */
export async function createCampaign(ctx: Ctx, body: CreateCampaign): Promise<Campaign> {
  const campaignType = campaignTypeOf(body)
  const takesRules = campaignType !== 'LOYALTY_PROGRAM' && campaignType !== 'PROMOTION'
  const rules = takesRules ? await rulesNamed(ctx, body.validation_rules ?? []) : []
  const row = await rowOf(ctx, campaignType, body)
  await insertCampaign(ctx, row)
  await assignRules(ctx, rules, 'campaign', row.id)

  const storedCampaign = await getCampaign(ctx, row.id)
  await emit(ctx, 'campaign.created', row.id, {
    campaign: await showCampaign(ctx, storedCampaign),
    created_at: ctx.now,
  })
  if (campaignType === 'PROMOTION')
    await createTiers(ctx, storedCampaign, body.promotion?.tiers ?? [], (index) => `.promotion.tiers[${index}]`)
  else if (row.type === 'STANDALONE') {
    await makeVoucherWithCode(ctx, body.voucher?.code ?? '', templateOf(storedCampaign))
    await completeFirstVoucher(ctx, storedCampaign)
  } else await startGenerating(ctx, storedCampaign, body.vouchers_count ?? 0)
  return showCampaign(ctx, await getCampaign(ctx, row.id))
}

type NewCampaign = Parameters<typeof insertCampaign>[1]

/** The row of a new campaign: values from the body, values that the campaign type forces, and defaults. */
async function rowOf(ctx: Ctx, campaignType: CampaignType, body: CreateCampaign): Promise<NewCampaign> {
  const isPromotion = campaignType === 'PROMOTION'
  const categoryId = (await chosenCategory(ctx, body)) ?? null
  const type = poolOf(campaignType, body)
  const referralProgram =
    campaignType === 'REFERRAL_PROGRAM' ? await referralProgramOf(ctx, body.referral_program) : null
  const voucher = isPromotion
    ? null
    : await voucherOf(ctx, campaignType, type, body, referralProgram !== null && 'referee_reward' in referralProgram)
  const validity = validityAfter(always, body, invalidCampaign)
  const useVoucherMetadataSchema = body.use_voucher_metadata_schema ?? !isPromotion
  const metadata = body.metadata ?? {}
  const rules = await loadMetadataRules(ctx, useVoucherMetadataSchema ? 'voucher' : 'campaign')
  rules.check(metadata, { isNew: true })

  const terms = campaignTermsOf({
    voucher,
    ...validity,
    use_voucher_metadata_schema: useVoucherMetadataSchema,
    metadata,
  })
  return {
    id: newId('campaign', Date.parse(ctx.now)),
    name: body.name,
    description: body.description ?? null,
    campaign_type: campaignType,
    type,
    voucher_type: isPromotion ? null : (body.voucher?.type ?? null),
    voucher: voucher === null ? null : JSON.stringify(voucher),
    terms_id: voucher === null ? null : await insertTerms(ctx.db, ctx.project_id, terms, ctx.now),
    referral_program: jsonOf(referralProgram),
    loyalty_tiers_expiration:
      campaignType === 'LOYALTY_PROGRAM' && body.loyalty_tiers_expiration != null
        ? JSON.stringify(tierSettingsOf(body.loyalty_tiers_expiration))
        : null,
    auto_join: !isPromotion && (body.auto_join ?? false),
    join_once: joinOnce(campaignType, type, body.join_once ?? false),
    use_voucher_metadata_schema: useVoucherMetadataSchema,
    ...validityColumns(validity),
    activity_duration_after_publishing: body.activity_duration_after_publishing ?? null,
    category_id: categoryId,
    active: true,
    metadata: JSON.stringify(metadata),
    status: 'DONE',
    created_at: ctx.now,
    updated_at: null,
    deleted_at: null,
  }
}

function poolOf(campaignType: CampaignType, { type }: CreateCampaign): CampaignRow['type'] {
  if (campaignType === 'PROMOTION') return 'STATIC'
  if (type === 'STANDALONE' && campaignType !== 'DISCOUNT_COUPONS' && campaignType !== 'GIFT_VOUCHERS')
    throw invalidCampaign(`A ${campaignType} campaign cannot be STANDALONE`)
  return type ?? 'STATIC'
}

async function voucherOf(
  ctx: Ctx,
  campaignType: Exclude<CampaignType, 'PROMOTION'>,
  type: CampaignRow['type'],
  { voucher }: CreateCampaign,
  hasRefereeReward: boolean,
): Promise<CampaignVoucher> {
  const definition = await definitionOf(ctx, campaignType, voucher, { hasRefereeReward })
  const redemption = { quantity: voucher?.redemption?.quantity ?? null }
  if (type === 'STANDALONE') {
    if (voucher?.code == null) throw invalidCampaign("Property 'code' is required for STANDALONE type campaign")
    return { ...definition, redemption }
  }
  return { ...definition, redemption, code_config: readCodeConfig(voucher?.code_config, ctx.project, '.voucher') }
}

const jsonOf = (value: object | null | undefined): string | null => (value == null ? null : JSON.stringify(value))
