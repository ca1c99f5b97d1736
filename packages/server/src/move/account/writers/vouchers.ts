import { isDeepStrictEqual } from 'node:util'
import type { Discount } from '@guerdon/engine/schema'
import { sql } from 'kysely'
import type { Ctx } from '../../../core/context.ts'
import type { Terms, VoucherType } from '../../../core/db/tables.ts'
import { type Tally, tallyMany } from '../../../core/db/tallies.ts'
import { invalidPayload } from '../../../core/http/errors.ts'
import { campaignTermsOf, giftOf } from '../../../incentives/campaigns/define.ts'
import { figureTallies } from '../../../incentives/campaigns/summary-figures.ts'
import { whyNotCode } from '../../../incentives/vouchers/code-config.ts'
import { newAssetId } from '../../../incentives/vouchers/make.ts'
import { codeKey } from '../../../incentives/vouchers/store.ts'
import { discountOf } from '../../../rules/terms/discount.ts'
import { insertManyTerms } from '../../../rules/terms/store.ts'
import { type Batch, forEach, insertMain, ownId, reference, type Writer } from '../batch.ts'
import { creditsOf } from '../cards.ts'
import { amount, type Foreign, flag, integer, LeftOut, moments, oneOf, part, requiredText, text } from '../foreign.ts'
import { present } from '../insert-rows.ts'
import { count } from '../report.ts'
import { validityOf } from '../validity.ts'

const voucherTypes = ['DISCOUNT_VOUCHER', 'GIFT_VOUCHER', 'LOYALTY_CARD'] as const

/** Codes with their terms and counters. Holders and the ledgers of cards follow from several lists (finish.ts). */
export const vouchers: Writer = {
  list: 'vouchers',
  size: 1_000,
  async write(batch) {
    const related = await relatedOf(batch)
    const drafts = await forEach(batch, (voucher) => draftOf(batch, related, voucher))
    const { ctx } = batch
    const termsIds = await insertManyTerms(
      ctx.db,
      ctx.project_id,
      drafts.map(({ terms }) => terms),
      ctx.now,
    )
    const rows = drafts.map(({ row }, index) => ({ ...row, terms_id: termsIds[index] as string }))
    const inserted = await insertMain(batch, 'vouchers', rows)
    await tallyMany(ctx.db, ctx.project_id, talliesOf(ctx, inserted))
  },
}

interface Related {
  campaigns: ReadonlyMap<string, CampaignPart>
  customers: ReadonlySet<string>
  /** Vouchers of a batch mostly share their discount. */
  discounts: Map<string, Promise<Discount>>
}

interface CampaignPart {
  id: string
  use_voucher_metadata_schema: boolean
  metadata: Record<string, unknown>
}

async function relatedOf({ ctx, objects }: Batch): Promise<Related> {
  const people = objects.flatMap((voucher) => [
    reference('customer', voucher, 'holder_id'),
    reference('customer', voucher, 'referrer_id'),
  ])
  const campaignIds = [...new Set(objects.map((voucher) => reference('campaign', voucher, 'campaign_id')))]
  const { rows } = await sql<CampaignPart>`
    select id, use_voucher_metadata_schema, metadata from campaigns
    where project_id = ${ctx.project_id} and id = any(${campaignIds}::text[])`.execute(ctx.db)
  return {
    campaigns: new Map(rows.map((row) => [row.id, row])),
    customers: await present(ctx, 'customers', people),
    discounts: new Map(),
  }
}

async function draftOf(batch: Batch, { campaigns, customers, discounts }: Related, voucher: Foreign) {
  const { ctx, report } = batch
  const code = requiredText(voucher, 'code')
  const fault = whyNotCode(code)
  if (fault !== null) throw new LeftOut(fault)
  const type = oneOf(voucher, 'type', voucherTypes)
  const campaignId = reference('campaign', voucher, 'campaign_id')
  const campaign = campaignId === null ? undefined : campaigns.get(campaignId)
  if (campaignId !== null && campaign === undefined) throw new LeftOut('its campaign was not carried over')
  const validity = validityOf(voucher)
  const terms: Terms = campaignTermsOf({
    voucher: await definitionOf(ctx, type, voucher, discounts),
    ...validity,
    use_voucher_metadata_schema: campaign?.use_voucher_metadata_schema ?? false,
    metadata: campaign?.metadata ?? {},
  })
  const { credits, is_adjusted } = creditsOf(type, voucher)
  if (is_adjusted)
    count(report.changed, 'what was added, redeemed and expired does not add up to the balance, which is kept', code)
  const metadata = part(voucher, 'metadata')
  const person = (name: string) => {
    const id = reference('customer', voucher, name)
    if (id === null || customers.has(id)) return id
    count(report.changed, `its ${name} is no customer of the copy, and was dropped`, code)
    return null
  }
  const when = moments(voucher, batch.copied_at)
  return {
    terms,
    row: {
      id: ownId(batch, 'voucher', voucher),
      code,
      code_key: codeKey(ctx.project, code),
      type,
      campaign_id: campaignId,
      category_id: reference('category', voucher, 'category_id'),
      start_date: validity.start_date,
      expiration_date: validity.expiration_date,
      ...quantitiesOf(part(voucher, 'redemption')),
      ...(credits ?? noCredits),
      active: flag(voucher, 'active', true),
      additional_info: text(voucher, 'additional_info'),
      // Null: those of the terms, which change with the campaign.
      metadata: isDeepStrictEqual(metadata, terms.metadata ?? {}) ? null : metadata,
      is_referral_code: flag(voucher, 'is_referral_code', false),
      publish_count: amount(part(voucher, 'publish'), 'count'),
      holder_id: person('holder_id'),
      referrer_id: person('referrer_id'),
      asset_id: newAssetId(Date.parse(when.created_at)),
      ...when,
    },
  }
}

const noCredits = {
  credits_added: null,
  credits_subtracted: null,
  credits_redeemed: null,
  credits_expired: null,
  credits_pending: null,
}

/** A code that was used more often than its limit, which was lowered later, is used up. */
function quantitiesOf(redemption: Foreign) {
  const quantity = integer(redemption, 'quantity')
  const redeemed = amount(redemption, 'redeemed_quantity')
  if (quantity === null || quantity === 0) return { quantity: null, redeemed_quantity: redeemed }
  return { quantity, redeemed_quantity: Math.min(redeemed, quantity) }
}

async function definitionOf(ctx: Ctx, type: VoucherType, voucher: Foreign, discounts: Related['discounts']) {
  const redemption = { quantity: null }
  if (type === 'LOYALTY_CARD') return { redemption }
  if (type === 'GIFT_VOUCHER') {
    const { effect } = part(voucher, 'gift')
    return { gift: giftOf({ amount: 0, ...(effect == null ? {} : { effect }) }, invalidPayload), redemption }
  }
  const { discount } = voucher
  // The code of a referral program may give the referee nothing.
  if (discount == null) return { redemption }
  const key = JSON.stringify(discount)
  const checked = discounts.get(key) ?? discountOf(ctx, discount, invalidPayload)
  discounts.set(key, checked)
  return { discount: await checked, redemption }
}

type VoucherRow = Awaited<ReturnType<typeof draftOf>>['row']

function talliesOf(ctx: Ctx, rows: readonly VoucherRow[]): Array<[Tally, number]> {
  const sums = new Map<Tally, number>([
    ['vouchers', rows.length],
    ['codes', rows.length],
  ])
  for (const { campaign_id, type, credits_added, created_at } of rows) {
    if (campaign_id === null) continue
    const figures = figureTallies({ ...ctx, now: created_at }, campaign_id, {
      vouchers_created: 1,
      ...(type === 'GIFT_VOUCHER' ? { created_vouchers_amount: credits_added ?? 0 } : {}),
      ...(type === 'LOYALTY_CARD' ? { created_vouchers_points: credits_added ?? 0 } : {}),
    })
    for (const [name, delta] of [[`campaign/${campaign_id}/vouchers`, 1] as const, ...figures])
      sums.set(name, (sums.get(name) ?? 0) + delta)
  }
  return [...sums]
}
