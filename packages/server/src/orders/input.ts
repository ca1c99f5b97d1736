import type { CustomerBody } from '../audience/customers/schema.ts'
import type { OrderStatus } from '../core/db/tables.ts'
import { ApiError, type Fault, inputError } from '../core/http/errors.ts'
import { wholeNumberOf } from '../core/http/numeric-text.ts'
import { minorUnitsHint } from '../core/http/validation.ts'
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
 * Parses an order body that has passed schema validation and drops unknown fields; `path` is its place in the request. Amounts
 * out of range are refused with `invalid_amount`, quantities with `invalid_payload`, and all of them are listed.
 */
export function readOrder(body: CreateOrder, path = ''): OrderInput {
  const faults: NumberFault[] = []
  const order = orderOf(body, path, faults)
  const [first] = faults
  if (first !== undefined) throw inputError(first.key, faults.map(withoutKey))
  return order
}

/** A fault of a number, and the key of the refusal if it is the first. */
interface NumberFault extends Fault {
  key: 'invalid_amount' | 'invalid_payload'
}

const withoutKey = ({ path, details }: NumberFault): Fault => ({ path, details })

function orderOf(body: CreateOrder, path: string, faults: NumberFault[]): OrderInput {
  const { id, source_id, status, items, metadata, customer, referrer, referrer_id, created_at } = body
  return {
    ...(source_id === undefined ? {} : { source_id: idOf(source_id) }),
    ...(referrer_id === undefined ? {} : { referrer_id }),
    ...withoutNulls({
      id: idOf(id),
      status,
      amount: readAmount(body.amount, `${path}.amount`, faults),
      initial_amount: readAmount(body.initial_amount, `${path}.initial_amount`, faults),
      discount_amount: readAmount(body.discount_amount, `${path}.discount_amount`, faults),
      items: items?.map((item, index) => readItem(item, `${path}.items[${index}]`, faults)),
      metadata,
      customer,
      referrer,
      created_at,
    }),
  }
}

function readItem(body: OrderItemBody, path: string, faults: NumberFault[]): ItemInput {
  const { id, source_id, related_object, product_id, sku_id, product, sku, metadata } = body
  return withoutNulls({
    id: idOf(id),
    source_id: idOf(source_id),
    related_object,
    product_id: idOf(product_id),
    sku_id: idOf(sku_id),
    quantity: readQuantity(body.quantity, `${path}.quantity`, faults),
    discount_quantity: readQuantity(body.discount_quantity, `${path}.discount_quantity`, faults),
    initial_quantity: readInitialQuantity(body.initial_quantity, `${path}.initial_quantity`, faults),
    price: readAmount(body.price, `${path}.price`, faults),
    amount: readAmount(body.amount, `${path}.amount`, faults),
    initial_amount: readAmount(body.initial_amount, `${path}.initial_amount`, faults),
    discount_amount: readAmount(body.discount_amount, `${path}.discount_amount`, faults),
    product: product && { ...readGood(product, `${path}.product`, faults), ...withoutNulls({ name: product.name }) },
    sku: sku && { ...readGood(sku, `${path}.sku`, faults), ...withoutNulls({ sku: sku.sku }) },
    metadata,
  })
}

function readGood(good: GoodBody, path: string, faults: NumberFault[]): GoodInput {
  const { id, source_id, override, price, metadata } = good
  return withoutNulls({
    id: idOf(id),
    source_id: idOf(source_id),
    override,
    price: readAmount(price, `${path}.price`, faults),
    metadata,
  })
}

type GoodBody = Omit<NonNullable<OrderItemBody['product']>, 'name'>

type WithoutNulls<T> = { [K in keyof T]?: Exclude<T[K], null | undefined> }

/** Drops null fields: null means the same as an absent field (docs/reference/requests.md#conventions). */
function withoutNulls<T extends object>(sent: T): WithoutNulls<T> {
  const result: WithoutNulls<T> = {}
  for (const name in sent) if (sent[name] != null) result[name] = sent[name] as WithoutNulls<T>[typeof name]
  return result
}

/** The text of an id that was sent as a number. */
export function idOf<T extends null | undefined>(sent: string | number | T): string | T {
  return typeof sent === 'number' ? String(sent) : sent
}

type SentNumber = number | string | null | undefined

function readAmount(sent: SentNumber, path: string, faults: NumberFault[]): number | undefined {
  const amount = readNumber(sent, path, faults)
  if (amount !== undefined && (amount < 0 || !Number.isSafeInteger(amount)))
    faults.push({ key: 'invalid_amount', path, details: wrongAmount })
  return amount
}

const wrongAmount = 'Amount has to be a valid positive number'

export const invalidAmount = (): ApiError => new ApiError('invalid_amount', { details: wrongAmount })

function readQuantity(
  sent: SentNumber,
  path: string,
  faults: NumberFault[],
  tooLow: (quantity: number) => string | null = (quantity) => (quantity < 0 ? 'must be >= 0' : null),
): number | undefined {
  const quantity = readNumber(sent, path, faults)
  if (quantity === undefined) return undefined
  const fault = tooLow(quantity) ?? (Number.isSafeInteger(quantity) ? null : `must be <= ${Number.MAX_SAFE_INTEGER}`)
  if (fault !== null) faults.push({ key: 'invalid_payload', path, details: `Property ${path} ${fault}` })
  return quantity
}

const readInitialQuantity = (sent: SentNumber, path: string, faults: NumberFault[]): number | undefined =>
  readQuantity(sent, path, faults, (quantity) => (quantity < 1 ? 'cannot be lower than 1' : null))

function readNumber(sent: SentNumber, path: string, faults: NumberFault[]): number | undefined {
  if (sent === undefined || sent === null) return undefined
  const number = typeof sent === 'string' ? wholeNumberOf(sent) : sent
  if (number === undefined)
    faults.push({
      key: 'invalid_payload',
      path,
      details: `Property ${path} must be integer${minorUnitsHint(path, sent)}`,
    })
  return number
}
