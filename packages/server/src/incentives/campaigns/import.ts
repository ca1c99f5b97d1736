import type { Ctx } from '../../core/context.ts'
import type { CampaignRow } from '../../core/db/tables.ts'
import { invalidPayload, type Refuse } from '../../core/http/errors.ts'
import { type Cells, defineCsvImport, readCells } from '../../core/jobs/csv-import.ts'
import { type FileImport, startFileImport } from '../../core/jobs/file-import.ts'
import { defineJsonImport, jsonLines } from '../../core/jobs/json-import.ts'
import type { Id } from '../../core/lib/ids.ts'
import { loadMetadataRules, type MetadataRules } from '../../definitions/metadata-schemas/rules.ts'
import { setOnly, validityAfter } from '../../rules/terms/validity.ts'
import { invalidVoucher } from '../vouchers/create.ts'
import { readVouchers } from '../vouchers/import.ts'
import { importCodes } from '../vouchers/import-codes.ts'
import { activeIn, changeIn, dateIn, integerIn, textIn } from '../vouchers/import-csv.ts'
import { type ImportedValidity, type ImportedVoucher, validityIn } from '../vouchers/import-schema.ts'
import type { Draft, ImportTarget } from '../vouchers/import-store.ts'
import { refusePromotion } from './add.ts'
import { campaignTermsOf, giftOf, invalidCampaign, loyaltyCardOf } from './define.ts'
import { campaignSerialKey, remainingCapacity, vouchersMax } from './generate.ts'
import { jobBegun, jobOver, jobStarted } from './status.ts'
import { findCampaign, type StoredCampaign } from './store.ts'
import { ownMetadata, templateOf } from './voucher-template.ts'

type StartedJob = { async_action_id: Id<'async_action'> }

/** Starts an import of vouchers into a campaign (docs/reference/imports.md#import-into-a-campaign-as-json). */
export async function startCampaignImport(
  ctx: Ctx,
  campaign: StoredCampaign,
  sent: readonly ImportedVoucher[],
): Promise<StartedJob> {
  const indexWithoutCard =
    campaign.voucher_type === 'LOYALTY_CARD' ? sent.findIndex(({ loyalty_card }) => loyalty_card == null) : -1
  if (indexWithoutCard >= 0)
    throw invalidPayload(`Property [${indexWithoutCard}] should have required property 'loyalty_card'`)
  refuseImport(campaign)
  const entries = await readVouchers(ctx, sent, (voucher, code, refuse) => readEntry(voucher, code, refuse, campaign))
  await jobStarted(ctx, campaign.id, 'MODIFYING')
  return startFileImport(ctx, importCampaignVouchers, jsonLines(entries), { campaign_id: campaign.id })
}

/** The same for a CSV file, whose rows the job checks one by one. */
export async function startImportCsv(ctx: Ctx, campaign: StoredCampaign, file: Buffer): Promise<StartedJob> {
  refuseImport(campaign)
  await jobStarted(ctx, campaign.id, 'MODIFYING')
  return startFileImport(ctx, importCampaignVouchersCsv, [file], { campaign_id: campaign.id })
}

function refuseImport(campaign: StoredCampaign): void {
  refusePromotion(campaign)
  if (campaign.type === 'STANDALONE')
    throw invalidCampaign('You can not import vouchers into STANDALONE type campaign.')
}

interface Input {
  campaign_id: CampaignRow['id']
}

/** Makes other jobs of the campaign wait, and shows the import in the status of the campaign. */
const jobOfCampaign = {
  noun: 'voucher(s)',
  serialKey: campaignSerialKey,
  begin: (ctx, { campaign_id }) => jobBegun(ctx, campaign_id, 'MODIFYING'),
  prepare,
  onEnd: (ctx, { campaign_id }, ending) => jobOver(ctx, campaign_id, ending),
} satisfies Partial<FileImport<never, Setup, Input>>

const columns: readonly string[] =
  'Code,Active,Category,Start Date,Expiration Date,Redeemed Quantity,Gift Amount,Redeemed Amount,Loyalty Points'.split(
    ',',
  )

export const importCampaignVouchers = defineJsonImport<CampaignEntry, Setup, Input>({
  ...jobOfCampaign,
  type: 'CAMPAIGN.VOUCHERS_IMPORT',
  failure: ({ entry: { code } }) => ({ code }),
  async rows(ctx, rows, { campaign, rules, target }) {
    const { refused } = await importCodes(ctx, rows, {
      target,
      codeOf: ({ entry }) => entry.code,
      draft: ({ entry }) => draftFor(ctx, campaign, entry, rules),
    })
    return refused
  },
})

export const importCampaignVouchersCsv = defineCsvImport<Setup, Input>({
  ...jobOfCampaign,
  type: 'CAMPAIGN.VOUCHERS_IMPORT_CSV',
  known: columns,
  required: ['Code'],
  failure: ({ row, cells }) => ({ code: cells.Code?.trim() || null, row }),
  async rows(ctx, rows, { campaign, rules, target }) {
    const { refused } = await importCodes(ctx, rows, {
      target,
      codeOf: ({ cells }) => cells.Code,
      change: ({ cells }) => changeIn(cells),
      draft: ({ cells, code }) => draftFor(ctx, campaign, readCsvEntry(cells, code, campaign, rules), rules),
    })
    return refused
  },
})

interface Setup {
  campaign: StoredCampaign
  rules: MetadataRules
  target: ImportTarget
}

/**
 * The current campaign, which an earlier update may have changed; undefined once it is deleted. It is locked, so that its
 * voucher limit is exact.
 */
async function prepare(ctx: Ctx, { campaign_id }: Input): Promise<Setup | undefined> {
  const campaign = await findCampaign(ctx, campaign_id, { lock: 'update' })
  if (campaign === undefined) return undefined
  return {
    campaign,
    rules: await loadMetadataRules(ctx, 'voucher'),
    target: {
      campaign_id: campaign.id,
      category_id: campaign.category_id,
      is_referral_code: campaign.campaign_type === 'REFERRAL_PROGRAM',
      terms_id: campaign.terms_id,
      capacity: await remainingCapacity(ctx, campaign),
      limitMessage: `A campaign can have at most ${vouchersMax(ctx)} vouchers`,
    },
  }
}

/**
 * The values of one imported voucher; an undefined member takes the value of the campaign
 * (docs/reference/imports.md#import-into-a-campaign-as-json).
 */
interface CampaignEntry extends ImportedValidity {
  code: string
  /** Initial money or points. */
  credits?: number | undefined
  quantity?: number | null | undefined
  active?: boolean | undefined
  /** Name or id; null: none. */
  category?: string | null | undefined
  additional_info?: string | undefined
  metadata?: Record<string, unknown> | undefined
  redeemed_quantity?: number | undefined
  redeemed?: number | undefined
}

/** Reads an entry of a JSON import, with all checks that need no database. */
function readEntry(sent: ImportedVoucher, code: string, refuse: Refuse, campaign: StoredCampaign): CampaignEntry {
  const { voucher_type } = campaign
  if (sent.type != null && sent.type !== voucher_type)
    throw refuse(`Property .type must be ${voucher_type} in campaign ${campaign.name}`)
  const validity = validityIn(sent)
  validityAfter(campaign, validity, refuse)
  return {
    code,
    ...validity,
    credits: creditsOf(sent, voucher_type, refuse),
    quantity: sent.redemption?.quantity,
    active: sent.active ?? undefined,
    category: sent.category,
    additional_info: sent.additional_info ?? undefined,
    metadata: sent.metadata ?? undefined,
  }
}

function creditsOf(
  { gift, loyalty_card }: ImportedVoucher,
  type: StoredCampaign['voucher_type'],
  refuse: Refuse,
): number | undefined {
  // The value of a card is optional.
  if (type === 'GIFT_VOUCHER' && gift != null && 'amount' in gift && gift.amount != null)
    return giftOf({ amount: gift.amount }, refuse).amount
  if (type === 'LOYALTY_CARD' && loyalty_card != null && 'points' in loyalty_card && loyalty_card.points != null)
    return loyaltyCardOf({ points: loyalty_card.points }, refuse).points
  return undefined
}

/** Reads a row of a CSV file. Columns for a voucher type other than that of the campaign are ignored. */
function readCsvEntry(
  cells: Cells,
  code: string,
  { voucher_type }: StoredCampaign,
  rules: MetadataRules,
): CampaignEntry {
  const isGift = voucher_type === 'GIFT_VOUCHER'
  const value = isGift ? 'Gift Amount' : voucher_type === 'LOYALTY_CARD' ? 'Loyalty Points' : null
  return {
    code,
    ...setOnly({ start_date: dateIn(cells, 'Start Date'), expiration_date: dateIn(cells, 'Expiration Date') }),
    credits: value === null ? undefined : integerIn(cells, value, 0),
    active: activeIn(cells),
    category: textIn(cells, 'Category'),
    metadata: readCells(cells, columns, rules).metadata,
    redeemed_quantity: integerIn(cells, 'Redeemed Quantity', 0),
    redeemed: isGift ? integerIn(cells, 'Redeemed Amount', 0) : undefined,
  }
}

/** A new voucher with the current values of the campaign as defaults. */
async function draftFor(
  ctx: Ctx,
  campaign: StoredCampaign,
  entry: CampaignEntry,
  rules: MetadataRules,
): Promise<Draft> {
  const { code, validity_timeframe, validity_day_of_week, redeemed_quantity = 0, redeemed = 0 } = entry
  const template = templateOf(campaign)
  const validity = validityAfter(campaign, entry, invalidVoucher)
  const hasOwnTerms = validity_timeframe !== undefined || validity_day_of_week !== undefined
  const credits = template.credits === null ? null : (entry.credits ?? template.credits)
  const quantity = entry.quantity === undefined ? template.quantity : entry.quantity
  if (quantity !== null && redeemed_quantity > quantity)
    throw invalidPayload(`Redeemed Quantity must not be more than the redemption limit of ${quantity}`)
  if (credits !== null && redeemed > credits)
    throw invalidPayload(`Redeemed Amount must not be more than the amount of ${credits}`)
  const hasExpired = campaign.expiration_date !== null && campaign.expiration_date < ctx.now
  return {
    code,
    type: template.type,
    ...(hasOwnTerms ? { terms: campaignTermsOf({ ...campaign, ...validity }) } : {}),
    ...(entry.category === undefined ? {} : { category: entry.category }),
    start_date: validity.start_date,
    expiration_date: validity.expiration_date,
    quantity,
    credits,
    active: entry.active ?? !hasExpired,
    additional_info: entry.additional_info ?? null,
    metadata: await ownMetadata(ctx, campaign, entry.metadata, rules),
    redeemed_quantity,
    redeemed,
  }
}
