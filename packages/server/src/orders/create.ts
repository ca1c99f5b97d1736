import type { Ctx } from '../core/context.ts'
import { duplicate, notFound } from '../core/http/errors.ts'
import { replacesClientOrder } from './client-order.ts'
import { applyOrderEffects } from './effects.ts'
import type { OrderInput } from './input.ts'
import type { StoredOrder } from './order.ts'
import { planOrder, type WriteOptions } from './plan.ts'
import { findOrderById, findOrderBySource, insertOrder, lockSourceIds } from './store.ts'
import { changeOrder } from './update.ts'

/**
 * Creates an order, or updates the existing one with this `id` (404 if unknown) or `source_id`
 * (docs/reference/orders.md#endpoints). Of concurrent requests with the same new `source_id` the first one creates the order; the
 * others wait for its lock and update the order in turn.
 */
export async function createOrder(ctx: Ctx, sent: OrderInput, options: WriteOptions = {}): Promise<StoredOrder> {
  const existing = await lockExisting(ctx, sent)
  if (existing !== undefined)
    return changeOrder(ctx, existing, sent, { ...options, replaces: replacesClientOrder(existing, sent) })
  const { columns, people, goods } = await planOrder(ctx, null, sent, options)
  const order = await insertOrder(ctx, columns)
  if (order === undefined) throw duplicate('order', 'source_id', columns.source_id as string)
  await applyOrderEffects(ctx, { before: null, order, people, goods, redemption: null }, options)
  return order
}

async function lockExisting(ctx: Ctx, { id, source_id }: OrderInput): Promise<StoredOrder | undefined> {
  if (id !== undefined) {
    const order = await findOrderById(ctx, id, { lock: true })
    if (order === undefined) throw notFound('order', id)
    return order
  }
  if (source_id === undefined || source_id === null) return undefined
  await lockSourceIds(ctx, [source_id])
  return findOrderBySource(ctx, source_id, { lock: true })
}
