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
  creditsOf,
  giftOf,
  invalidCampaign,
  joinOnce,
  loyaltyCardOf,
  referralProgramOf,
  termsOf,
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
          termsOf({ ...campaign, ...validity, voucher, metadata: metadata ?? campaign.metadata }),
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
    ...(body.description === undefined ? {} : { description: body.description }),
    ...(await settingsOfCodes(ctx, campaign, body)),
    updated_at: ctx.now,
  })
  await propagateToVouchers(ctx, campaign, changeFor(campaign, body, { validity, voucher, category_id: categoryId }))
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
  const { activity_duration_after_publishing: duration, join_once, auto_join } = body
  return {
    ...(duration === undefined ? {} : { activity_duration_after_publishing: duration }),
    ...(join_once === undefined ? {} : { join_once: joinOnce(campaign_type, campaign.type, join_once) }),
    ...(auto_join === undefined ? {} : { auto_join }),
    ...(body.referral_program === undefined || campaign_type !== 'REFERRAL_PROGRAM'
      ? {}
      : { referral_program: JSON.stringify(await referralProgramOf(ctx, body.referral_program)) }),
    ...(hasTierSettings(campaign, body)
      ? { loyalty_tiers_expiration: JSON.stringify(tierSettingsOf(body.loyalty_tiers_expiration)) }
      : {}),
  }
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
  after: {
    validity: ValidityState
    voucher: CampaignVoucher | null
    category_id: CampaignRow['category_id'] | undefined
  },
): CampaignChange {
  const { validity, voucher, category_id } = after
  if (voucher === null) return {}
  const { metadata, unset_metadata_fields } = body
  const credits = creditsOf(voucher)
  const terms: NonNullable<CampaignChange['terms']> = {
    ...(body.discount === undefined || voucher.discount === undefined ? {} : { discount: voucher.discount }),
    ...(body.gift === undefined || voucher.gift === undefined ? {} : { effect: voucher.gift.effect ?? null }),
  }
  for (const name of ['validity_timeframe', 'validity_day_of_week', 'validity_hours'] as const)
    if (body[name] !== undefined) Object.assign(terms, { [name]: validity[name] })
  return {
    ...(body.start_date === undefined ? {} : { start_date: validity.start_date }),
    ...(body.expiration_date === undefined ? {} : { expiration_date: validity.expiration_date }),
    ...(category_id === undefined ? {} : { category_id }),
    ...(body.default_voucher_redemption?.quantity === undefined ? {} : { quantity: voucher.redemption.quantity }),
    ...(Object.keys(terms).length === 0 ? {} : { terms }),
    ...(campaign.use_voucher_metadata_schema && (metadata !== undefined || unset_metadata_fields !== undefined)
      ? { metadata: { merged: metadata ?? {}, unset: unset_metadata_fields ?? [] } }
      : {}),
    ...(credits === null || credits === creditsOf(campaign.voucher) ? {} : { credits }),
  }
}
