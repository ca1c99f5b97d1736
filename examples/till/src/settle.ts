import { type Guerdon, unwrap } from '@guerdon/client'
import type { Journal } from './journal.ts'
import type { Answer, Sale } from './sale.ts'

/**
 * Tells the service of the sales that it does not know yet, the oldest first. Each goes under its own idempotency key, so a settlement
 * that is interrupted is simply done again. Throws if the service does not answer; what was settled until then stays settled.
 */
export async function settle(guerdon: Guerdon, journal: Journal): Promise<void> {
  for (const sale of journal.pending()) {
    const answer = await settleSale(guerdon, sale)
    journal.addSettlement({ sale_id: sale.id, settled_at: new Date().toISOString(), ...answer })
  }
}

async function settleSale(guerdon: Guerdon, sale: Sale): Promise<Answer> {
  const order = { source_id: sale.id, items: sale.items, metadata: { sold_at: sale.sold_at } }
  if (sale.redeemables.length === 0) {
    unwrap(await guerdon.createOrder({ ...order, status: 'PAID' }, { idempotencyKey: sale.id }))
    return { outcome: 'agreed' }
  }
  const redeemed = await guerdon.redeem({ redeemables: sale.redeemables, order }, { idempotencyKey: sale.id })
  if (!redeemed.ok && redeemed.error.kind === 'refused' && redeemed.error.status < 500 && !redeemed.error.retryable) {
    // The goods are gone and paid for as the till said: the order is stored with the discount that was granted.
    const paid = { ...order, status: 'PAID' as const, discount_amount: sale.discount }
    unwrap(await guerdon.createOrder(paid, { idempotencyKey: `${sale.id}-refused` }))
    return { outcome: 'refused', discount: sale.discount, reason: redeemed.error.message }
  }
  const total = unwrap(redeemed).order?.total_amount ?? sale.total
  return total === sale.total
    ? { outcome: 'agreed' }
    : { outcome: 'other amount', total: sale.total, service_total: total }
}
