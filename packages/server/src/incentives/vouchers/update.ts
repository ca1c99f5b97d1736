import type { Ctx } from '../../core/context.ts'
import type { Terms } from '../../core/db/tables.ts'
import { emitMany } from '../../core/events/emit.ts'
import { invalidPayload } from '../../core/http/errors.ts'
import { loadMetadataRules, type MetadataRules } from '../../definitions/metadata-schemas/rules.ts'
import { chosenCategory } from '../../rules/categories/assign.ts'
import { discountOf } from '../../rules/terms/discount.ts'
import { insertTerms } from '../../rules/terms/store.ts'
import { hasValidity, type ValidityState, validityAfter } from '../../rules/terms/validity.ts'
import { toSimpleCampaign } from '../campaigns/campaign.ts'
import { findCampaign } from '../campaigns/store.ts'
import { invalidVoucher, sharedOf, withoutEmpty } from './create.ts'
import type { UpdateVoucher, Voucher } from './schema.ts'
import { showVoucher } from './show.ts'
import { getVoucher, updateVoucher } from './store.ts'
import { type StoredVoucher, voucherMetadataOf } from './voucher.ts'

/** Updates a voucher that the caller has locked (docs/reference/vouchers.md#update-a-voucher). It gets terms of its own. */
export async function changeVoucher(ctx: Ctx, voucher: StoredVoucher, body: UpdateVoucher): Promise<Voucher> {
  const discount = await discountAfter(ctx, voucher, body)
  // Validate dates only if they were sent: a campaign update may have left the voucher with inconsistent ones, which must
  // not block other changes.
  const validity = hasValidity(body) ? validityAfter(validityOf(voucher), body, invalidVoucher) : validityOf(voucher)
  const categoryId = await chosenCategory(ctx, body)
  const metadata = await metadataAfter(ctx, voucher, body)
  const terms: Terms = withoutEmpty({
    ...(discount === undefined ? {} : { discount }),
    ...(voucher.terms.effect === undefined ? {} : { effect: voucher.terms.effect }),
    ...sharedOf(validity),
    ...(voucher.terms.metadata === undefined ? {} : { metadata: voucher.terms.metadata }),
  })
  await updateVoucher(ctx, voucher.id, {
    terms_id: await insertTerms(ctx.db, ctx.project_id, terms, ctx.now),
    start_date: validity.start_date,
    expiration_date: validity.expiration_date,
    ...(categoryId === undefined ? {} : { category_id: categoryId }),
    ...(body.active === undefined ? {} : { active: body.active ?? true }),
    ...(body.additional_info === undefined ? {} : { additional_info: body.additional_info }),
    ...(metadata === undefined ? {} : { metadata: JSON.stringify(metadata) }),
  })
  const updatedVoucher = await getVoucher(ctx, voucher.id)
  const response = await showVoucher(ctx, updatedVoucher)
  await emitChanges(ctx, updatedVoucher, response, [
    'voucher.updated',
    ...(updatedVoucher.active === voucher.active
      ? []
      : ([updatedVoucher.active ? 'voucher.enabled' : 'voucher.disabled'] as const)),
  ])
  return response
}

/**
 * Enables or disables a voucher; no effect if it already has that state
 * (docs/reference/vouchers.md#enable-and-disable-a-voucher).
 */
export async function switchVoucher(ctx: Ctx, voucher: StoredVoucher, active: boolean): Promise<Voucher> {
  if (voucher.active === active) return showVoucher(ctx, voucher)
  await updateVoucher(ctx, voucher.id, { active })
  const updatedVoucher = await getVoucher(ctx, voucher.id)
  const response = await showVoucher(ctx, updatedVoucher)
  await emitChanges(ctx, updatedVoucher, response, [active ? 'voucher.enabled' : 'voucher.disabled'])
  return response
}

async function emitChanges(
  ctx: Ctx,
  { id, campaign_id }: StoredVoucher,
  voucher: Voucher,
  types: Array<'voucher.updated' | 'voucher.enabled' | 'voucher.disabled'>,
): Promise<void> {
  const storedCampaign = campaign_id === null ? undefined : await findCampaign(ctx, campaign_id)
  const campaign = storedCampaign === undefined ? null : toSimpleCampaign(storedCampaign)
  await emitMany(
    ctx,
    types.map((type) => ({ type, entity_id: id, data: { voucher, campaign } })),
  )
}

const validityOf = ({ start_date, expiration_date, terms }: StoredVoucher): ValidityState => ({
  start_date,
  expiration_date,
  validity_timeframe: terms.validity_timeframe ?? null,
  validity_day_of_week: terms.validity_day_of_week ?? null,
  validity_hours: terms.validity_hours ?? null,
})

async function discountAfter(
  ctx: Ctx,
  { type, terms }: StoredVoucher,
  { discount }: UpdateVoucher,
): Promise<Terms['discount']> {
  if (discount === undefined || type !== 'DISCOUNT_VOUCHER') return terms.discount
  if (discount === null) throw invalidPayload('Property .discount must be object')
  const newDiscount = await discountOf(ctx, discount, invalidVoucher)
  if (terms.discount !== undefined && newDiscount.type !== terms.discount.type)
    throw invalidVoucher('It is not possible to change Voucher discount type')
  return newDiscount
}

/**
 * The metadata after merging and then unsetting keys (docs/reference/vouchers.md#metadata); undefined if the body changes
 * none.
 */
async function metadataAfter(
  ctx: Ctx,
  voucher: StoredVoucher,
  { metadata, unset_metadata_fields = [] }: UpdateVoucher,
): Promise<Record<string, unknown> | undefined> {
  if (metadata === undefined && unset_metadata_fields.length === 0) return undefined
  const rules = await loadMetadataRules(ctx, 'voucher')
  return withoutKeys(mergedMetadata(voucher, metadata ?? {}, rules), unset_metadata_fields)
}

export const mergedMetadata = (
  voucher: StoredVoucher,
  sent: Record<string, unknown>,
  rules: MetadataRules,
): Record<string, unknown> => rules.merged(voucherMetadataOf(voucher), sent)

export const withoutKeys = (metadata: Record<string, unknown>, keys: readonly string[]): Record<string, unknown> =>
  Object.fromEntries(Object.entries(metadata).filter(([key]) => !keys.includes(key)))
