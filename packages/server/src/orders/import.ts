import { setImmediate } from 'node:timers/promises'
import type { Ctx } from '../core/context.ts'
import { defineAsyncAction } from '../core/jobs/async-action.ts'
import { importResult } from '../core/jobs/file-import.ts'
import { rowByRow } from '../core/jobs/row-by-row.ts'
import { limits } from '../core/lib/limits.ts'
import { createOrder } from './create.ts'
import { idOf, readOrder } from './input.ts'
import { loadOrderRules } from './plan.ts'
import type { ImportedOrder } from './schema.ts'
import { lockOrders, lockSourceIds } from './store.ts'

/** Creates or updates orders one by one, as POST does, but without events of orders and customers, and created now (docs/reference/orders.md#endpoints). */
export const importOrders = defineAsyncAction<{ orders: ImportedOrder[] }, { next: number }>({
  type: 'ORDERS.IMPORT',
  begin: () => ({ next: 0 }),

  async step(ctx, { orders }, { next }) {
    const batch = orders.slice(next, next + limits.order_import_step)
    await lockAll(ctx, batch)
    const rules = await loadOrderRules(ctx)
    const { done, failed } = await rowByRow(
      ctx,
      batch,
      async (order) => {
        await setImmediate() // the embedded database never yields to the event loop: requests would wait for the whole step
        const { created_at: _, ...sent } = readOrder(order)
        await createOrder(ctx, sent, { rules, is_import: true })
      },
      ({ source_id = null }, refusal) => ({ source_id, reason: refusal.message }),
    )
    const position = next + batch.length
    return {
      state: { next: position },
      progress: (100 * position) / orders.length,
      done,
      failed,
      finished: position === orders.length,
    }
  },

  finish: (_ctx, _input, outcome) => importResult('order(s)', outcome),
})

/**
 * Locks all orders of a step up front. A step keeps its locks until it commits; a concurrent request that changes the same
 * orders in another sequence would otherwise deadlock with it.
 */
async function lockAll(ctx: Ctx, orders: readonly ImportedOrder[]): Promise<void> {
  const ids = orders.flatMap(({ id }) => idOf(id) ?? [])
  const sourceIds = orders.flatMap(({ source_id }) => idOf(source_id) ?? [])
  await lockSourceIds(ctx, sourceIds)
  await lockOrders(ctx, { ids, source_ids: sourceIds })
}
