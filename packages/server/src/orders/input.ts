import type { CustomerBody } from '../audience/customers/schema.ts'
import type { OrderStatus } from '../core/db/tables.ts'
import { ApiError, invalidPayload } from '../core/http/errors.ts'
import type { Instant } from '../core/lib/instant.ts'
import type { CreateOrder, OrderItemBody } from './schema.ts'

/** The order in a request (docs/reference/orders.md#input) with parsed numbers; fields that were not sent are absent. */
export interface OrderInput {
  id?: string
  /** Null clears it. */
  source_id?: string | null
  status?: OrderStatus
  amount?: number
  initial_amount?: number
  discount_amount?: number
  items?: ItemInput[]
  metadata?: Record<string, unknown>
  customer?: CustomerBody
  referrer?: CustomerBody
  /** Null clears it. */
  referrer_id?: string | null
  created_at?: Instant
}

export interface ItemInput {
  id?: string
  source_id?: string
  related_object?: 'product' | 'sku'
  product_id?: string
  sku_id?: string
  quantity?: number
  discount_quantity?: number
  initial_quantity?: number
  price?: number
  amount?: number
  initial_amount?: number
  discount_amount?: number
  product?: GoodInput & { name?: string }
  sku?: GoodInput & { sku?: string }
  metadata?: Record<string, unknown>
}

export interface GoodInput {
  id?: string
  source_id?: string
  override?: boolean
  price?: number
  metadata?: Record<string, unknown>
}

/**
 * Parses an order body that has passed schema validation and drops unknown fields. Amounts out of range are refused with
 * `invalid_amount`, quantities with `invalid_payload`.
 */
export function readOrder(body: CreateOrder): OrderInput {
  const { id, source_id, status, items, metadata, customer, referrer, referrer_id, created_at } = body
  return {
    ...(source_id === undefined ? {} : { source_id }),
    ...(referrer_id === undefined ? {} : { referrer_id }),
    ...withoutNulls({
      id,
      status,
      amount: readAmount(body.amount, '.amount'),
      initial_amount: readAmount(body.initial_amount, '.initial_amount'),
      discount_amount: readAmount(body.discount_amount, '.discount_amount'),
      items: items?.map((item, index) => readItem(item, `.items[${index}]`)),
      metadata,
      customer,
      referrer,
      created_at,
    }),
  }
}

function readItem(body: OrderItemBody, path: string): ItemInput {
  const { id, source_id, related_object, product_id, sku_id, product, sku, metadata } = body
  return withoutNulls({
    id,
    source_id,
    related_object,
    product_id,
    sku_id,
    quantity: readQuantity(body.quantity, `${path}.quantity`),
    discount_quantity: readQuantity(body.discount_quantity, `${path}.discount_quantity`),
    initial_quantity: readInitialQuantity(body.initial_quantity, `${path}.initial_quantity`),
    price: readAmount(body.price, `${path}.price`),
    amount: readAmount(body.amount, `${path}.amount`),
    initial_amount: readAmount(body.initial_amount, `${path}.initial_amount`),
    discount_amount: readAmount(body.discount_amount, `${path}.discount_amount`),
    product: product && { ...readGood(product, `${path}.product`), ...withoutNulls({ name: product.name }) },
    sku: sku && { ...readGood(sku, `${path}.sku`), ...withoutNulls({ sku: sku.sku }) },
    metadata,
  })
}

function readGood(good: GoodBody, path: string): GoodInput {
  const { id, source_id, override, price, metadata } = good
  return withoutNulls({ id, source_id, override, price: readAmount(price, `${path}.price`), metadata })
}

type GoodBody = Omit<NonNullable<OrderItemBody['product']>, 'name'>

type WithoutNulls<T> = { [K in keyof T]?: Exclude<T[K], null | undefined> }

/** Drops null fields: null means the same as an absent field (docs/reference/requests.md#conventions). */
function withoutNulls<T extends object>(sent: T): WithoutNulls<T> {
  const result: WithoutNulls<T> = {}
  for (const name in sent) if (sent[name] != null) result[name] = sent[name] as WithoutNulls<T>[typeof name]
  return result
}

type SentNumber = number | string | null | undefined

function readAmount(sent: SentNumber, path: string): number | undefined {
  const amount = readNumber(sent, path)
  if (amount !== undefined && (amount < 0 || !Number.isSafeInteger(amount))) throw invalidAmount()
  return amount
}

export const invalidAmount = (): ApiError =>
  new ApiError('invalid_amount', { details: 'Amount has to be a valid positive number' })

function readQuantity(sent: SentNumber, path: string): number | undefined {
  const quantity = readNumber(sent, path)
  if (quantity === undefined) return undefined
  if (quantity < 0) throw invalidPayload(`Property ${path} must be >= 0`)
  if (!Number.isSafeInteger(quantity)) throw invalidPayload(`Property ${path} must be <= ${Number.MAX_SAFE_INTEGER}`)
  return quantity
}

function readInitialQuantity(sent: SentNumber, path: string): number | undefined {
  const quantity = readNumber(sent, path)
  if (quantity !== undefined && quantity < 1) throw invalidPayload(`Property ${path} cannot be lower than 1`)
  return readQuantity(quantity, path)
}

function readNumber(sent: SentNumber, path: string): number | undefined {
  if (sent === undefined || sent === null) return undefined
  if (typeof sent === 'string' && !/^[+-]?\d+$/.test(sent)) throw invalidPayload(`Property ${path} must be integer`)
  return Number(sent)
}
