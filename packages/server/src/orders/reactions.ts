import type { Goods } from '../catalogue/products/goods.ts'
import type { Ctx } from '../core/context.ts'
import type { SimpleEvent } from '../core/events/shapes.ts'
import type { StoredOrder } from './order.ts'

declare module '../core/reactions.ts' {
  interface Reactions {
    /** An order has become PAID; `event` is its `customer.order.paid`, `goods` the catalogue data of its lines, if loaded. */
    orderPaid: (ctx: Ctx, order: StoredOrder, event: SimpleEvent, goods: Goods | null) => Promise<void>
    /** An order that existed before has become CANCELED; a new order with that status does not count. */
    orderCanceled: (ctx: Ctx, order: StoredOrder) => Promise<void>
  }
}
