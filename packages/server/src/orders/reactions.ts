import type { Goods } from '../catalogue/products/goods.ts'
import type { Ctx } from '../core/context.ts'
import type { SimpleEvent } from '../core/events/shapes.ts'
import type { StoredOrder } from './order.ts'

declare module '../core/reactions.ts' {
  interface Reactions {
    /** An order has become PAID, and `event` says so. `goods`: the catalogue data of its lines, where it is already loaded. */
    orderPaid: (ctx: Ctx, order: StoredOrder, event: SimpleEvent, goods: Goods | null) => Promise<void>
    /** An order that was written before has become CANCELED. */
    orderCanceled: (ctx: Ctx, order: StoredOrder) => Promise<void>
  }
}
