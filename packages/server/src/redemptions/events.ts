import { type StoredCustomer, toSimpleCustomer } from '../audience/customers/customer.ts'
import type { Checkout } from '../checkout/decision/facts.ts'
import type { Candidate } from '../checkout/decision/redeemables.ts'
import type { Ctx } from '../core/context.ts'
import type { NewEvent } from '../core/events/emit.ts'
import type { SimpleRedemption } from '../core/events/shapes.ts'
import { toSimpleStack } from '../incentives/promotions/stack.ts'
import { toSimplePromotionTier } from '../incentives/promotions/tier.ts'
import { nothingEarned } from '../incentives/vouchers/entry-changes.ts'
import { type StoredVoucher, toSimpleVoucher } from '../incentives/vouchers/voucher.ts'
import { simpleCampaign } from '../loyalty/points/campaign-view.ts'
import { shownTier } from '../loyalty/points/view.ts'
import { type StoredOrder, toSimpleOrder } from '../orders/order.ts'
import type { RedeemedOrder } from './redeemed-order.ts'
import type { RedeemedPart } from './redeemed-part.ts'
import { shownVoucher } from './redeemed-voucher.ts'
import { type StoredRedemption, toSimpleRedemption } from './redemption.ts'

/** What all events of a request share. */
export interface EventContext {
  it: Checkout
  customer: StoredCustomer | null
  order: RedeemedOrder | null
}

/** What one redemption is about; null for a parent, and for a failure of several things together. */
export interface RedemptionSubject {
  candidate: Candidate
  /** As it is afterwards. */
  voucher: StoredVoucher | null
}

/**
 * That something was redeemed, or was not: for the shop, and in the activity of the customer
 * (docs/reference/redemptions.md#events).
 */
export function redemptionEvents(
  ctx: Ctx,
  told: EventContext,
  row: StoredRedemption,
  about: RedemptionSubject | null,
): NewEvent[] {
  const { it, customer } = told
  const { configuration, customers } = it.loaded
  const campaign = about?.candidate.campaign ?? null
  const holderId = about?.voucher?.holder_id ?? null
  const holder = holderId === null ? undefined : customers.find(({ id }) => id === holderId)
  const stack = row.stack_id === null ? undefined : configuration.stacks.get(row.stack_id)
  const redemption = simpleRedemption(told, row, about)
  const { voucher = null, promotion_tier = null, order } = redemption
  const data = {
    customer: redemption.customer,
    order,
    campaign: campaign && simpleCampaign(it.loaded.configuration, campaign),
    voucher,
    holder: holder === undefined ? null : toSimpleCustomer(holder),
    promotion_tier,
    promotion_stack: stack === undefined ? null : toSimpleStack(stack),
    redemption,
  }
  const word = row.result === 'SUCCESS' ? 'succeeded' : 'failed'
  const id = row.id as `r_${string}`
  return [
    { type: `redemption.${word}`, entity_id: id, data: { ...data, created_at: ctx.now } },
    ...(customer === null ? [] : [{ type: `customer.redemption.${word}` as const, entity_id: customer.id, data }]),
  ] as NewEvent[]
}

/** A redemption as events tell of it, with the order as it left it and as it was before all of them. */
export function simpleRedemption(
  { customer, order }: EventContext,
  row: StoredRedemption,
  about: RedemptionSubject | null,
): SimpleRedemption {
  const tier = about?.candidate.tier ?? null
  return toSimpleRedemption(row, {
    customer: customer && toSimpleCustomer(customer),
    voucher: about?.voucher == null ? null : toSimpleVoucher(about.voucher),
    promotion_tier: tier && toSimplePromotionTier(tier),
    order: order === null ? null : toSimpleOrder({ ...order.order, ...leftBy(row) }),
    previous_order: order?.before == null ? null : toSimpleOrder(order.before),
  })
}

type Left = Pick<
  StoredOrder,
  'amount' | 'discount_amount' | 'items_discount_amount' | 'total_discount_amount' | 'total_amount' | 'items'
>

/** One among several left the order as the next one found it. */
function leftBy({ order }: StoredRedemption): Partial<Left> {
  const { amount, discount_amount, items_discount_amount, total_discount_amount, total_amount, items } = order as Left
  if (amount == null) return { items }
  return { amount, discount_amount, items_discount_amount, total_discount_amount, total_amount, items }
}

/** That credits or points were spent. */
export function transactionEvents(ctx: Ctx, told: EventContext, { row, candidate, code }: RedeemedPart): NewEvent[] {
  if (code?.entry == null) return []
  const { it, order } = told
  const { entry, after } = code
  const holder = after.holder_id === null ? undefined : it.loaded.customers.find(({ id }) => id === after.holder_id)
  const data = {
    transaction: entry.transaction,
    voucher: shownVoucher(ctx, it, candidate, after),
    holder: holder === undefined ? null : toSimpleCustomer(holder),
    order: order === null ? null : toSimpleOrder(order.order),
    redemption: simpleRedemption(told, row, { candidate, voucher: after }),
    rollback: null,
    campaign: candidate.campaign && simpleCampaign(it.loaded.configuration, candidate.campaign),
    balance: entry.balance,
  }
  if (after.type === 'GIFT_VOUCHER') return [{ type: 'voucher.gift.transaction.created', entity_id: after.id, data }]
  return [
    {
      type: 'voucher.loyalty_card.transaction.created',
      entity_id: after.id,
      data: {
        ...data,
        ...nothingEarned,
        holder_loyalty_tier: shownTier(it.loaded.configuration, candidate.voucher?.member?.tier_id ?? null),
        reward: row.reward,
      },
    },
  ]
}
