import type { StoredCustomer } from '../audience/customers/customer.ts'
import { toSimpleCustomer } from '../audience/customers/customer.ts'
import { adjustOrderSummary } from '../audience/customers/order-summary.ts'
import { queueMembershipCheck } from '../audience/segments/queue-membership-check.ts'
import type { Goods } from '../catalogue/products/goods.ts'
import type { Ctx } from '../core/context.ts'
import type { CustomerRow, OrderStatus } from '../core/db/tables.ts'
import { emitMany, type NewEvent } from '../core/events/emit.ts'
import { invalidAmount } from './input.ts'
import { type StoredOrder, toOrder } from './order.ts'
import type { People } from './people.ts'

/** A saved order and its previous state; `before` is null for a new order. */
export interface OrderChange {
  before: StoredOrder | null
  order: StoredOrder
  people: Pick<People, 'customer' | 'referrer'>
  /** The redemption or rollback that changed the order, as its events show it; null for a request to the orders API. */
  redemption: Record<string, unknown> | null
  /** The catalogue data of the lines, if it is already loaded. */
  goods?: Goods | null
}

/**
 * Applies the effects of a saved order (docs/reference/orders.md#status): updates the order summaries of its customers, queues
 * their membership checks, emits the order events and calls the reactions to PAID and CANCELED. An import emits no order events
 * and calls no reactions, but summaries and segments stay correct (docs/reference/orders.md#endpoints).
 */
export async function applyOrderEffects(
  ctx: Ctx,
  change: OrderChange,
  { is_import = false }: { is_import?: boolean } = {},
): Promise<void> {
  await updateSummaries(ctx, change)
  if (is_import) return
  const events = await emitMany(ctx, orderEvents(change))
  const { before, order, goods } = change
  const paidEvent = events.find(({ type }) => type === 'customer.order.paid')
  if (paidEvent !== undefined) await ctx.reactions.orderPaid(ctx, order, paidEvent, goods ?? null)
  if (order.status === 'CANCELED' && before !== null && before.status !== 'CANCELED')
    await ctx.reactions.orderCanceled(ctx, order)
}

const statusEvent = {
  CREATED: null,
  PAID: 'customer.order.paid',
  FULFILLED: 'customer.order.fulfilled',
  CANCELED: 'customer.order.canceled',
} as const satisfies Record<OrderStatus, NewEvent['type'] | null>

/** The events of a change. Order events belong to a customer: an order without a customer, or of a deleted one, has none. */
export function orderEvents({ before, order, people: { customer, referrer }, redemption }: OrderChange): NewEvent[] {
  if (customer === null) return []
  const data = {
    customer: toSimpleCustomer(customer),
    referrer: referrer === null ? null : toSimpleCustomer(referrer),
    order: toOrder(order),
    redemption,
  }
  const statusType = order.status === before?.status ? null : statusEvent[order.status]
  const types = [before === null ? 'customer.order.created' : 'customer.order.updated', statusType] as const
  return types.flatMap((type) => (type === null ? [] : [{ type, entity_id: customer.id, data }]))
}

/** Subtracts the order's previous amount from its previous customer's summary and adds its new amount to its customer's. */
async function updateSummaries(ctx: Ctx, { before, order, people: { customer } }: OrderChange): Promise<void> {
  const moves = summaryMoves(before, order)
  for (const { customer_id, amount, count } of moves) {
    if (customer?.id === customer_id) refuseUnsafeSum(customer, amount)
    await adjustOrderSummary(ctx, customer_id, { amount, count })
  }
  await queueMembershipCheck(
    ctx,
    moves.map(({ customer_id }) => customer_id),
  )
}

export interface SummaryMove {
  customer_id: CustomerRow['id']
  amount: number
  count: number
}

/** The changes to customer summaries, sorted by customer id: the order in which customers are locked, to avoid deadlocks. */
export function summaryMoves(before: StoredOrder | null, after: StoredOrder): SummaryMove[] {
  const [previous, current] = [summaryShareOf(before), summaryShareOf(after)]
  if (previous === null && current === null) return []
  if (previous !== null && current !== null && previous.customer_id === current.customer_id) {
    // The summary also holds the date of the latest order.
    const isSame = previous.amount === current.amount && before?.created_at === after.created_at
    return isSame ? [] : [{ customer_id: current.customer_id, amount: current.amount - previous.amount, count: 0 }]
  }
  const moves: SummaryMove[] = []
  if (previous !== null) moves.push({ customer_id: previous.customer_id, amount: -previous.amount, count: -1 })
  if (current !== null) moves.push({ customer_id: current.customer_id, amount: current.amount, count: 1 })
  return moves.sort((a, b) => (a.customer_id < b.customer_id ? -1 : 1))
}

/** An order counts in a customer's summary only while PAID or FULFILLED (docs/reference/customers.md#the-customer-object). */
function summaryShareOf(order: StoredOrder | null): { customer_id: CustomerRow['id']; amount: number } | null {
  if (order === null || order.customer_id === null) return null
  const isCounted = order.status === 'PAID' || order.status === 'FULFILLED'
  return isCounted ? { customer_id: order.customer_id, amount: order.amount ?? 0 } : null
}

/** Refuses a total beyond Number.MAX_SAFE_INTEGER, where sums are no longer exact, as for a single amount. */
function refuseUnsafeSum({ orders_total_amount }: StoredCustomer, added: number): void {
  if (!Number.isSafeInteger(orders_total_amount + added)) throw invalidAmount()
}
