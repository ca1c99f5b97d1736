import type { Ctx } from '../core/context.ts'
import { duplicate, notFound } from '../core/http/errors.ts'
import { followOrder } from './effects.ts'
import type { OrderInput } from './input.ts'
import type { StoredOrder } from './order.ts'
import { planOrder, type WriteOptions } from './plan.ts'
import { findOrderById, findOrderBySource, insertOrder, lockSources } from './store.ts'
import { changeOrder } from './update.ts'

/**
 * Creates an order, or changes the one that `id`, which must exist, or `source_id` names (docs/reference/orders.md#endpoints). Of
 * many requests with the same new `source_id` the first one creates the order and the others change it, one after another.
 */
export async function createOrder(ctx: Ctx, sent: OrderInput, options: WriteOptions = {}): Promise<StoredOrder> {
  const known = await findNamed(ctx, sent)
  if (known !== undefined) return changeOrder(ctx, known, sent, options)
  const { columns, people, goods } = await planOrder(ctx, null, sent, options)
  const order = await insertOrder(ctx, columns)
  if (order === undefined) throw duplicate('order', 'source_id', columns.source_id as string)
  await followOrder(ctx, { before: null, order, people, goods, redemption: null }, options)
  return order
}

async function findNamed(ctx: Ctx, { id, source_id }: OrderInput): Promise<StoredOrder | undefined> {
  if (id !== undefined) {
    const order = await findOrderById(ctx, id, { lock: true })
    if (order === undefined) throw notFound('order', id)
    return order
  }
  if (source_id === undefined || source_id === null) return undefined
  await lockSources(ctx, [source_id])
  return findOrderBySource(ctx, source_id, { lock: true })
}
