import type { CalculatedItem } from '@guerdon/engine/schema'
import type { Selectable } from 'kysely'
import type { OrderRow } from '../core/db/tables.ts'
import type { SimpleOrder } from '../core/events/shapes.ts'
import type { Order, OrderItem } from './schema.ts'

/** An order as it is stored. */
export interface StoredOrder extends Omit<Selectable<OrderRow>, 'items'> {
  items: StoredItem[]
}

/** A line as it is stored: what is shown of it, and what only the next calculation wants to know. */
export interface StoredItem extends OrderItem {
  /** Units that an earlier redemption gave away (engine, `ItemFacts`). */
  free_quantity?: number
}

/**
 * An order as the API shows it: what is unknown, and discounts of nothing, are left out
 * (docs/reference/orders.md#the-order-object).
 */
export function toOrder(row: StoredOrder): Order {
  const { id, source_id, status, metadata, customer_id, referrer_id, redemptions, created_at, updated_at } = row
  return {
    id,
    source_id,
    status,
    ...shownAmounts(row),
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

/** The short form that events about other things carry (docs/reference/events.md#short-forms). */
export function toSimpleOrder(row: StoredOrder): SimpleOrder {
  const { id, source_id, status, customer_id, referrer_id, metadata, created_at } = row
  return {
    id,
    source_id,
    status,
    customer_id,
    referrer_id,
    ...shownAmounts(row),
    items: row.items.map((item) => picked(item, simpleItem)),
    metadata,
    created_at,
    object: 'order',
  }
}

type ShownAmounts = Pick<
  Order,
  'amount' | 'discount_amount' | 'items_discount_amount' | 'total_discount_amount' | 'total_amount'
>

function shownAmounts(row: StoredOrder): ShownAmounts {
  const { amount, total_amount } = row
  const shown: ShownAmounts = {}
  if (amount !== null) shown.amount = amount
  for (const name of ['discount_amount', 'items_discount_amount', 'total_discount_amount'] as const)
    if (row[name] > 0) shown[name] = row[name]
  if (total_amount !== null) shown.total_amount = total_amount
  return shown
}

const simpleItem = [
  'id',
  'object',
  'source_id',
  'related_object',
  'product_id',
  'sku_id',
  'quantity',
  'discount_quantity',
  'amount',
  'discount_amount',
  'applied_discount_amount',
  'price',
  'subtotal_amount',
] as const satisfies ReadonlyArray<keyof CalculatedItem>

function picked<T extends object, K extends keyof T>(from: T, names: readonly K[]): Pick<T, K> {
  const found = {} as Pick<T, K>
  for (const name of names) if (from[name] !== undefined) found[name] = from[name]
  return found
}
