import { setImmediate } from 'node:timers/promises'
import type { Discount } from '@guerdon/engine/schema'
import type { Ctx } from '../../core/context.ts'
import type { Terms } from '../../core/db/tables.ts'
import { ApiError, faultsOf, type Refuse } from '../../core/http/errors.ts'
import { startFileImport } from '../../core/jobs/file-import.ts'
import { defineJsonImport, jsonLines } from '../../core/jobs/json-import.ts'
import { loadMetadataRules, type MetadataRules } from '../../definitions/metadata-schemas/rules.ts'
import { discountOf, type GoodsCache } from '../../rules/terms/discount.ts'
import { always, validityAfter } from '../../rules/terms/validity.ts'
import { giftOf } from '../campaigns/define.ts'
import { whyNotCode } from './code-config.ts'
import { invalidVoucher, sharedOf } from './create.ts'
import { importCodes } from './import-codes.ts'
import { type ImportedVoucher, validityIn } from './import-schema.ts'
import { type Draft, noCampaign } from './import-store.ts'
import { codeKey, listTakenKeys } from './store.ts'

/** Starts an import of vouchers without a campaign (docs/reference/imports.md#import-vouchers-as-json). */
export async function startVoucherImport(ctx: Ctx, sent: readonly ImportedVoucher[]) {
  const discountFor = cachedDiscounts(ctx)
  const drafts = await readVouchers(ctx, sent, (voucher, code, refuse) => draftOf(voucher, code, refuse, discountFor))
  return startFileImport(ctx, importVouchers, jsonLines(drafts), {})
}

/** Saves entries that were checked before; only metadata is checked again, against the current schema. */
export const importVouchers = defineJsonImport<Draft, MetadataRules>({
  type: 'VOUCHERS.IMPORT',
  noun: 'voucher(s)',
  prepare: (ctx) => loadMetadataRules(ctx, 'voucher'),
  failure: ({ entry: { code } }) => ({ code }),
  async rows(ctx, rows, rules) {
    const { refused } = await importCodes(ctx, rows, {
      target: { ...noCampaign },
      codeOf: ({ entry }) => entry.code,
      draft({ entry }) {
        rules.check(entry.metadata ?? {}, { isNew: true })
        return entry
      },
    })
    return refused
  },
})

/**
 * Reads the entries of a JSON import, into a campaign or none, with everything that can be checked before the response; one
 * error refuses the whole import.
 */
export async function readVouchers<Entry>(
  ctx: Ctx,
  sent: readonly ImportedVoucher[],
  read: (voucher: ImportedVoucher, code: string, refuse: Refuse) => Entry | Promise<Entry>,
): Promise<Entry[]> {
  const codes = codesIn(sent)
  const entries: Entry[] = []
  for (const [index, voucher] of sent.entries()) {
    if (index % checkedAtOnce === 0) await setImmediate() // yields to other requests: 100,000 entries would block them
    const code = codes[index] as string
    const refuse: Refuse = (fault) =>
      invalidVoucher(
        faultsOf(fault).map(({ path, details }) => ({
          path: `[${index}]${path}`,
          details: `Voucher '${code}': ${details}`,
        })),
      )
    entries.push(await read(voucher, code, refuse))
  }
  await refuseTaken(ctx, codes)
  return entries
}

const checkedAtOnce = 500

/**
 * The codes in a body; one invalid or missing code refuses the whole body
 * (docs/reference/imports.md#import-vouchers-as-json).
 */
function codesIn(entries: ReadonlyArray<{ code?: string | null }>): string[] {
  const codes = entries.map(({ code }) => code?.trim() ?? '')
  const missing = codes.filter((code) => code === '').length
  if (missing > 0) throw invalidVoucher(`Found ${missing} voucher(s) without 'code' value`)
  for (const code of codes) {
    const reason = whyNotCode(code)
    if (reason !== null) throw invalidVoucher(`Voucher '${code}': ${reason}`)
  }
  return codes
}

/** Refuses codes that exist, even in the bin, and every repetition of a code. */
async function refuseTaken(ctx: Ctx, codes: readonly string[]): Promise<void> {
  const keys = codes.map((code) => codeKey(ctx.project, code))
  const unique = [...new Set(keys)]
  let conflicts = keys.length - unique.length
  for (let at = 0; at < unique.length; at += codesPerLookup) {
    // If a code exists, all its entries count, including the first.
    conflicts += (await listTakenKeys(ctx, unique.slice(at, at + codesPerLookup))).size
    await setImmediate()
  }
  if (conflicts > 0) throw new ApiError('duplicate_key', { details: `${conflicts} voucher codes(s) already exist.` })
}

const codesPerLookup = 5_000

async function draftOf(
  entry: ImportedVoucher,
  code: string,
  refuse: Refuse,
  discountFor: (sent: object, refuse: Refuse) => Promise<Discount>,
): Promise<Draft> {
  const type = typeOf(entry, refuse)
  const benefit: { terms: Terms; credits: number | null } = { terms: {}, credits: null }
  if (type === 'GIFT_VOUCHER') {
    if (entry.gift == null) throw refuse("Property 'gift' is required")
    const { amount, effect } = giftOf(entry.gift, refuse)
    benefit.credits = amount
    if (effect !== undefined) benefit.terms.effect = effect
  } else {
    if (entry.discount == null) throw refuse("Property 'discount' is required")
    benefit.terms.discount = await discountFor(entry.discount, refuse)
  }
  const validity = validityAfter(always, validityIn(entry), refuse)
  const { metadata } = entry
  return {
    code,
    type,
    terms: { ...benefit.terms, ...sharedOf(validity) },
    credits: benefit.credits,
    category: entry.category ?? null,
    start_date: validity.start_date,
    expiration_date: validity.expiration_date,
    quantity: entry.redemption?.quantity ?? null,
    active: entry.active ?? true,
    additional_info: entry.additional_info ?? null,
    metadata: metadata == null || Object.keys(metadata).length === 0 ? null : metadata,
    redeemed_quantity: 0,
    redeemed: 0,
  }
}

/** The type of an entry, or else the one that its members imply. */
function typeOf({ type, discount, gift, loyalty_card }: ImportedVoucher, refuse: Refuse) {
  const effectiveType =
    type ??
    (discount != null && gift == null
      ? 'DISCOUNT_VOUCHER'
      : gift != null && discount == null
        ? 'GIFT_VOUCHER'
        : loyalty_card != null
          ? 'LOYALTY_CARD'
          : null)
  if (effectiveType === 'LOYALTY_CARD') throw refuse('A loyalty card can be imported into a campaign only')
  if (effectiveType === null) throw refuse("One of the properties 'discount' and 'gift' is required")
  return effectiveType
}

/** Caches checked discounts and the products they give away: thousands of vouchers share the same. */
export function cachedDiscounts(ctx: Ctx): (sent: object, refuse: Refuse) => Promise<Discount> {
  const cache = new Map<string, Discount>()
  const goods: GoodsCache = new Map()
  return async (sent, refuse) => {
    const text = JSON.stringify(sent)
    const discount = cache.get(text) ?? (await discountOf(ctx, sent, refuse, goods))
    cache.set(text, discount)
    return discount
  }
}
