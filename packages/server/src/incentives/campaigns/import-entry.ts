import type { Ctx } from '../../core/context.ts'
import { type ApiError, invalidPayload } from '../../core/http/errors.ts'
import type { Instant } from '../../core/lib/instant.ts'
import type { MetadataRules } from '../../definitions/metadata-schemas/rules.ts'
import { validityAfter } from '../../rules/terms/validity.ts'
import { invalidVoucher } from '../vouchers/create.ts'
import { activeIn, type Cells, dateIn, integerIn, metadataIn, textIn } from '../vouchers/import-cells.ts'
import { type ImportedValidity, type ImportedVoucher, validityIn } from '../vouchers/import-schema.ts'
import type { Draft } from '../vouchers/import-store.ts'
import { giftOf, loyaltyCardOf, termsOf } from './define.ts'
import type { StoredCampaign } from './store.ts'
import { ownMetadata, templateOf } from './voucher-template.ts'

/**
 * The values of one imported voucher; an undefined member takes the value of the campaign
 * (docs/reference/imports.md#import-into-a-campaign-as-json).
 */
export interface CampaignEntry extends ImportedValidity {
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
export function readEntry(sent: ImportedVoucher, code: string, campaign: StoredCampaign): CampaignEntry {
  const refuse = (details: string): ApiError => invalidVoucher(`Voucher '${code}': ${details}`)
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
  refuse: (details: string) => ApiError,
): number | undefined {
  // The value of a card is optional.
  if (type === 'GIFT_VOUCHER' && gift != null && 'amount' in gift && gift.amount != null)
    return giftOf({ amount: gift.amount }, refuse).amount
  if (type === 'LOYALTY_CARD' && loyalty_card != null && 'points' in loyalty_card && loyalty_card.points != null)
    return loyaltyCardOf({ points: loyalty_card.points }, refuse).points
  return undefined
}

export const columns = [
  'Code',
  'Active',
  'Category',
  'Start Date',
  'Expiration Date',
  'Redeemed Quantity',
  'Gift Amount',
  'Redeemed Amount',
  'Loyalty Points',
]
const knownColumns = new Set(columns)

/** Reads a row of a CSV file. Columns for a voucher type other than that of the campaign are ignored. */
export function readCells(
  cells: Cells,
  code: string,
  { voucher_type }: StoredCampaign,
  rules: MetadataRules,
): CampaignEntry {
  const isGift = voucher_type === 'GIFT_VOUCHER'
  const value = isGift ? 'Gift Amount' : voucher_type === 'LOYALTY_CARD' ? 'Loyalty Points' : null
  return {
    code,
    ...definedOnly({ start_date: dateIn(cells, 'Start Date'), expiration_date: dateIn(cells, 'Expiration Date') }),
    credits: value === null ? undefined : integerIn(cells, value, 0),
    active: activeIn(cells),
    category: textIn(cells, 'Category'),
    metadata: metadataIn(cells, knownColumns, rules),
    redeemed_quantity: integerIn(cells, 'Redeemed Quantity', 0),
    redeemed: isGift ? integerIn(cells, 'Redeemed Amount', 0) : undefined,
  }
}

const definedOnly = (dates: Record<'start_date' | 'expiration_date', Instant | undefined>) =>
  Object.fromEntries(Object.entries(dates).filter(([, date]) => date !== undefined))

/** A new voucher with the current values of the campaign as defaults. */
export async function draftFor(
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
    ...(hasOwnTerms ? { terms: termsOf({ ...campaign, ...validity }) } : {}),
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
