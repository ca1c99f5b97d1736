import { setImmediate } from 'node:timers/promises'
import type { Ctx } from '../core/context.ts'
import { defineAsyncAction } from '../core/jobs/async-action.ts'
import { rowByRow } from '../core/jobs/row-by-row.ts'
import { limits } from '../core/lib/limits.ts'
import { createOrder } from './create.ts'
import { readOrder } from './input.ts'
import { loadOrderRules } from './plan.ts'
import type { ImportedOrder } from './schema.ts'
import { lockOrders, lockSources } from './store.ts'

/** Creates or changes orders one by one, as POST does, but silently and as of now (docs/reference/orders.md#endpoints). */
export const importOrders = defineAsyncAction<{ orders: ImportedOrder[] }, { next: number }>({
  type: 'ORDERS.IMPORT',
  begin: () => ({ next: 0 }),

  async step(ctx, { orders }, { next }) {
    const chosen = orders.slice(next, next + limits.order_import_step)
    await lockAll(ctx, chosen)
    const rules = await loadOrderRules(ctx)
    const { done, failed } = await rowByRow(
      ctx,
      chosen,
      async (order) => {
        await setImmediate() // the embedded database answers without a pause, and requests would wait for the whole step
        const { created_at: _, ...sent } = readOrder(order)
        await createOrder(ctx, sent, { rules, is_import: true })
      },
      ({ source_id = null }, refusal) => ({ source_id, reason: refusal.message }),
    )
    const reached = next + chosen.length
    return {
      state: { next: reached },
      progress: (100 * reached) / orders.length,
      done,
      failed,
      finished: reached === orders.length,
    }
  },

  finish: (_ctx, _input, { done_count, failed_count, failed }) => ({
    message: `${done_count} order(s) imported successfully, ${failed_count} failed.`,
    failed,
    done_count,
    failed_count,
  }),
})

/**
 * A step holds what it has changed until its end. Should a request change the same orders meanwhile, in another order than
 * ours, they would wait for each other: so all of them are taken at once.
 */
async function lockAll(ctx: Ctx, orders: readonly ImportedOrder[]): Promise<void> {
  const ids = orders.flatMap(({ id }) => id ?? [])
  const sourceIds = orders.flatMap(({ source_id }) => source_id ?? [])
  await lockSources(ctx, sourceIds)
  await lockOrders(ctx, { ids, source_ids: sourceIds })
}
