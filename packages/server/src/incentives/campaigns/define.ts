import { readDuration } from '@guerdon/engine'
import { Amount, type Discount, GiftEffect, Maybe, PointsExpirationRules, TierExpiration } from '@guerdon/engine/schema'
import { Type } from 'typebox'
import type { Ctx } from '../../core/context.ts'
import type { CampaignRow, CampaignType, CampaignVoucher, Terms, VoucherType } from '../../core/db/tables.ts'
import { type ApiError, invalidPayload, notFound, type Refuse, refuseWith, under } from '../../core/http/errors.ts'
import { compileValidator } from '../../core/http/validation.ts'
import { knownOnly } from '../../core/lib/known-only.ts'
import { getCustomEventSchema, getCustomEventSchemaById } from '../../definitions/custom-event-schemas/store.ts'
import { discountOf } from '../../rules/terms/discount.ts'
import { setOnly } from '../../rules/terms/validity.ts'
import type { CreateCampaign, ReferralProgram, ReferralProgramBody } from './schema.ts'
import { findCampaign, type StoredCampaign } from './store.ts'

export const invalidCampaign = refuseWith('invalid_campaign')

/** The voucher type of each campaign type. */
const voucherTypes: Readonly<Record<Exclude<CampaignType, 'PROMOTION'>, VoucherType>> = {
  DISCOUNT_COUPONS: 'DISCOUNT_VOUCHER',
  REFERRAL_PROGRAM: 'DISCOUNT_VOUCHER',
  GIFT_VOUCHERS: 'GIFT_VOUCHER',
  LOYALTY_PROGRAM: 'LOYALTY_CARD',
}

/**
 * The campaign type in the body, or else the one that its content implies
 * (docs/reference/campaigns.md#create-a-campaign).
 */
export function campaignTypeOf({ campaign_type, promotion, voucher, referral_program }: CreateCampaign): CampaignType {
  if (campaign_type != null) return campaign_type
  if (promotion != null) return 'PROMOTION'
  switch (voucher?.type) {
    case undefined:
      throw invalidCampaign("Property 'voucher' is required")
    case 'GIFT_VOUCHER':
      return 'GIFT_VOUCHERS'
    case 'LOYALTY_CARD':
      return 'LOYALTY_PROGRAM'
    default:
      return referral_program != null || voucher?.is_referral_code === true ? 'REFERRAL_PROGRAM' : 'DISCOUNT_COUPONS'
  }
}

/** The validated discount, gift or loyalty card of the vouchers of a campaign. */
export async function definitionOf(
  ctx: Ctx,
  campaignType: Exclude<CampaignType, 'PROMOTION'>,
  sent: CreateCampaign['voucher'],
  { hasRefereeReward }: { hasRefereeReward: boolean },
): Promise<Pick<CampaignVoucher, 'discount' | 'gift' | 'loyalty_card'>> {
  if (sent == null) throw invalidCampaign("Property 'voucher' is required")
  const type = voucherTypes[campaignType]
  if (sent.type !== type) throw invalidCampaign(`Property .voucher.type must be ${type} for ${campaignType} campaign`)
  const refuse = under('.voucher', invalidCampaign)
  switch (type) {
    case 'DISCOUNT_VOUCHER':
      if (sent.discount != null) return { discount: await discountOf(ctx, sent.discount, refuse) }
      if (hasRefereeReward) return {}
      throw missing('discount', campaignType)
    case 'GIFT_VOUCHER':
      if (sent.gift == null) throw missing('gift', campaignType)
      return { gift: giftOf(sent.gift, refuse) }
    case 'LOYALTY_CARD':
      if (sent.loyalty_card == null) throw missing('loyalty_card', campaignType)
      return { loyalty_card: loyaltyCardOf(sent.loyalty_card, refuse) }
  }
}

const missing = (property: string, campaignType: CampaignType): ApiError =>
  invalidCampaign(`Property '${property}' is required for ${campaignType} campaign`)

const giftShape = compileValidator(Type.Object({ gift: Type.Object({ amount: Amount, effect: Maybe(GiftEffect) }) }))
const cardShape = compileValidator(
  Type.Object({
    loyalty_card: Type.Object({ points: Amount, expiration_rules: Maybe(PointsExpirationRules) }),
  }),
)

/**
 * The validated gift card settings of a request; a `balance` in them is ignored, as the server computes it
 * (docs/reference/vouchers.md#gift-card).
 */
export function giftOf(sent: object, refuse: Refuse): NonNullable<CampaignVoucher['gift']> {
  const faults = giftShape.faults({ gift: sent }, { root: 'Payload', required: 'should' })
  if (faults.length > 0) throw refuse(faults)
  const { amount, effect } = sent as { amount: number; effect?: 'APPLY_TO_ORDER' | 'APPLY_TO_ITEMS' | null }
  return { amount, ...(effect == null ? {} : { effect }) }
}

export function loyaltyCardOf(sent: object, refuse: Refuse): NonNullable<CampaignVoucher['loyalty_card']> {
  const faults = cardShape.faults({ loyalty_card: sent }, { root: 'Payload', required: 'should' })
  if (faults.length > 0) throw refuse(faults)
  const { points, expiration_rules: rules } = sent as {
    points: number
    expiration_rules?: PointsExpirationRules | null
  }
  if (rules?.period_type === 'MONTH' && rules.rounding_type === 'PARTICULAR_MONTH' && rules.rounding_value == null)
    throw refuse("Property .loyalty_card.expiration_rules should have required property 'rounding_value'")
  return { points, ...(rules == null ? {} : { expiration_rules: knownOnly(PointsExpirationRules, rules) }) }
}

/** Initial money or points of a voucher of the campaign; null for a type without credits. */
export const creditsOf = (voucher: CampaignVoucher | null): number | null =>
  voucher?.gift?.amount ?? voucher?.loyalty_card?.points ?? null

/**
 * The tier settings of a loyalty program in their stored form (docs/reference/loyalty-tiers.md#settings). A member that
 * belongs to other settings has no effect here and is refused: the client expects something else.
 */
export function tierSettingsOf(sent: TierExpiration): TierExpiration {
  const { type } = sent.expiration_date
  if (sent.qualification_type === 'BALANCE') refuseMember(sent, 'qualification_period', 'BALANCE')
  if (type === 'BALANCE_DROP') refuseMember(sent.expiration_date, 'extend', type, '.expiration_date')
  if (type !== 'CUSTOM') refuseMember(sent.expiration_date, 'rounding', type, '.expiration_date')
  const settings = knownOnly(TierExpiration, sent)
  const { expiration_date } = settings
  if ('extend' in expiration_date) refuseExtend(expiration_date.extend ?? '')
  if (expiration_date.type !== 'CUSTOM' || expiration_date.rounding == null) return settings
  const rounding = { ...expiration_date.rounding, strategy: expiration_date.rounding.strategy ?? 'END' }
  return { ...settings, expiration_date: { ...expiration_date, rounding } } as TierExpiration
}

function refuseMember(settings: object, name: string, kind: string, path = ''): void {
  if ((settings as Record<string, unknown>)[name] != null)
    throw invalidPayload(`Property .loyalty_tiers_expiration${path}.${name} is not allowed for ${kind}`)
}

/**
 * A zero duration is valid, since rounding can extend it; a duration beyond the last date would count as none and is
 * refused.
 */
function refuseExtend(extend: string): void {
  if (readDuration(extend) === null && /[1-9]/.test(extend))
    throw invalidPayload('Property .loyalty_tiers_expiration.expiration_date.extend is too long')
}

/**
 * A referral program with its custom event and reward campaign resolved
 * (docs/reference/referrals.md#referral-campaigns-and-codes).
 */
export async function referralProgramOf(
  ctx: Ctx,
  sent: ReferralProgramBody | null | undefined,
): Promise<ReferralProgram> {
  const conversionEventType = sent?.conversion_event_type ?? 'redemption'
  const program: ReferralProgram = { conversion_event_type: conversionEventType }
  if (conversionEventType === 'custom_event') {
    const schema = await customEventOf(ctx, sent?.custom_event ?? {})
    program.custom_event = { id: schema.id, name: schema.name }
  }
  if (sent?.referee_reward != null) {
    const { related_object_parent, type, amount } = sent.referee_reward
    const key = related_object_parent.id ?? related_object_parent.name
    if (key == null)
      throw invalidCampaign("Property .referral_program.referee_reward.related_object_parent needs an 'id'")
    const parent = await findCampaign(ctx, key, { lock: 'keyShare' })
    if (parent === undefined) throw notFound('campaign', key)
    if (parent.voucher_type !== type)
      throw invalidCampaign(
        `Property .referral_program.referee_reward.type must be that of the codes of ${parent.name}`,
      )
    program.referee_reward = {
      related_object_parent: { id: parent.id, name: parent.name, object: 'CAMPAIGN' },
      type,
      amount,
    }
  }
  return program
}

async function customEventOf(ctx: Ctx, { id, name }: { id?: string | null; name?: string | null }) {
  if (id != null) return getCustomEventSchemaById(ctx, id)
  if (name != null) return getCustomEventSchema(ctx, name)
  throw invalidCampaign("Property .referral_program should have required property 'custom_event'")
}

/** The terms that new vouchers of a campaign share. */
export function campaignTermsOf({
  voucher,
  validity_timeframe,
  validity_day_of_week,
  validity_hours,
  use_voucher_metadata_schema,
  metadata,
}: Pick<
  StoredCampaign,
  | 'voucher'
  | 'validity_timeframe'
  | 'validity_day_of_week'
  | 'validity_hours'
  | 'use_voucher_metadata_schema'
  | 'metadata'
>): Terms {
  const inherited = use_voucher_metadata_schema && Object.keys(metadata).length > 0
  return setOnly({
    discount: voucher?.discount as Discount | undefined,
    effect: voucher?.gift?.effect,
    validity_timeframe,
    validity_day_of_week,
    validity_hours,
    metadata: inherited ? metadata : undefined,
  })
}

/**
 * Whether a customer gets one voucher at most: always in a loyalty program, never for the one public code of a STANDALONE
 * campaign.
 */
export function joinOnce(campaignType: CampaignType, type: CampaignRow['type'], isRequested: boolean): boolean {
  return campaignType === 'LOYALTY_PROGRAM' || (type !== 'STANDALONE' && isRequested)
}
