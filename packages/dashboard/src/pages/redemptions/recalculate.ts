import type { Input, Schemas } from '../../api/client.ts'
import type { Redemption } from './entry.ts'

export type Recalculation = Input<'POST /v1/validations'>['body']

/** The request that would redeem the same again, as a validation at the moment of the redemption. */
export function recalculationOf(
  redemption: Redemption,
  parts: readonly Redemption[],
  sent: Partial<Recalculation> | undefined,
): Recalculation | undefined {
  const redeemables = sent?.redeemables ?? (parts.length > 0 ? parts : [redemption]).flatMap(redeemableOf)
  if (redeemables.length === 0) return undefined
  const order = sent ? sent.order : redemption.order && orderOf(redemption.order)
  const customer = sent?.customer ?? (redemption.customer_id ? { id: redemption.customer_id } : undefined)
  const metadata = redemption.metadata ?? undefined
  return {
    redeemables,
    ...(order && { order }),
    ...(customer && { customer }),
    ...(metadata && { metadata }),
    options: { explain: true, as_of: redemption.date },
  }
}

function redeemableOf({ voucher, promotion_tier, gift, reward, loyalty_card }: Redemption): Schemas['redeemables'] {
  if (promotion_tier) return [{ object: 'promotion_tier', id: promotion_tier.id }]
  if (!voucher) return []
  return [
    {
      object: 'voucher',
      id: voucher.code,
      ...(gift && { gift: { credits: gift.amount } }),
      ...(reward && {
        reward: {
          id: reward.id,
          ...(reward.assignment_id && { assignment_id: reward.assignment_id }),
          ...(reward.type === 'COIN' && loyalty_card && { points: loyalty_card.points }),
        },
      }),
    },
  ]
}

/** The order as it was before: lines that the redemption added are left out, and its id too, so that the lines count. */
function orderOf(order: Schemas['RedemptionOrder']): Schemas['CheckoutOrder'] {
  const items = order.items.filter(({ initial_quantity }) => initial_quantity !== 0)
  const amount = order.initial_amount ?? order.amount
  return {
    ...(items.length > 0 ? { items: items.map(itemOf) } : amount !== undefined && { amount }),
    ...(order.metadata && Object.keys(order.metadata).length > 0 && { metadata: order.metadata }),
  }
}

function itemOf(item: Schemas['OrderItem']): Schemas['OrderItemBody'] {
  const { product_id, sku_id, source_id, related_object, quantity, initial_quantity, price, metadata } = item
  const isKnown = product_id !== undefined || sku_id !== undefined
  return {
    ...(product_id && { product_id }),
    ...(sku_id && { sku_id }),
    ...(!isKnown && source_id && { source_id, related_object }),
    quantity: initial_quantity ?? quantity,
    ...(price !== undefined && { price }),
    ...(metadata && Object.keys(metadata).length > 0 && { metadata }),
  }
}

/** The refusals that are explained without their order: by the code itself, its uses, and the customer. */
export const explainsWithoutOrder = (key: string | undefined) =>
  key !== undefined &&
  [
    'redemption_rules_violated',
    'customer_rules_violated',
    'quantity_exceeded',
    'voucher_expired',
    'voucher_not_active',
    'voucher_not_active_now',
    'voucher_disabled',
    'campaign_not_active',
    'promotion_inactive',
    'promotion_not_active_now',
    'not_published',
  ].includes(key)
