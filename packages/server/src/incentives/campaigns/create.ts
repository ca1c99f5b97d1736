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
  campaignTypeOf,
  definitionOf,
  invalidCampaign,
  joinOnce,
  referralProgramOf,
  termsOf,
  tierSettingsOf,
} from './define.ts'
import { makeFirst, startGenerating } from './generate.ts'
import type { Campaign, CreateCampaign } from './schema.ts'
import { showCampaign } from './show.ts'
import { getCampaign, insertCampaign } from './store.ts'
import { templateOf } from './voucher-template.ts'

/** Creates a campaign of any type with its first codes or tiers (docs/reference/campaigns.md#create-a-campaign). */
export async function createCampaign(ctx: Ctx, body: CreateCampaign): Promise<Campaign> {
  const campaign_type = campaignTypeOf(body)
  const takesRules = campaign_type !== 'LOYALTY_PROGRAM' && campaign_type !== 'PROMOTION'
  const rules = takesRules ? await rulesNamed(ctx, body.validation_rules ?? []) : []
  const row = await rowOf(ctx, campaign_type, body)
  await insertCampaign(ctx, row)
  await assignRules(ctx, rules, 'campaign', row.id)

  const created = await getCampaign(ctx, row.id)
  await emit(ctx, 'campaign.created', row.id, { campaign: await showCampaign(ctx, created), created_at: ctx.now })
  if (campaign_type === 'PROMOTION') await createTiers(ctx, created, body.promotion?.tiers ?? [])
  else if (row.type === 'STANDALONE') {
    await makeVoucherWithCode(ctx, body.voucher?.code ?? '', templateOf(created))
    await makeFirst(ctx, created)
  } else await startGenerating(ctx, created, body.vouchers_count ?? 0)
  return showCampaign(ctx, await getCampaign(ctx, row.id))
}

type NewCampaign = Parameters<typeof insertCampaign>[1]

/** The row of a new campaign: what the body says, what its type forces, and what nobody said. */
async function rowOf(ctx: Ctx, campaign_type: CampaignType, body: CreateCampaign): Promise<NewCampaign> {
  const isPromotion = campaign_type === 'PROMOTION'
  const category_id = (await chosenCategory(ctx, body)) ?? null
  const type = poolOf(campaign_type, body)
  const referral_program =
    campaign_type === 'REFERRAL_PROGRAM' ? await referralProgramOf(ctx, body.referral_program) : null
  const voucher = isPromotion
    ? null
    : await voucherOf(ctx, campaign_type, type, body, referral_program !== null && 'referee_reward' in referral_program)
  const validity = validityAfter(always, body, invalidCampaign)
  const use_voucher_metadata_schema = body.use_voucher_metadata_schema ?? !isPromotion
  const metadata = body.metadata ?? {}
  const rules = await loadMetadataRules(ctx, use_voucher_metadata_schema ? 'voucher' : 'campaign')
  rules.check(metadata, { isNew: true })

  const terms = termsOf({ voucher, ...validity, use_voucher_metadata_schema, metadata })
  return {
    id: newId('campaign', Date.parse(ctx.now)),
    name: body.name,
    description: body.description ?? null,
    campaign_type,
    type,
    voucher_type: isPromotion ? null : (body.voucher?.type ?? null),
    voucher: voucher === null ? null : JSON.stringify(voucher),
    terms_id: voucher === null ? null : await insertTerms(ctx.db, ctx.project_id, terms, ctx.now),
    referral_program: jsonOf(referral_program),
    loyalty_tiers_expiration:
      campaign_type === 'LOYALTY_PROGRAM' && body.loyalty_tiers_expiration != null
        ? JSON.stringify(tierSettingsOf(body.loyalty_tiers_expiration))
        : null,
    auto_join: !isPromotion && (body.auto_join ?? false),
    join_once: joinOnce(campaign_type, type, body.join_once ?? false),
    use_voucher_metadata_schema,
    ...validityColumns(validity),
    activity_duration_after_publishing: body.activity_duration_after_publishing ?? null,
    category_id,
    active: true,
    metadata: JSON.stringify(metadata),
    status: 'DONE',
    created_at: ctx.now,
    updated_at: null,
    deleted_at: null,
  }
}

function poolOf(campaign_type: CampaignType, { type }: CreateCampaign): CampaignRow['type'] {
  if (campaign_type === 'PROMOTION') return 'STATIC'
  if (type === 'STANDALONE' && campaign_type !== 'DISCOUNT_COUPONS' && campaign_type !== 'GIFT_VOUCHERS')
    throw invalidCampaign(`A ${campaign_type} campaign cannot be STANDALONE`)
  return type ?? 'STATIC'
}

async function voucherOf(
  ctx: Ctx,
  campaign_type: Exclude<CampaignType, 'PROMOTION'>,
  type: CampaignRow['type'],
  { voucher }: CreateCampaign,
  hasRefereeReward: boolean,
): Promise<CampaignVoucher> {
  const definition = await definitionOf(ctx, campaign_type, voucher, { hasRefereeReward })
  const redemption = { quantity: voucher?.redemption?.quantity ?? null }
  if (type === 'STANDALONE') {
    if (voucher?.code == null) throw invalidCampaign("Property 'code' is required for STANDALONE type campaign")
    return { ...definition, redemption }
  }
  return { ...definition, redemption, code_config: readCodeConfig(voucher?.code_config, ctx.project) }
}

const jsonOf = (value: object | null | undefined): string | null => (value == null ? null : JSON.stringify(value))
