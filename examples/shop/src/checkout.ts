import { type Guerdon, unwrap } from '@guerdon/client'
import type { Offers } from './offers.ts'
import { customerOf, itemsOf, type Price, priceOf } from './pricing.ts'
import { emptyCart, type Order, renewOrder, type Visitor } from './visitors.ts'

/** The order, or what the visitor has to look at first. */
export type CheckedOut = { order: Order } | { problem: string }

/**
 * Turns the cart into a paid order. The id of the order is the idempotency key: if an answer is lost and the same checkout comes again,
 * the service answers as before and spends nothing twice.
 */
export async function checkOut(
  guerdon: Guerdon,
  offers: Offers,
  visitor: Visitor,
  seen: { order_id: string; total: number },
): Promise<CheckedOut> {
  // The button may be pressed twice, also at once: after each wait the order may be there.
  const placed = () => visitor.orders.get(seen.order_id)
  const price = placed() === undefined ? await priceOf(guerdon, offers, visitor) : null
  const before = placed()
  if (before !== undefined) return { order: before }
  if (price === null) return { problem: 'Your cart is empty.' }
  if (seen.order_id !== visitor.order_id || seen.total !== price.total)
    return { problem: 'Your cart has changed. Please look at it again.' }
  const paid = await pay(guerdon, visitor, price)
  const meanwhile = placed()
  if (meanwhile !== undefined) return { order: meanwhile }
  if ('problem' in paid) {
    renewOrder(visitor)
    return paid
  }
  const order: Order = {
    id: seen.order_id,
    lines: price.lines,
    discounts: price.discounts,
    amount: price.amount,
    total: paid.total,
    redemption_id: paid.redemption_id,
    is_returned: false,
  }
  visitor.orders.set(order.id, order)
  emptyCart(visitor)
  return { order }
}

type Paid = { total: number; redemption_id: string | null } | { problem: string }

async function pay(guerdon: Guerdon, visitor: Visitor, price: Price): Promise<Paid> {
  const customer = customerOf(visitor)
  const order = { source_id: visitor.order_id, items: itemsOf(visitor) }
  const once = { idempotencyKey: visitor.order_id }
  if (price.redeemables.length === 0) {
    const { total_amount: total = price.total } = unwrap(
      await guerdon.createOrder({ ...order, status: 'PAID', customer }, once),
    )
    return { total, redemption_id: null }
  }
  const redeemed = await guerdon.redeem({ redeemables: price.redeemables, order, customer }, once)
  // Somebody else was faster, or a code has just expired: the cart shows which one and why.
  if (!redeemed.ok && redeemed.error.kind === 'refused' && redeemed.error.status < 500)
    return { problem: `${redeemed.error.message}. Please look at your cart again.` }
  const { redemptions, parent_redemption, order: stored } = unwrap(redeemed)
  return {
    total: stored?.total_amount ?? price.total,
    redemption_id: parent_redemption?.id ?? redemptions[0]?.id ?? null,
  }
}

/** Takes an order back: codes and gift cards can be used again. */
export async function returnOrder(guerdon: Guerdon, order: Order): Promise<void> {
  if (order.is_returned) return
  const once = { idempotencyKey: `return-${order.id}` }
  if (order.redemption_id === null)
    unwrap(await guerdon.updateOrder({ orderId: order.id }, { status: 'CANCELED' }, once))
  else
    unwrap(await guerdon.rollBackRedemptions({ parentRedemptionId: order.redemption_id }, { reason: 'Returned' }, once))
  order.is_returned = true
}
