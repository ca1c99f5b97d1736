import type { Ctx } from '../core/context.ts'
import { followOrder } from './effects.ts'
import type { OrderInput } from './input.ts'
import type { StoredOrder } from './order.ts'
import { planOrder, type WriteOptions } from './plan.ts'
import { lockSources, updateOrder } from './store.ts'

/** Changes what was sent of an order that is locked (docs/reference/orders.md#amounts and docs/reference/orders.md#status). */
export async function changeOrder(
  ctx: Ctx,
  before: StoredOrder,
  sent: OrderInput,
  options: WriteOptions = {},
): Promise<StoredOrder> {
  // Somebody may be creating an order of that name.
  if (typeof sent.source_id === 'string' && sent.source_id !== before.source_id)
    await lockSources(ctx, [sent.source_id])
  const { columns, people, goods } = await planOrder(ctx, before, sent, options)
  const order = await updateOrder(ctx, columns)
  await followOrder(ctx, { before, order, people, goods, redemption: null }, options)
  return order
}
