import {
  Amount,
  CalculatedItem,
  CalculatedOrder,
  Instant,
  InstantInput,
  Maybe,
  Metadata,
  Name,
  Nullable,
  OneOf,
} from '@guerdon/engine/schema'
import { type Static, Type } from 'typebox'
import { CustomerBody } from '../audience/customers/schema.ts'
import { writtenForm } from '../core/http/json-schema.ts'
import { wholeNumberForm } from '../core/http/numeric-text.ts'
import { limits } from '../core/lib/limits.ts'
import { FilterQuery, listOf, PageQuery } from '../core/query/list.ts'

const Status = OneOf(['CREATED', 'PAID', 'CANCELED', 'FULFILLED'])

const { product, sku, ...line } = CalculatedItem.properties

const goodSnapshot = {
  id: Type.Optional(Type.String()),
  source_id: Type.Optional(Type.String()),
  price: Type.Optional(Amount),
  metadata: Type.Optional(Metadata),
  override: Type.Optional(Type.Boolean()),
}

/** A line of an order: a snapshot of its product or SKU from when the line was stored, and its amounts. */
export const OrderItem = Type.Object({
  ...line,
  initial_quantity: Type.Optional(line.initial_quantity),
  product: Type.Optional(Type.Object({ ...goodSnapshot, name: Type.Optional(Type.String()) })),
  sku: Type.Optional(Type.Object({ ...goodSnapshot, sku: Type.Optional(Type.String()) })),
})
export type OrderItem = Static<typeof OrderItem>

/** One entry of `redemptions`, whose key is the redemption id. */
export const OrderRedemption = Type.Object({
  date: Type.Optional(Instant),
  related_object_type: Type.Optional(Type.String()),
  related_object_id: Type.Optional(Type.String()),
  related_object_parent_id: Type.Optional(Type.String()),
  stacked: Type.Optional(Type.Array(Type.String())),
  rollback_id: Type.Optional(Type.String()),
  rollback_date: Type.Optional(Instant),
  rollback_stacked: Type.Optional(Type.Array(Type.String())),
})

export const CustomerReference = Type.Object({ id: Type.String(), object: Type.Literal('customer') })

export const Order = Type.Object({
  id: Type.String({ description: 'Time-ordered id, `ord_` and 24 letters and digits.' }),
  source_id: Nullable(Type.String()),
  status: Status,
  ...CalculatedOrder.properties,
  items: Type.Array(OrderItem),
  customer_id: Nullable(Type.String()),
  referrer_id: Nullable(Type.String()),
  customer: Type.Optional(CustomerReference),
  referrer: Type.Optional(CustomerReference),
  redemptions: Type.Optional(
    Type.Unsafe<Record<string, Static<typeof OrderRedemption>>>({
      type: 'object',
      additionalProperties: OrderRedemption,
    }),
  ),
  created_at: Instant,
  updated_at: Nullable(Instant),
  object: Type.Literal('order'),
})
export type Order = Static<typeof Order>

/**
 * An integer, or a string of digits (docs/reference/requests.md#conventions). `readOrder` checks the bounds, because an amount out
 * of bounds has its own error key.
 */
const Numeric = Type.Optional(
  Type.Unsafe<number | string | null>({
    type: ['integer', 'string', 'null'],
    [writtenForm]: wholeNumberForm,
  }),
)

/** Shops number their orders and lines; `readOrder` turns a number into its text. */
export const OrderId = Type.Optional(
  Type.Unsafe<string | number | null>({
    type: ['string', 'integer', 'null'],
    minLength: 1,
    maxLength: 255,
    minimum: 0,
    maximum: Number.MAX_SAFE_INTEGER,
    [writtenForm]: 'A whole number is read as its text.',
  }),
)

const good = {
  id: OrderId,
  source_id: OrderId,
  override: Maybe(
    Type.Boolean({ description: 'Writes what is said here to the catalogue, and creates what it does not know.' }),
  ),
  price: Numeric,
  metadata: Maybe(Metadata),
}

export const OrderItemBody = Type.Object({
  id: Maybe(
    Type.Unsafe<string | number>({
      type: ['string', 'integer'],
      description: 'Of a line that the order has: it stays the same line.',
    }),
  ),
  source_id: OrderId,
  related_object: Maybe(OneOf(['product', 'sku'])),
  product_id: OrderId,
  sku_id: OrderId,
  quantity: Numeric,
  discount_quantity: Numeric,
  initial_quantity: Numeric,
  price: Numeric,
  amount: Numeric,
  initial_amount: Numeric,
  discount_amount: Numeric,
  product: Maybe(Type.Object({ ...good, name: Maybe(Name) })),
  sku: Maybe(Type.Object({ ...good, sku: Maybe(Name) })),
  metadata: Maybe(Metadata),
})
export type OrderItemBody = Static<typeof OrderItemBody>

/** The fields of an order that every kind of request may send. */
export const OrderBody = {
  source_id: OrderId,
  status: Maybe(Status),
  amount: Numeric,
  initial_amount: Numeric,
  discount_amount: Numeric,
  items: Maybe(Type.Array(OrderItemBody, { maxItems: limits.order_items_max })),
  metadata: Maybe(Metadata),
  customer: Maybe(CustomerBody),
  referrer: Maybe(CustomerBody),
  referrer_id: Maybe(Name),
}

const example = {
  source_id: 'order-1',
  status: 'CREATED',
  items: [
    { source_id: 'mug', related_object: 'product', quantity: 2, price: 1250 },
    { source_id: 'mug-blue-330', related_object: 'sku', quantity: 1, price: 1290 },
  ],
  customer: { source_id: 'customer-1' },
  metadata: { channel: 'web' },
}

/** Only sent fields change; `null` clears `source_id` and `referrer_id` and means "not sent" for every other field. */
export const UpdateOrder = Type.Object(
  { ...OrderBody, created_at: Maybe(InstantInput) },
  { examples: [{ status: 'PAID', metadata: { channel: 'web' } }] },
)
export type UpdateOrder = Static<typeof UpdateOrder>

export const CreateOrder = Type.Object(
  { id: OrderId, ...OrderBody, created_at: Maybe(InstantInput) },
  { examples: [example] },
)
export type CreateOrder = Static<typeof CreateOrder>

/** Without `created_at`: an imported order is created when it is imported (docs/reference/orders.md#input). */
const ImportedOrder = Type.Object({ id: OrderId, ...OrderBody })
export type ImportedOrder = Static<typeof ImportedOrder>

export const ImportOrders = Type.Array(ImportedOrder, {
  minItems: 1,
  maxItems: limits.order_import_max,
  examples: [[example]],
})
export type ImportOrders = Static<typeof ImportOrders>

export const OrderQuery = Type.Object({
  ...PageQuery({ order: ['-created_at', 'created_at', '-updated_at', 'updated_at'] }),
  ...FilterQuery,
})
export type OrderQuery = Static<typeof OrderQuery>

export const OrderList = listOf('orders', Order, { total: true })
