import type { ItemFacts, OrderFacts } from '@guerdon/engine/schema'
import { notFound } from '../../core/http/errors.ts'
import { newId } from '../../core/lib/ids.ts'
import { orderFactsOf, withCatalogue } from '../../orders/lines.ts'
import type { CheckoutRows } from './checkout-rows.ts'
import type { CheckoutRequest } from './request.ts'

/**
 * The order of a request as the engine evaluates it; null when none was sent. A stored order that is referred to by its `id`
 * is the base, and the fields that were sent replace its own; referred to by its `source_id`, it is used as stored
 * (docs/reference/requests.md#order).
 */
export function orderFacts(
  { order: sent }: CheckoutRequest,
  { order: stored, replaced_order, goods }: CheckoutRows,
): OrderFacts | null {
  if (sent === null) return null
  if (stored === null || replaced_order !== null) {
    if (sent.id !== undefined) throw notFound('order', sent.id)
    const { source_id, status, amount, discount_amount, items, metadata } = sent
    return {
      source_id: source_id ?? null,
      status: status ?? null,
      amount: amount ?? null,
      discount_amount: discount_amount ?? null,
      items: withCatalogue<ItemFacts>(items ?? [], goods).map(asNew),
      metadata: metadata ?? {},
    }
  }
  const base: OrderFacts = {
    ...orderFactsOf(stored, goods),
    discounted_goods: Object.keys(stored.discounted_goods ?? {}),
  }
  if (sent.id === undefined) return base
  const { amount, discount_amount, items, metadata } = sent
  if (items === undefined)
    return {
      ...base,
      ...(amount === undefined ? {} : { amount, initial_amount: null }),
      ...(discount_amount === undefined ? {} : { discount_amount }),
      ...(metadata === undefined ? {} : { metadata }),
    }
  return {
    ...base,
    amount: amount ?? null,
    initial_amount: null,
    discount_amount: discount_amount ?? stored.discount_amount,
    items: withCatalogue<ItemFacts>(items, goods).map(asNew),
    metadata: metadata ?? stored.metadata,
    discounted_goods: [],
  }
}

/** A line that is sent is new: its initial quantity and amount are ignored (docs/reference/requests.md#order-lines). */
function asNew({ initial_quantity: _, initial_amount: __, ...line }: ItemFacts): ItemFacts {
  return line
}

/**
 * Gives every line an id before the calculation, so that all parts of the response show the same one
 * (docs/reference/calculated-order.md#order-lines).
 */
export function withLineIds(order: OrderFacts | null | undefined): OrderFacts | null {
  if (order == null) return null
  const items = (order.items ?? []).map(
    (item): ItemFacts => (item.id == null ? { ...item, id: newId('order_line') } : item),
  )
  return { ...order, items }
}
