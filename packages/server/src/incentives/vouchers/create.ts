import type { Ctx } from '../../core/context.ts'
import type { Terms, VoucherType } from '../../core/db/tables.ts'
import { emit } from '../../core/events/emit.ts'
import { type ApiError, duplicate, invalidPayload, notFound, refuseWith } from '../../core/http/errors.ts'
import { type Id, newId } from '../../core/lib/ids.ts'
import { loadMetadataRules } from '../../definitions/metadata-schemas/rules.ts'
import { chosenCategory } from '../../rules/categories/assign.ts'
import { discountOf } from '../../rules/terms/discount.ts'
import { insertTerms } from '../../rules/terms/store.ts'
import { always, setOnly, type ValidityState, validityAfter } from '../../rules/terms/validity.ts'
import { assignRules, rulesNamed } from '../../rules/validation-rules/assign.ts'
import { toSimpleCampaign } from '../campaigns/campaign.ts'
import { giftOf, invalidCampaign, loyaltyCardOf } from '../campaigns/define.ts'
import { countMade, refuseBeyondLimit } from '../campaigns/generate.ts'
import { findCampaign, type StoredCampaign } from '../campaigns/store.ts'
import { ownMetadata } from '../campaigns/voucher-template.ts'
import { readCodeConfig, whyNotCode } from './code-config.ts'
import { postInitialCredits } from './initial-credits.ts'
import { makeAll, newAssetId, refuseUnlessPossible, type VoucherTemplate } from './make.ts'
import type { CreateVoucher, CreateVoucherWithCode, Voucher } from './schema.ts'
import { showVoucher } from './show.ts'
import { codeKey, getVoucher, insertVouchers } from './store.ts'

export const invalidVoucher = refuseWith('invalid_voucher')

/**
 * Creates one voucher with a given or random code, standalone or in a campaign
 * (docs/reference/vouchers.md#create-a-voucher).
 */
export async function createVoucher(
  ctx: Ctx,
  body: CreateVoucher | CreateVoucherWithCode,
  pathCode?: string,
): Promise<Voucher> {
  const type = typeOf(body)
  const rules = await rulesNamed(ctx, body.validation_rules ?? [])
  const campaign = await campaignOf(ctx, body, type)
  const { code, code_config } = body as Partial<CreateVoucher>
  const requestedCode = pathCode ?? code ?? null
  if (campaign?.type === 'STANDALONE' && requestedCode === null)
    throw invalidCampaign('You can not generate vouchers for STANDALONE type campaign.')
  const template = await templateFrom(ctx, body, type, campaign)
  if (campaign !== undefined) await refuseBeyondLimit(ctx, campaign, 1)

  const id =
    requestedCode === null
      ? await makeVoucherWithRandomCode(ctx, template, code_config)
      : await makeVoucherWithCode(ctx, requestedCode, template)
  await countMade(ctx, template, 1)
  await assignRules(ctx, rules, 'voucher', id)
  return emitCreated(ctx, id, campaign)
}

/** Emits the creation event of a single voucher, and returns the voucher as the API shows it. */
export async function emitCreated(ctx: Ctx, id: Id<'voucher'>, campaign?: StoredCampaign): Promise<Voucher> {
  const voucher = await showVoucher(ctx, await getVoucher(ctx, id))
  await emit(ctx, 'voucher.created', id, {
    voucher,
    campaign: campaign === undefined ? null : toSimpleCampaign(campaign),
  })
  return voucher
}

async function makeVoucherWithRandomCode(
  ctx: Ctx,
  template: VoucherTemplate,
  codeConfig: object | null | undefined,
): Promise<Id<'voucher'>> {
  const config = readCodeConfig(codeConfig, ctx.project)
  await refuseUnlessPossible(ctx, config, 1)
  const [id] = await makeAll(ctx, template, config, 1)
  return id as Id<'voucher'>
}

/** Inserts a voucher with a given code; 409 if the code exists, even in the bin. */
export async function makeVoucherWithCode(
  ctx: Ctx,
  requestedCode: string,
  template: VoucherTemplate,
): Promise<Id<'voucher'>> {
  const code = requestedCode.trim()
  const reason = whyNotCode(code)
  if (reason !== null) throw invalidVoucher(reason)
  const id = newId('voucher', Date.parse(ctx.now))
  const inserted = await insertVouchers(ctx, [newVoucher(ctx, id, code, template)])
  if (!inserted.has(id)) throw duplicate('voucher', 'id', code)
  if (template.credits !== null && template.credits > 0)
    await postInitialCredits(ctx, [id], template.type, template.credits)
  return id
}

/** The row of a voucher with this template and code. */
export function newVoucher(
  { project, now }: Ctx,
  id: Id<'voucher'>,
  code: string,
  { credits, ...template }: VoucherTemplate,
) {
  const none = credits === null ? null : 0
  return {
    id,
    code,
    code_key: codeKey(project, code),
    ...template,
    metadata: template.metadata === null ? null : JSON.stringify(template.metadata),
    credits_added: credits,
    credits_subtracted: none,
    credits_redeemed: none,
    credits_expired: none,
    credits_pending: none,
    holder_id: null,
    referrer_id: null,
    asset_id: newAssetId(Date.parse(now)),
    created_at: now,
    updated_at: null,
    deleted_at: null,
  }
}

function typeOf({ type, discount, gift, loyalty_card }: CreateVoucherWithCode): VoucherType {
  if (type != null) return type
  const types: VoucherType[] = []
  if (discount != null) types.push('DISCOUNT_VOUCHER')
  if (gift != null) types.push('GIFT_VOUCHER')
  if (loyalty_card != null) types.push('LOYALTY_CARD')
  const [only] = types
  if (types.length !== 1 || only === undefined) throw invalidPayload("Payload should have required property 'type'")
  return only
}

/** The campaign in the body, locked so that its voucher limit is exact. */
async function campaignOf(
  ctx: Ctx,
  { campaign, campaign_id }: CreateVoucherWithCode,
  type: VoucherType,
): Promise<StoredCampaign | undefined> {
  const key = campaign_id ?? campaign
  if (key == null) return undefined
  const storedCampaign = await findCampaign(ctx, key, { lock: 'update' })
  if (storedCampaign === undefined) throw notFound('campaign', key)
  if (storedCampaign.voucher_type === null) throw invalidCampaign('A promotion has no vouchers')
  if (storedCampaign.voucher_type !== type)
    throw invalidCampaign(`Vouchers of campaign ${storedCampaign.name} must be of type ${storedCampaign.voucher_type}`)
  return storedCampaign
}

/**
 * The template from the body; dates and category default to those of the campaign
 * (docs/reference/vouchers.md#create-a-voucher).
 */
async function templateFrom(
  ctx: Ctx,
  body: CreateVoucherWithCode,
  type: VoucherType,
  campaign: StoredCampaign | undefined,
): Promise<VoucherTemplate> {
  const categoryId = await chosenCategory(ctx, body)
  const { credits, ...benefit } = await benefitOf(ctx, body, type)
  const validity = validityAfter(campaign ?? always, body, invalidVoucher)
  const metadata = await metadataFor(ctx, campaign, body.metadata)
  const inheritedMetadata = campaign?.use_voucher_metadata_schema ? campaign.metadata : {}
  const terms = { ...benefit, ...sharedOf(validity), ...(metadata === null ? { metadata: inheritedMetadata } : {}) }
  return {
    type,
    campaign_id: campaign?.id ?? null,
    category_id: categoryId === undefined ? (campaign?.category_id ?? null) : categoryId,
    terms_id: await insertTerms(ctx.db, ctx.project_id, withoutEmpty(terms), ctx.now),
    start_date: validity.start_date,
    expiration_date: validity.expiration_date,
    quantity: body.redemption?.quantity ?? null,
    credits,
    active: body.active ?? true,
    additional_info: body.additional_info ?? null,
    metadata,
    is_referral_code: campaign?.campaign_type === 'REFERRAL_PROGRAM',
    is_automatic: false,
  }
}

async function metadataFor(
  ctx: Ctx,
  campaign: StoredCampaign | undefined,
  sent: Record<string, unknown> | undefined,
): Promise<Record<string, unknown> | null> {
  if (campaign !== undefined) return ownMetadata(ctx, campaign, sent)
  const metadata = sent ?? {}
  const rules = await loadMetadataRules(ctx, 'voucher')
  rules.check(metadata, { isNew: true })
  return Object.keys(metadata).length === 0 ? null : metadata
}

/** The validity fields that are part of the terms. */
export const sharedOf = ({ validity_timeframe, validity_day_of_week, validity_hours }: ValidityState): Terms =>
  setOnly({ validity_timeframe, validity_day_of_week, validity_hours })

/** Removes empty metadata, so that equal terms have equal content. */
export function withoutEmpty({ metadata, ...terms }: Terms): Terms {
  return metadata === undefined || Object.keys(metadata).length === 0 ? terms : { ...terms, metadata }
}

/** The validated discount or credits of a voucher, which the body must contain for its type. */
async function benefitOf(
  ctx: Ctx,
  { discount, gift, loyalty_card }: Pick<CreateVoucherWithCode, 'discount' | 'gift' | 'loyalty_card'>,
  type: VoucherType,
): Promise<Pick<Terms, 'discount' | 'effect'> & { credits: number | null }> {
  switch (type) {
    case 'DISCOUNT_VOUCHER':
      if (discount == null) throw missing('discount', type)
      return { discount: await discountOf(ctx, discount, invalidVoucher), credits: null }
    case 'GIFT_VOUCHER': {
      if (gift == null) throw missing('gift', type)
      const { amount, effect } = giftOf(gift, invalidVoucher)
      return { ...(effect === undefined ? {} : { effect }), credits: amount }
    }
    case 'LOYALTY_CARD':
      if (loyalty_card == null) throw missing('loyalty_card', type)
      return { credits: loyaltyCardOf(loyalty_card, invalidVoucher).points }
  }
}

const missing = (property: string, type: VoucherType): ApiError =>
  invalidVoucher(`Property '${property}' is required for a voucher of type ${type}`)
