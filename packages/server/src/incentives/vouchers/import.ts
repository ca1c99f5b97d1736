import { setImmediate } from 'node:timers/promises'
import type { Discount } from '@guerdon/engine/schema'
import type { Ctx } from '../../core/context.ts'
import type { Terms } from '../../core/db/tables.ts'
import type { ApiError } from '../../core/http/errors.ts'
import type { Id } from '../../core/lib/ids.ts'
import { loadMetadataRules } from '../../definitions/metadata-schemas/rules.ts'
import { discountOf, type KnownGoods } from '../../rules/terms/discount.ts'
import { always, validityAfter } from '../../rules/terms/validity.ts'
import { giftOf } from '../campaigns/define.ts'
import { invalidVoucher, sharedOf } from './create.ts'
import { importCodes } from './import-codes.ts'
import { codesIn, defineEntryImport, refuseTaken, startEntryImport } from './import-entries.ts'
import { type ImportedVoucher, validityIn } from './import-schema.ts'
import { type Draft, noCampaign } from './import-store.ts'

/**
 * Starts an import of codes of no campaign (docs/reference/imports.md#import-vouchers-as-json). Whatever can be known is checked
 * before it is answered, and refuses all of it.
 */
export async function startImport(
  ctx: Ctx,
  entries: readonly ImportedVoucher[],
): Promise<{ async_action_id: Id<'async_action'> }> {
  const codes = codesIn(entries)
  const discountFor = rememberedDiscounts(ctx)
  const drafts: Draft[] = []
  for (const [index, entry] of entries.entries()) {
    if (index % checkedAtOnce === 0) await setImmediate() // a hundred thousand of them would keep every request waiting
    drafts.push(await draftOf(entry, codes[index] as string, discountFor))
  }
  await refuseTaken(ctx, codes)
  return startEntryImport(ctx, importVouchers, drafts, {})
}

export const checkedAtOnce = 500

/** Stores entries that were checked before; what their metadata may be, the schema of the moment says. */
export const importVouchers = defineEntryImport<Draft>({
  type: 'VOUCHERS.IMPORT',
  async entries(ctx, entries) {
    const rules = await loadMetadataRules(ctx, 'voucher')
    const { refused } = await importCodes(ctx, entries, {
      home: { ...noCampaign },
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
  const given: { terms: Terms; credits: number | null } = { terms: {}, credits: null }
  if (type === 'GIFT_VOUCHER') {
    if (entry.gift == null) throw refuse("Property 'gift' is required")
    const { amount, effect } = giftOf(entry.gift, refuse)
    given.credits = amount
    if (effect !== undefined) given.terms.effect = effect
  } else {
    if (entry.discount == null) throw refuse("Property 'discount' is required")
    given.terms.discount = await discountFor(entry.discount, refuse)
  }
  const validity = validityAfter(always, validityIn(entry), refuse)
  const { metadata } = entry
  return {
    code,
    type,
    terms: { ...given.terms, ...sharedOf(validity) },
    credits: given.credits,
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

/** The type that an entry says, or the one of the member that it has. */
function typeOf({ type, discount, gift, loyalty_card }: ImportedVoucher, refuse: Refuse) {
  const meant =
    type ??
    (discount != null && gift == null
      ? 'DISCOUNT_VOUCHER'
      : gift != null && discount == null
        ? 'GIFT_VOUCHER'
        : loyalty_card != null
          ? 'LOYALTY_CARD'
          : null)
  if (meant === 'LOYALTY_CARD') throw refuse('A loyalty card can be imported into a campaign only')
  if (meant === null) throw refuse("One of the properties 'discount' and 'gift' is required")
  return meant
}

/** Checks each discount once, and looks up what it gives away once: thousands of codes give the same. */
export function rememberedDiscounts(ctx: Ctx): (sent: object, refuse: Refuse) => Promise<Discount> {
  const known = new Map<string, Discount>()
  const goods: KnownGoods = new Map()
  return async (sent, refuse) => {
    const text = JSON.stringify(sent)
    const discount = known.get(text) ?? (await discountOf(ctx, sent, refuse, goods))
    known.set(text, discount)
    return discount
  }
}
