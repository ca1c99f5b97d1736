import { calculateOrder } from '@guerdon/engine'
import type { Applicable, CalculatedItem, CalculatedOrder, Verdict } from '@guerdon/engine/schema'
import { isPage } from '../audience/customers/on-client-side.ts'
import type { Checkout } from '../checkout/decision/facts.ts'
import type { RepeatedOrder } from '../checkout/decision/repeated-orders.ts'
import { appliedOf, referrerOf } from '../checkout/decision/results.ts'
import type { Ctx } from '../core/context.ts'
import type { CustomerRow } from '../core/db/tables.ts'
import { notFound } from '../core/http/errors.ts'
import { newId } from '../core/lib/ids.ts'
import { clientOrderAfter } from '../orders/client-order.ts'
import { type StoredItem, type StoredOrder, toCalculatedOrder } from '../orders/order.ts'
import type { OrderColumns } from '../orders/store.ts'
import type { RedemptionOrder } from './schema.ts'
import type { Undo } from './undo.ts'

/** The order after the redemptions of a request: as it is stored, and after each of them. */
export interface RedeemedOrder {
  before: StoredOrder | null
  /** As it is saved; `redeemAll` adds its redemptions. */
  order: StoredOrder
  /** With its calculated amounts, zeros included (docs/reference/calculated-order.md#amounts-of-the-order). */
  calculated: CalculatedOrder
  /** The order after each redemption, in the order of the outcomes. */
  steps: ReadonlyArray<{ order: CalculatedOrder; undo: Pick<Undo, 'order' | 'lines' | 'goods'> }>
}

/** Null when there is no order (docs/reference/redemptions.md#answer). */
export function redeemedOrder(
  ctx: Ctx,
  checkout: Checkout,
  verdict: Verdict,
  customerId: CustomerRow['id'] | null,
): RedeemedOrder | null {
  const { order: facts } = checkout.facts
  if (facts == null || verdict.order === undefined) return null
  const applied = verdict.redeemables.filter((outcome) => outcome.status === 'APPLICABLE')
  const { order: before, replaced_order: replaced } = checkout.rows
  const sent = checkout.request.order ?? {}
  const lineIds = newLineIds()
  const calculated = withIds(verdict.order, lineIds)
  const steps = stepsOf(calculateOrder(facts), applied, lineIds)
  const clientOrder = isPage(ctx)
    ? before === null
      ? 'UNCONFIRMED'
      : before.client_order
    : clientOrderAfter(before, sent)
  // A page redeems; that somebody has paid, only the shop knows.
  const paid = before?.status === 'FULFILLED' || sent.status === 'FULFILLED' ? 'FULFILLED' : 'PAID'
  const status = isPage(ctx) || clientOrder === 'UNCONFIRMED' ? (before?.status ?? 'CREATED') : paid
  const items = storedItems(calculated.items, verdict.free_quantities ?? [], checkout)
  const { amount = null, initial_amount = null, discount_amount = 0, items_discount_amount = 0 } = calculated
  return {
    before: replaced ?? before,
    order: {
      project_id: ctx.project_id,
      id: before?.id ?? newId('order', Date.parse(ctx.now)),
      source_id: before?.source_id ?? sent.source_id ?? null,
      status,
      amount,
      initial_amount,
      discount_amount,
      items_discount_amount,
      total_discount_amount: discount_amount + items_discount_amount,
      total_amount: amount === null ? null : amount - discount_amount - items_discount_amount,
      items,
      metadata: calculated.metadata,
      customer_id: customerId ?? before?.customer_id ?? null,
      referrer_id: referrerFor(checkout, applied),
      redemptions: before?.redemptions ?? null,
      discounted_goods: countGoods(
        facts.discounted_goods?.length === 0 ? null : (before?.discounted_goods ?? null),
        applied,
      ),
      client_order: clientOrder,
      created_at: before?.created_at ?? ctx.now,
      updated_at: before === null ? null : ctx.now,
    },
    calculated,
    steps,
  }
}

/** Refuses an unknown referrer that the request names. */
function referrerFor(checkout: Checkout, applied: readonly Applicable[]): CustomerRow['id'] | null {
  const { referrer, referrer_sent } = checkout.request
  const { customers } = checkout.rows
  if (referrer !== null && !customers.some(({ id, source_id }) => id === referrer || source_id === referrer))
    throw notFound('customer', referrer_sent ?? referrer)
  return referrerOf(checkout, appliedOf(checkout, applied))
}

/** Gives lines that the calculation appended an id too, the same one in every step. */
function newLineIds(): (item: CalculatedItem, index: number) => string {
  const ids = new Map<number, string>()
  return (item, index) => {
    const id = item.id ?? ids.get(index) ?? newId('order_line')
    ids.set(index, id)
    return id
  }
}

const withIds = (order: CalculatedOrder, idOf: ReturnType<typeof newLineIds>): CalculatedOrder => ({
  ...order,
  items: order.items.map((item, index) => {
    const id = idOf(item, index)
    return item.id === id ? item : { ...item, id }
  }),
})

function stepsOf(
  initial: CalculatedOrder,
  applied: readonly Applicable[],
  idOf: ReturnType<typeof newLineIds>,
): RedeemedOrder['steps'] {
  let before = initial
  return applied.map((outcome) => {
    const order = withIds(outcome.order as CalculatedOrder, idOf)
    const undo = { ...difference(before, order, outcome), goods: outcome.discounted_goods }
    before = order
    return { order, undo }
  })
}

/** By how much a step changed the order, line by line, without unchanged lines. */
function difference(
  before: CalculatedOrder,
  after: CalculatedOrder,
  outcome: Applicable,
): Pick<Undo, 'order' | 'lines'> {
  const { discount } = outcome
  const freesUnits = discount?.type === 'UNIT' && discount.effect !== 'REPLACE_ITEMS'
  return {
    order: {
      amount: (after.amount ?? 0) - (before.amount ?? 0),
      discount_amount: (after.discount_amount ?? 0) - (before.discount_amount ?? 0),
    },
    lines: after.items.flatMap((item, index) => changeOf(before.items[index], item, freesUnits)),
  }
}

/** Nothing for an unchanged line: of thirty redemptions on a long order, nearly all are. */
function changeOf(previous: CalculatedItem | undefined, item: CalculatedItem, freesUnits: boolean): Undo['lines'] {
  const quantity = item.quantity - (previous?.quantity ?? 0)
  const amount = (item.amount ?? 0) - (previous?.amount ?? 0)
  const discountAmount = (item.discount_amount ?? 0) - (previous?.discount_amount ?? 0)
  const discountQuantity = (item.discount_quantity ?? 0) - (previous?.discount_quantity ?? 0)
  const freeQuantity = freesUnits ? (item.applied_discount_quantity ?? 0) : 0
  const addsAmount = previous !== undefined && previous.amount === undefined && item.amount !== undefined
  if (!addsAmount && (quantity || amount || discountAmount || discountQuantity || freeQuantity) === 0) return []
  return [
    {
      id: item.id as string,
      quantity,
      amount,
      discount_amount: discountAmount,
      discount_quantity: discountQuantity,
      free_quantity: freeQuantity,
      ...(addsAmount ? { adds_amount: true as const } : {}),
    },
  ]
}

/** Lines as they are stored: with their free units, and the `override` flags of the request. */
function storedItems(
  items: readonly CalculatedItem[],
  freeQuantities: readonly number[],
  { request }: Checkout,
): StoredItem[] {
  return items.map((item, index) => {
    const freeQuantity = freeQuantities[index] ?? 0
    const sent = request.order?.items?.[index]
    const stored = { ...item, ...(freeQuantity === 0 ? {} : { free_quantity: freeQuantity }) } as StoredItem
    if (sent?.product?.override !== undefined) stored.product = { ...stored.product, override: sent.product.override }
    if (sent?.sku?.override !== undefined) stored.sku = { ...stored.sku, override: sent.sku.override }
    return stored
  })
}

/** How many redemptions discounted each product or SKU. */
function countGoods(
  before: Record<string, number> | null,
  applied: readonly Applicable[],
): Record<string, number> | null {
  const goods = applied.flatMap(({ discounted_goods }) => discounted_goods)
  if (goods.length === 0) return before
  const counts = new Map(Object.entries(before ?? {}))
  for (const good of goods) counts.set(good, (counts.get(good) ?? 0) + 1)
  return Object.fromEntries(counts)
}

/** The order as a single redemption, a parent redemption and the top level of the response show it. */
export function wholeOrder({ calculated, order }: RedeemedOrder): RedemptionOrder {
  const { items: _, metadata: __, ...amounts } = calculated
  return { ...toCalculatedOrder(order), ...amounts }
}

/** The order right after one of several redemptions (docs/reference/redemptions.md#answer). */
export function partOrder(
  { order: { id, source_id }, steps }: RedeemedOrder,
  index: number,
  repeated: RepeatedOrder,
): RedemptionOrder {
  const step = repeated(steps[index]?.order as CalculatedOrder)
  return { id, source_id, ...step, object: 'order' } as RedemptionOrder
}

/** Without the columns that the database computes. */
export function columnsOf(order: StoredOrder): OrderColumns {
  const { project_id: _, total_discount_amount: __, total_amount: ___, ...columns } = order
  return columns
}
