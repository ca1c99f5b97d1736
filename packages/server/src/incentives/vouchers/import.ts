import { setImmediate } from 'node:timers/promises'
import type { Discount } from '@guerdon/engine/schema'
import type { Ctx } from '../../core/context.ts'
import type { Terms } from '../../core/db/tables.ts'
import type { ApiError } from '../../core/http/errors.ts'
import type { Id } from '../../core/lib/ids.ts'
import { loadMetadataRules } from '../../definitions/metadata-schemas/rules.ts'
import { discountOf, type GoodsCache } from '../../rules/terms/discount.ts'
import { always, validityAfter } from '../../rules/terms/validity.ts'
import { giftOf } from '../campaigns/define.ts'
import { invalidVoucher, sharedOf } from './create.ts'
import { importCodes } from './import-codes.ts'
import { codesIn, defineEntryImport, refuseTaken, startEntryImport } from './import-entries.ts'
import { type ImportedVoucher, validityIn } from './import-schema.ts'
import { type Draft, noCampaign } from './import-store.ts'

/**
 * Starts an import of vouchers without a campaign (docs/reference/imports.md#import-vouchers-as-json). Everything that
 * can be checked is checked before the response; one error refuses the whole import.
 */
export async function startImport(
  ctx: Ctx,
  entries: readonly ImportedVoucher[],
): Promise<{ async_action_id: Id<'async_action'> }> {
  const codes = codesIn(entries)
  const discountFor = cachedDiscounts(ctx)
  const drafts: Draft[] = []
  for (const [index, entry] of entries.entries()) {
    if (index % checkedAtOnce === 0) await setImmediate() // yields to other requests: 100,000 entries would block them
    drafts.push(await draftOf(entry, codes[index] as string, discountFor))
  }
  await refuseTaken(ctx, codes)
  return startEntryImport(ctx, importVouchers, drafts, {})
}

export const checkedAtOnce = 500

/** Saves entries that were checked before; only metadata is checked again, against the current schema. */
export const importVouchers = defineEntryImport<Draft>({
  type: 'VOUCHERS.IMPORT',
  async entries(ctx, entries) {
    const rules = await loadMetadataRules(ctx, 'voucher')
    const { refused } = await importCodes(ctx, entries, {
      target: { ...noCampaign },
      codeOf: ({ code }) => code,
      draft(draft) {
        rules.check(draft.metadata ?? {}, { isNew: true })
        return draft
      },
    })
    return refused
  },
})

async function draftOf(
  entry: ImportedVoucher,
  code: string,
  discountFor: (sent: object, refuse: Refuse) => Promise<Discount>,
): Promise<Draft> {
  const refuse: Refuse = (details) => invalidVoucher(`Voucher '${code}': ${details}`)
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

type Refuse = (details: string) => ApiError

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
