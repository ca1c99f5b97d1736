import type { CalculatedOrder } from '@guerdon/engine/schema'
import type { Ctx } from '../../core/context.ts'
import { warn } from '../../core/http/warnings.ts'
import { limits } from '../../core/lib/limits.ts'

/** Reduces an order of an answer that repeats it, once the answer has enough of them. */
export type RepeatedOrder = (order: CalculatedOrder) => CalculatedOrder

/**
 * An answer shows the whole order for each of its redeemables: with a long order and many of them, only the first ones keep lines and
 * metadata (docs/reference/calculated-order.md#long-orders). All orders of an answer are about as long as the first.
 */
export function repeatedOrder(ctx: Ctx, redeemables: number): RepeatedOrder {
  if (redeemables < 2) return (order) => order
  let length: number | null = null
  let left = limits.repeated_orders_bytes_max
  return (order) => {
    length ??= JSON.stringify(order).length
    left -= length
    if (left >= 0) return order
    warn(ctx, tooLong)
    return { ...order, items: [], metadata: {} }
  }
}

const tooLong =
  'The order is too long to be repeated for every redeemable: only the first ones show its lines and metadata, the others show its amounts.'
