import { findActingCustomer } from '../../audience/customers/acting-customer.ts'
import { isPage, isProven, unproven } from '../../audience/customers/on-client-side.ts'
import type { Ctx } from '../../core/context.ts'
import { ApiError, type ErrorKey, invalidQuery, notFound, refuseWith } from '../../core/http/errors.ts'
import { listed } from '../../core/query/list.ts'
import { findCampaign, type StoredCampaign } from '../campaigns/store.ts'
import { pageOfVouchers } from './list.ts'
import type { ClientVoucher, ClientVoucherQuery, SetVoucherExpiration, Voucher } from './schema.ts'
import { changeVoucher } from './update.ts'
import type { StoredVoucher } from './voucher.ts'

/**
 * The codes that a customer holds, for its own pages (docs/reference/client-side.md#list-vouchers). A customer that is unknown and
 * one for whom the request does not act have none, so that nobody can ask who has codes.
 */
export async function listClientVouchers(ctx: Ctx, { customer, tracking_id, ...query }: ClientVoucherQuery) {
  if (customer === undefined && tracking_id === undefined)
    throw invalidQuery("Query should have required property 'customer'")
  const holder = await findActingCustomer(ctx, namesOf({ customer, tracking_id }))
  if (holder === undefined) return listed('vouchers', [], { total: 0 })
  const { vouchers, total } = await pageOfVouchers(ctx, { ...query, customer: holder.id })
  return listed('vouchers', vouchers.map(toClientVoucher), { total })
}

/**
 * Sets the expiration date of a locked voucher for a page of its holder (docs/reference/client-side.md#set-the-expiration-date-of-a-voucher).
 * A claim is not enough, also where the project takes claims for proofs: who knows a source id could end the codes of its customer.
 * A voucher that this customer does not hold is not found: pages could otherwise end the codes of everybody.
 */
export async function setExpirationDate(
  ctx: Ctx,
  { voucher, code }: { voucher: StoredVoucher; code: string },
  { expiration_date, customer, tracking_id }: SetVoucherExpiration,
): Promise<Voucher> {
  if (!isPage(ctx)) return changeVoucher(ctx, voucher, { expiration_date })
  const holder = await findActingCustomer(ctx, namesOf({ customer, tracking_id }))
  if (holder === undefined || !isProven(ctx, holder)) throw unproven()
  if (voucher.holder_id !== holder.id) throw notFound('voucher', code)
  const campaign = voucher.campaign_id === null ? undefined : await findCampaign(ctx, voucher.campaign_id)
  refuseUnusable(ctx, voucher, campaign)
  refuseDate(ctx, voucher, campaign, expiration_date)
  return changeVoucher(ctx, voucher, { expiration_date })
}

/** What the shop has ended or switched off stays so: with a new date, a customer could revive it. */
function refuseUnusable({ now }: Ctx, voucher: StoredVoucher, campaign: StoredCampaign | undefined): void {
  const { code: details, active, campaign_active } = voucher
  if (!active || campaign_active === false) throw new ApiError('voucher_disabled', { details })
  if ([voucher, campaign].some((each) => each?.expiration_date != null && each.expiration_date < now))
    throw new ApiError('voucher_expired', { details })
}

const refuse = refuseWith('invalid_expiration_date' satisfies ErrorKey)

/**
 * A page shortens the life of a code, or ends one for which the shop has set no end; it never prolongs it. The date of the code
 * comes before that of the campaign, because it may be much earlier: that of a published code is the end of its activity duration.
 */
function refuseDate({ now }: Ctx, voucher: StoredVoucher, campaign: StoredCampaign | undefined, date: string): void {
  if (date <= now) throw refuse('Property .expiration_date must be in the future')
  if (voucher.start_date !== null && date < voucher.start_date)
    throw refuse('Property .expiration_date must not be earlier than the start date of the voucher')
  const latest = voucher.expiration_date ?? campaign?.expiration_date ?? null
  if (latest !== null && date > latest)
    throw refuse(
      `Property .expiration_date must not be later than ${latest}, the ${voucher.expiration_date === null ? 'end of its campaign' : 'present date of the voucher'}`,
    )
}

const namesOf = ({ customer, tracking_id }: { customer?: string | undefined; tracking_id?: string | undefined }) => ({
  ...(customer !== undefined && { customer }),
  ...(tracking_id !== undefined && { tracking_id }),
})

/** What a page sees of a code: nothing of its value, its campaign or its use. */
export function toClientVoucher(voucher: Voucher): ClientVoucher {
  const { code, active, metadata, assets, start_date, expiration_date, created_at, object } = voucher
  return { code, active, metadata, assets, start_date, expiration_date, created_at, object }
}
