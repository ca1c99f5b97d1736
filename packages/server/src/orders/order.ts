import type { Selectable } from 'kysely'
import type { OrderRow } from '../core/db/tables.ts'
import { type SimpleOrder, SimpleOrderItem } from '../core/events/shapes.ts'
import { limits } from '../core/lib/limits.ts'
import type { Order, OrderItem } from './schema.ts'

export interface StoredOrder extends Omit<Selectable<OrderRow>, 'items'> {
  items: StoredItem[]
}

/** A stored line: the public fields, and fields that only the next calculation needs. */
export interface StoredItem extends OrderItem {
  initial_quantity: number
  /** Units that an earlier redemption added for free (engine, `ItemFacts`). */
  free_quantity?: number
}

/**
 * An order as the API returns it, without unknown amounts and zero discounts (docs/reference/orders.md#the-order-object).
 * Initial values are shown only where a discount changed the order.
 */
export function toOrder(row: StoredOrder): Order {
  const { initial_amount, ...order } = toCalculatedOrder(row)
  return {
    ...order,
    ...(initial_amount === undefined || initial_amount === order.amount ? {} : { initial_amount }),
    items: order.items.map(withoutSameInitials),
  }
}

function withoutSameInitials({ initial_quantity, initial_amount, ...item }: OrderItem): OrderItem {
  return {
    ...item,
    ...(initial_quantity === undefined || initial_quantity === item.quantity ? {} : { initial_quantity }),
    ...(initial_amount === undefined || initial_amount === item.amount ? {} : { initial_amount }),
  }
}

/** The same with all initial values, as the answers of redemptions and rollbacks show it. */
export function toCalculatedOrder(row: StoredOrder): Order {
  const { id, source_id, status, metadata, customer_id, referrer_id, redemptions, created_at, updated_at } = row
  return {
    id,
    source_id,
    status,
    ...publicAmounts(row),
    ...(row.initial_amount === null ? {} : { initial_amount: row.initial_amount }),
    items: row.items.map(({ free_quantity: _, ...item }) => item),
    metadata,
    customer_id,
    referrer_id,
    ...(customer_id === null ? {} : { customer: { id: customer_id, object: 'customer' } }),
    ...(referrer_id === null ? {} : { referrer: { id: referrer_id, object: 'customer' } }),
    ...(redemptions === null || Object.keys(redemptions).length === 0
      ? {}
      : { redemptions: redemptions as NonNullable<Order['redemptions']> }),
    created_at,
    updated_at,
    object: 'order',
  }
}

/** The short form of an order in events about other objects (docs/reference/events.md#short-forms). */
export function toSimpleOrder(row: StoredOrder): SimpleOrder {
  const { id, source_id, status, customer_id, referrer_id, metadata, created_at } = row
  return {
    id,
    source_id,
    status,
    customer_id,
    referrer_id,
    ...publicAmounts(row),
    items: row.items.map((item) => pickDefined(item, simpleItemFields)),
    metadata,
    created_at,
    object: 'order',
  }
}

/**
 * An order in the event of a redemption, which is kept for ever: a long one without lines and metadata, which its own events have. `shares`:
 * how many redemptions of the request repeat it (docs/reference/events.md#long-orders).
 */
export function toEventOrder(row: StoredOrder, shares = 1): SimpleOrder {
  const order = toSimpleOrder(row)
  const length = JSON.stringify([order.items, order.metadata]).length
  return length * shares > limits.event_evaluation_bytes_max ? { ...order, items: [], metadata: {} } : order
}

type PublicAmounts = Pick<
  Order,
  'amount' | 'discount_amount' | 'items_discount_amount' | 'total_discount_amount' | 'total_amount'
>

function publicAmounts(row: StoredOrder): PublicAmounts {
  const { amount, total_amount } = row
  const amounts: PublicAmounts = {}
  if (amount !== null) amounts.amount = amount
  for (const name of ['discount_amount', 'items_discount_amount', 'total_discount_amount'] as const)
    if (row[name] > 0) amounts[name] = row[name]
  if (total_amount !== null) amounts.total_amount = total_amount
  return amounts
}

const simpleItemFields = Object.keys(SimpleOrderItem.properties) as Array<keyof typeof SimpleOrderItem.properties>

function pickDefined<T extends object, K extends keyof T>(object: T, names: readonly K[]): Pick<T, K> {
  const fields = {} as Pick<T, K>
  for (const name of names) if (object[name] !== undefined) fields[name] = object[name]
  return fields
}
