import type { Ctx } from '../../core/context.ts'
import type { CampaignRow, CampaignVoucher } from '../../core/db/tables.ts'
import { emit } from '../../core/events/emit.ts'
import { loadMetadataRules } from '../../definitions/metadata-schemas/rules.ts'
import { chosenCategory } from '../../rules/categories/assign.ts'
import { discountOf } from '../../rules/terms/discount.ts'
import { insertTerms } from '../../rules/terms/store.ts'
import { type ValidityState, validityAfter, validityColumns } from '../../rules/terms/validity.ts'
import { withoutKeys } from '../vouchers/update.ts'
import {
  campaignTermsOf,
  creditsOf,
  giftOf,
  invalidCampaign,
  joinOnce,
  loyaltyCardOf,
  referralProgramOf,
  tierSettingsOf,
} from './define.ts'
import { type CampaignChange, propagateToVouchers } from './propagate.ts'
import type { Campaign, UpdateCampaign } from './schema.ts'
import { showCampaign } from './show.ts'
import { getCampaign, refuseProtected, type StoredCampaign, updateCampaign } from './store.ts'

/**
 * Updates a campaign that the caller has locked (docs/reference/campaigns.md#update-a-campaign). New vouchers get the new
 * terms at once; a background job updates existing ones that are still changeable, however many there are.
 */
export async function changeCampaign(ctx: Ctx, campaign: StoredCampaign, body: UpdateCampaign): Promise<Campaign> {
  refuseProtected(campaign)
  const validity = validityAfter(campaign, body, invalidCampaign)
  const voucher = await voucherAfter(ctx, campaign, body)
  const categoryId = await chosenCategory(ctx, body)
  const metadata = await metadataAfter(ctx, campaign, body)
  const termsId =
    campaign.terms_id === null
      ? null
      : await insertTerms(
          ctx.db,
          ctx.project_id,
          campaignTermsOf({ ...campaign, ...validity, voucher, metadata: metadata ?? campaign.metadata }),
          ctx.now,
        )
  const type = poolAfter(campaign, body)
  if (hasTierSettings(campaign, body)) await ctx.reactions.tierSettingsChanging(ctx, campaign.id)
  await updateCampaign(ctx, campaign.id, {
    ...validityColumns(validity),
    ...(voucher === null ? {} : { voucher: JSON.stringify(voucher) }),
    terms_id: termsId,
    type,
    ...(categoryId === undefined ? {} : { category_id: categoryId }),
    ...(metadata === undefined ? {} : { metadata: JSON.stringify(metadata) }),
    ...definedOnly({ description: body.description }),
    ...(await settingsOfCodes(ctx, campaign, body)),
    updated_at: ctx.now,
  })
  await propagateToVouchers(ctx, campaign, changeFor(campaign, body, validity, voucher, categoryId))
  const response = await showCampaign(ctx, await getCampaign(ctx, campaign.id))
  await emit(ctx, 'campaign.updated', campaign.id, { campaign: response })
  if (hasTierSettings(campaign, body) && body.options?.recalculate_tiers === true)
    await ctx.reactions.tierRecalculationRequested(ctx, campaign.id)
  return response
}

/** Settings of campaigns with vouchers; a promotion has none of them. */
async function settingsOfCodes(ctx: Ctx, campaign: StoredCampaign, body: UpdateCampaign) {
  const { campaign_type } = campaign
  if (campaign_type === 'PROMOTION') return {}
  const { activity_duration_after_publishing, join_once, auto_join, referral_program } = body
  return definedOnly({
    activity_duration_after_publishing,
    join_once: join_once === undefined ? undefined : joinOnce(campaign_type, campaign.type, join_once),
    auto_join,
    referral_program:
      referral_program === undefined || campaign_type !== 'REFERRAL_PROGRAM'
        ? undefined
        : JSON.stringify(await referralProgramOf(ctx, referral_program)),
    loyalty_tiers_expiration: hasTierSettings(campaign, body)
      ? JSON.stringify(tierSettingsOf(body.loyalty_tiers_expiration))
      : undefined,
  })
}

const hasTierSettings = <B extends UpdateCampaign>(
  { campaign_type }: StoredCampaign,
  body: B,
): body is B & Required<Pick<UpdateCampaign, 'loyalty_tiers_expiration'>> =>
  campaign_type === 'LOYALTY_PROGRAM' && body.loyalty_tiers_expiration !== undefined

/** AUTO_UPDATE and STATIC are interchangeable; every other change of type is ignored. */
function poolAfter({ type, campaign_type }: StoredCampaign, body: UpdateCampaign): StoredCampaign['type'] {
  const isSwitch = type !== 'STANDALONE' && campaign_type !== 'PROMOTION' && body.type !== undefined
  return isSwitch && body.type !== 'STANDALONE' ? (body.type as StoredCampaign['type']) : type
}

async function voucherAfter(
  ctx: Ctx,
  { campaign_type, voucher }: StoredCampaign,
  body: UpdateCampaign,
): Promise<CampaignVoucher | null> {
  if (voucher === null) return null
  const after = { ...voucher }
  if (body.discount !== undefined && (campaign_type === 'DISCOUNT_COUPONS' || campaign_type === 'REFERRAL_PROGRAM')) {
    after.discount = await discountOf(ctx, body.discount, invalidCampaign)
    if (voucher.discount !== undefined && after.discount.type !== voucher.discount.type)
      throw invalidCampaign('It is not possible to change Campaign discount type')
  }
  if (body.gift !== undefined && campaign_type === 'GIFT_VOUCHERS') {
    after.gift = giftOf({ ...voucher.gift, ...body.gift }, invalidCampaign)
  }
  if (body.loyalty_card !== undefined && campaign_type === 'LOYALTY_PROGRAM')
    after.loyalty_card = loyaltyCardOf({ ...voucher.loyalty_card, ...body.loyalty_card }, invalidCampaign)
  if (body.default_voucher_redemption?.quantity !== undefined)
    after.redemption = { quantity: body.default_voucher_redemption.quantity }
  return after
}

async function metadataAfter(
  ctx: Ctx,
  { use_voucher_metadata_schema, metadata }: StoredCampaign,
  body: UpdateCampaign,
): Promise<Record<string, unknown> | undefined> {
  if (body.metadata === undefined && body.unset_metadata_fields === undefined) return undefined
  const rules = await loadMetadataRules(ctx, use_voucher_metadata_schema ? 'voucher' : 'campaign')
  return withoutKeys(rules.merged(metadata, body.metadata ?? {}), body.unset_metadata_fields ?? [])
}

/**
 * The changes that propagate to vouchers: only the fields that were sent (docs/reference/campaigns.md#update-a-campaign).
 */
function changeFor(
  campaign: StoredCampaign,
  body: UpdateCampaign,
  validity: ValidityState,
  voucher: CampaignVoucher | null,
  categoryId: CampaignRow['category_id'] | undefined,
): CampaignChange {
  if (voucher === null) return {}
  const sent = <Name extends keyof ValidityState>(name: Name): ValidityState[Name] | undefined =>
    body[name] === undefined ? undefined : validity[name]
  const terms = definedOnly({
    discount: body.discount && voucher.discount,
    effect: body.gift && voucher.gift && (voucher.gift.effect ?? null),
    validity_timeframe: sent('validity_timeframe'),
    validity_day_of_week: sent('validity_day_of_week'),
    validity_hours: sent('validity_hours'),
  })
  const { metadata: merged, unset_metadata_fields: unset } = body
  const hasMetadata = campaign.use_voucher_metadata_schema && (merged !== undefined || unset !== undefined)
  const credits = creditsOf(voucher)
  return definedOnly({
    start_date: sent('start_date'),
    expiration_date: sent('expiration_date'),
    category_id: categoryId,
    quantity: body.default_voucher_redemption?.quantity,
    terms: Object.keys(terms).length === 0 ? undefined : terms,
    metadata: hasMetadata ? { merged: merged ?? {}, unset: unset ?? [] } : undefined,
    credits: credits === null || credits === creditsOf(campaign.voucher) ? undefined : credits,
  })
}

const definedOnly = <T extends object>(values: T): { [K in keyof T]?: Exclude<T[K], undefined> } =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as never

/** Enables or disables a campaign; no effect if it already has that state. Its vouchers keep their own `active`. */
export async function switchCampaign(
  ctx: Ctx,
  { id, active: wasActive }: StoredCampaign,
  active: boolean,
): Promise<void> {
  if (wasActive === active) return
  await updateCampaign(ctx, id, { active, updated_at: ctx.now })
  const campaign = await showCampaign(ctx, await getCampaign(ctx, id))
  await emit(ctx, active ? 'campaign.enabled' : 'campaign.disabled', id, { campaign })
}
