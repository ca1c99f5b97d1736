import { type StoredCustomer, toSimpleCustomer } from '../audience/customers/customer.ts'
import type { Checkout } from '../checkout/decision/facts.ts'
import type { RedeemableCandidate } from '../checkout/decision/redeemables.ts'
import type { Ctx } from '../core/context.ts'
import type { NewEvent } from '../core/events/emit.ts'
import type { SimpleCustomer, SimpleOrder, SimpleRedemption } from '../core/events/shapes.ts'
import { toSimpleStack } from '../incentives/promotions/stack.ts'
import { toSimplePromotionTier } from '../incentives/promotions/tier.ts'
import { noEarningDetails } from '../incentives/vouchers/entry-changes.ts'
import { type StoredVoucher, toSimpleVoucher } from '../incentives/vouchers/voucher.ts'
import { simpleCampaign } from '../loyalty/points/campaign-view.ts'
import { loyaltyTierView } from '../loyalty/points/view.ts'
import { type StoredOrder, toEventOrder } from '../orders/order.ts'
import type { RedeemedOrder } from './redeemed-order.ts'
import type { RedeemedPart } from './redeemed-part.ts'
import { shownVoucher } from './redeemed-voucher.ts'
import { type StoredRedemption, toSimpleRedemption } from './redemption.ts'

/** The parts that all events of a request share. */
export interface EventContext {
  checkout: Checkout
  customer: StoredCustomer | null
  order: RedeemedOrder | null
  /** How many redemptions of the request repeat the order, besides their parent. */
  children?: number
  /** Short forms that several events contain: made once, and as one object stored once without comparing texts. */
  made?: { customer: SimpleCustomer | null; orders: Map<StoredRedemption, SimpleOrder> }
}

/** The voucher or tier of a redemption; null for a parent, and for a failure of several redeemables. */
export interface RedemptionSubject {
  candidate: RedeemableCandidate
  /** After the redemption. */
  voucher: StoredVoucher | null
}

/**
 * The events of a redemption or its failure: `redemption.*`, and `customer.redemption.*` for the activity of the customer
 * (docs/reference/redemptions.md#events).
 */
export function redemptionEvents(
  ctx: Ctx,
  context: EventContext,
  row: StoredRedemption,
  subject: RedemptionSubject | null,
): NewEvent[] {
  const { checkout, customer } = context
  const { configuration, customers } = checkout.rows
  const campaign = subject?.candidate.campaign ?? null
  const holderId = subject?.voucher?.holder_id ?? null
  const holder = holderId === null ? undefined : customers.find(({ id }) => id === holderId)
  const stack = row.stack_id === null ? undefined : configuration.stacks.get(row.stack_id)
  const redemption = simpleRedemption(context, row, subject)
  const { voucher = null, promotion_tier = null, order } = redemption
  const data = {
    customer: redemption.customer,
    order,
    campaign: campaign && simpleCampaign(checkout.rows.configuration, campaign),
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

/** A redemption in its event form, with the order after it and the order before all redemptions of the request. */
export function simpleRedemption(
  context: EventContext,
  row: StoredRedemption,
  subject: RedemptionSubject | null,
): SimpleRedemption {
  const { customer, order, made } = context
  const shares = sharesOf(context, row)
  const tier = subject?.candidate.tier ?? null
  return toSimpleRedemption(row, {
    customer: made === undefined ? customer && toSimpleCustomer(customer) : made.customer,
    voucher: subject?.voucher == null ? null : toSimpleVoucher(subject.voucher),
    promotion_tier: tier && toSimplePromotionTier(tier),
    order: order === null ? null : orderAfter(order, row, shares, made),
    previous_order: order?.before == null ? null : toEventOrder(order.before, shares),
  })
}

const sharesOf = ({ children = 1 }: EventContext, { parent_id }: StoredRedemption): number =>
  parent_id === null ? 1 : children

function orderAfter(
  { order }: RedeemedOrder,
  row: StoredRedemption,
  shares: number,
  made: EventContext['made'],
): SimpleOrder {
  const simple = made?.orders.get(row) ?? toEventOrder({ ...order, ...stepOf(row) }, shares)
  made?.orders.set(row, simple)
  return simple
}

type OrderStep = Pick<
  StoredOrder,
  'amount' | 'discount_amount' | 'items_discount_amount' | 'total_discount_amount' | 'total_amount' | 'items'
>

/** The order right after this redemption, before the next one of the same request. */
function stepOf({ order }: StoredRedemption): Partial<OrderStep> {
  const { amount, discount_amount, items_discount_amount, total_discount_amount, total_amount, items } =
    order as OrderStep
  if (amount == null) return { items }
  return { amount, discount_amount, items_discount_amount, total_discount_amount, total_amount, items }
}

/** The event of the credits or points that were spent. */
export function transactionEvents(ctx: Ctx, context: EventContext, { row, candidate, code }: RedeemedPart): NewEvent[] {
  if (code?.entry == null) return []
  const { checkout, order } = context
  const { entry, after } = code
  const holder = after.holder_id === null ? undefined : checkout.rows.customers.find(({ id }) => id === after.holder_id)
  const data = {
    transaction: entry.transaction,
    voucher: shownVoucher(ctx, checkout, candidate, after),
    holder: holder === undefined ? null : toSimpleCustomer(holder),
    order: order === null ? null : toEventOrder(order.order, sharesOf(context, row)),
    redemption: simpleRedemption(context, row, { candidate, voucher: after }),
    rollback: null,
    campaign: candidate.campaign && simpleCampaign(checkout.rows.configuration, candidate.campaign),
    balance: entry.balance,
  }
  if (after.type === 'GIFT_VOUCHER') return [{ type: 'voucher.gift.transaction.created', entity_id: after.id, data }]
  return [
    {
      type: 'voucher.loyalty_card.transaction.created',
      entity_id: after.id,
      data: {
        ...data,
        ...noEarningDetails,
        holder_loyalty_tier: loyaltyTierView(checkout.rows.configuration, candidate.voucher?.member?.tier_id ?? null),
        reward: row.reward,
      },
    },
  ]
}
