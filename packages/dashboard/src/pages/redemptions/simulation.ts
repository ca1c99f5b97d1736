import type { Schemas } from '../../api/client.ts'
import type { Recalculation } from './recalculate.ts'

/** The redemption as the simulator's address holds it: customer, lines, codes, metadata and the moment. */
export function simulationOf(body: Recalculation, order: Schemas['RedemptionOrder'] | null, at: string): string {
  const { customer, redeemables, metadata } = body
  const items = body.order?.items ?? []
  const amount = body.order?.amount
  const id = typeof customer === 'object' && customer !== null ? customer.id : undefined
  return JSON.stringify({
    ...(id && { customer: id }),
    ...(items.length > 0
      ? { items: items.map((item) => itemOf(item, order)) }
      : typeof amount === 'number' && { items: [{ name: 'Order', price: amount }] }),
    redeemables: redeemables.map(({ object, id: code, gift, reward }) => ({
      ...(object !== 'voucher' && { object }),
      id: code,
      ...(typeof gift?.credits === 'number' && { credits: gift.credits }),
      ...(reward?.id && { reward: reward.id }),
      ...(typeof reward?.points === 'number' && { points: reward.points }),
    })),
    ...(body.order?.metadata && { order_metadata: body.order.metadata }),
    ...(metadata && { metadata }),
    at,
  })
}

function itemOf(item: Schemas['OrderItemBody'], order: Schemas['RedemptionOrder'] | null) {
  const { product_id, sku_id, source_id, quantity, price } = item
  const stored = order?.items.find((line) => (sku_id ? line.sku_id === sku_id : line.product_id === product_id))
  const name = stored?.product?.name ?? stored?.sku?.sku ?? item.product?.name ?? source_id
  return {
    ...(product_id && { product_id }),
    ...(sku_id && { sku_id }),
    ...(name && { name }),
    quantity: Number(quantity ?? 1),
    ...(typeof price === 'number' && { price }),
  }
}
