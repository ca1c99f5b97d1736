import { toSimpleCustomer } from '../audience/customers/customer.ts'
import { findCustomerById } from '../audience/customers/store.ts'
import { configurationNow } from '../core/configuration/configuration-now.ts'
import type { Ctx } from '../core/context.ts'
import { toInstant } from '../core/lib/instant.ts'
import { listVouchersById } from '../incentives/vouchers/store.ts'
import { toSimpleVoucher } from '../incentives/vouchers/voucher.ts'
import { type CascadeState, newCascade } from '../loyalty/points/card.ts'
import { convertRedemption } from '../loyalty/referrals/convert.ts'
import { type StoredOrder, toSimpleOrder } from '../orders/order.ts'
import { toSimpleRedemption } from './redemption.ts'
import { listSucceededOf } from './store.ts'

/** What an order stores of one of its redemptions, or of several that were made together. */
type Entry = { date: string; stacked?: string[] }

/**
 * Converts the customer of an order that has just been paid by the referral codes that pages redeemed on it before: these waited for
 * the shop to confirm the order (docs/reference/referrals.md#conversion). A customer who has converted already does not again.
 */
export async function convertPaidOrder(
  ctx: Ctx,
  order: StoredOrder,
  cascade: CascadeState = newCascade(),
): Promise<void> {
  const ids = waitingRedemptions(ctx, order)
  if (order.customer_id === null || ids.length === 0) return
  const configuration = await configurationNow(ctx)
  const programs = [...configuration.campaigns.values()].filter(
    ({ campaign_type }) => campaign_type === 'REFERRAL_PROGRAM',
  )
  if (programs.length === 0) return
  const rows = await listSucceededOf(ctx, {
    ids,
    customer_id: order.customer_id,
    campaign_ids: programs.map(({ id }) => id),
  })
  const codes = await listVouchersById(
    ctx,
    rows.map(({ related_object_id }) => related_object_id),
  )
  const buyer = rows.length === 0 ? undefined : await findCustomerById(ctx, order.customer_id)
  if (buyer === undefined) return
  const redeemed = rows.flatMap((row) => {
    const code = codes.find(({ id, is_referral_code }) => is_referral_code && id === row.related_object_id)
    const program = programs.find(({ id }) => id === row.campaign_id)
    if (code === undefined || program === undefined) return []
    const parts = { customer: toSimpleCustomer(buyer), voucher: toSimpleVoucher(code), promotion_tier: null }
    const redemption = toSimpleRedemption(row, { ...parts, order: toSimpleOrder(order) })
    return [{ configuration, program, code, was_held: true, waits: false, redemption_id: row.id, redemption }]
  })
  await convertRedemption(ctx, buyer, redeemed, cascade)
}

/** The redemptions of an order that are not so old that what they promise has lapsed. */
function waitingRedemptions({ now, settings }: Ctx, { redemptions }: StoredOrder): string[] {
  const since = toInstant(Date.parse(now) - settings.client_order_days_max * 86_400_000)
  return Object.entries((redemptions ?? {}) as Record<string, Entry>).flatMap(([id, { date, stacked }]) =>
    date < since ? [] : (stacked ?? [id]),
  )
}
