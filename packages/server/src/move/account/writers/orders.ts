import { tally } from '../../../core/db/tallies.ts'
import { forEach, insertMain, ownId, reference, type Writer } from '../batch.ts'
import { amount, type Foreign, isForeign, list, moments, oneOf, part, shape, text } from '../foreign.ts'

export const orders: Writer = {
  list: 'orders',
  size: 500,
  async write(batch) {
    const { ctx } = batch
    const rows = await forEach(batch, (order) => {
      const total = order.amount == null ? null : amount(order, 'amount')
      return {
        id: ownId(batch, 'order', order),
        source_id: text(order, 'source_id'),
        status: oneOf(order, 'status', ['CREATED', 'PAID', 'CANCELED', 'FULFILLED']),
        amount: total,
        initial_amount: order.initial_amount == null ? total : amount(order, 'initial_amount'),
        discount_amount: amount(order, 'discount_amount'),
        items_discount_amount: amount(order, 'items_discount_amount'),
        items: list(order, 'items').filter(isForeign).map(storedItem),
        metadata: part(order, 'metadata'),
        customer_id: reference('customer', order, 'customer_id'),
        referrer_id: reference('customer', order, 'referrer_id'),
        redemptions: shape(order, 'redemptions'),
        ...moments(order, batch.copied_at),
      }
    })
    const inserted = await insertMain(batch, 'orders', rows)
    if (inserted.length > 0) await tally(ctx.db, ctx.project_id, 'orders', inserted.length)
  },
}

/** A line has its initial values where a discount changed them, and the stored line has them always. */
function storedItem(item: Foreign): Foreign {
  const quantity = amount(item, 'quantity')
  return {
    ...item,
    quantity,
    initial_quantity: item.initial_quantity ?? quantity,
    ...(item.amount === undefined ? {} : { initial_amount: item.initial_amount ?? item.amount }),
  }
}
