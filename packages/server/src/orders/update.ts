import type { Ctx } from '../core/context.ts'
import { applyOrderEffects } from './effects.ts'
import type { OrderInput } from './input.ts'
import type { StoredOrder } from './order.ts'
import { planOrder, type WriteOptions } from './plan.ts'
import { lockSourceIds, updateOrder } from './store.ts'

/** Updates the sent fields of a locked order (docs/reference/orders.md#amounts and docs/reference/orders.md#status). */
export async function changeOrder(
  ctx: Ctx,
  before: StoredOrder,
  sent: OrderInput,
  options: WriteOptions = {},
): Promise<StoredOrder> {
  // A concurrent request may be creating an order with this source id.
  if (typeof sent.source_id === 'string' && sent.source_id !== before.source_id)
    await lockSourceIds(ctx, [sent.source_id])
  const { columns, people, goods } = await planOrder(ctx, before, sent, options)
  const order = await updateOrder(ctx, columns)
  await applyOrderEffects(ctx, { before, order, people, goods, redemption: null }, options)
  return order
}
