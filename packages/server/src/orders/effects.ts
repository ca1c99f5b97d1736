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

/** An order that has been written, and what it was before; null: it is new. */
export interface OrderChange {
  before: StoredOrder | null
  order: StoredOrder
  people: Pick<People, 'customer' | 'referrer'>
  /** The redemption or rollback that changed it, as its events show it; null: a request about the order itself. */
  redemption: Record<string, unknown> | null
  /** What the catalogue knows of its lines, where that was looked up. */
  goods?: Goods | null
}

/**
 * All that follows from an order that was written (docs/reference/orders.md#status), whoever wrote it: the summaries of its
 * customers, their segments, the events. What an order sets off by becoming PAID or CANCELED is set off here, next to its event.
 * An import sets off nothing and tells nobody, but summaries and segments are as right as ever
 * (docs/reference/orders.md#endpoints).
 */
export async function followOrder(
  ctx: Ctx,
  change: OrderChange,
  { is_import = false }: { is_import?: boolean } = {},
): Promise<void> {
  await moveSummaries(ctx, change)
  if (is_import) return
  const told = await emitMany(ctx, orderEvents(change))
  const { before, order, goods } = change
  const paid = told.find(({ type }) => type === 'customer.order.paid')
  if (paid !== undefined) await ctx.reactions.orderPaid(ctx, order, paid, goods ?? null)
  if (order.status === 'CANCELED' && before !== null && before.status !== 'CANCELED')
    await ctx.reactions.orderCanceled(ctx, order)
}

const statusEvent = {
  CREATED: null,
  PAID: 'customer.order.paid',
  FULFILLED: 'customer.order.fulfilled',
  CANCELED: 'customer.order.canceled',
} as const satisfies Record<OrderStatus, NewEvent['type'] | null>

/** The events of a change. They belong to a customer: an order without one, or of one who is gone, tells nothing. */
export function orderEvents({ before, order, people: { customer, referrer }, redemption }: OrderChange): NewEvent[] {
  if (customer === null) return []
  const data = {
    customer: toSimpleCustomer(customer),
    referrer: referrer === null ? null : toSimpleCustomer(referrer),
    order: toOrder(order),
    redemption,
  }
  const reached = order.status === before?.status ? null : statusEvent[order.status]
  const types = [before === null ? 'customer.order.created' : 'customer.order.updated', reached] as const
  return types.flatMap((type) => (type === null ? [] : [{ type, entity_id: customer.id, data }]))
}

/** Takes what the order counted for out of one summary, and puts what it counts for now into the same or another. */
async function moveSummaries(ctx: Ctx, { before, order, people: { customer } }: OrderChange): Promise<void> {
  const moves = summaryMoves(before, order)
  for (const { customer_id, amount, count } of moves) {
    if (customer?.id === customer_id) checkSum(customer, amount)
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

/** In the order of ids, in which customers are locked. */
export function summaryMoves(before: StoredOrder | null, after: StoredOrder): SummaryMove[] {
  const [was, is] = [countedOf(before), countedOf(after)]
  if (was === null && is === null) return []
  if (was !== null && is !== null && was.customer_id === is.customer_id) {
    // The day of the latest order is part of the summary too.
    const isSame = was.amount === is.amount && before?.created_at === after.created_at
    return isSame ? [] : [{ customer_id: is.customer_id, amount: is.amount - was.amount, count: 0 }]
  }
  const moves: SummaryMove[] = []
  if (was !== null) moves.push({ customer_id: was.customer_id, amount: -was.amount, count: -1 })
  if (is !== null) moves.push({ customer_id: is.customer_id, amount: is.amount, count: 1 })
  return moves.sort((a, b) => (a.customer_id < b.customer_id ? -1 : 1))
}

/** What an order counts for, and whom: only while it is paid or fulfilled (docs/reference/customers.md#the-customer-object). */
function countedOf(order: StoredOrder | null): { customer_id: CustomerRow['id']; amount: number } | null {
  if (order === null || order.customer_id === null) return null
  const isCounted = order.status === 'PAID' || order.status === 'FULFILLED'
  return isCounted ? { customer_id: order.customer_id, amount: order.amount ?? 0 } : null
}

/** A sum that is too large to be exact is refused, as an amount would be. */
function checkSum({ orders_total_amount }: StoredCustomer, added: number): void {
  if (!Number.isSafeInteger(orders_total_amount + added)) throw invalidAmount()
}
