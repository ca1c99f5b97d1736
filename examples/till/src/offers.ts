import { type Guerdon, unwrap } from '@guerdon/client'

/** Makes what the demonstration sells and grants, except what an earlier one has made. */
export async function prepareOffers(guerdon: Guerdon): Promise<void> {
  if ((await guerdon.getProduct({ productId: 'till-mug' })).ok) return
  unwrap(await guerdon.createProduct({ source_id: 'till-mug', name: 'Mug', price: 1_450 }))
  unwrap(await guerdon.createProduct({ source_id: 'till-shirt', name: 'Shirt', price: 1_999 }))
  const from40 = unwrap(
    await guerdon.createValidationRule({
      name: 'From 40.00',
      rules: { 1: { name: 'order.amount', conditions: { $more_than_or_equal: [4_000] } }, logic: '1' },
    }),
  )
  const tier = {
    name: '10 % off from 40.00',
    action: { discount: { type: 'PERCENT' as const, percent_off: 10 } },
    validation_rules: [from40.id],
  }
  unwrap(
    await guerdon.createCampaign({ name: 'Till promotion', campaign_type: 'PROMOTION', promotion: { tiers: [tier] } }),
  )
  unwrap(
    await guerdon.createVoucherWithCode(
      { code: 'ONCE' },
      {
        type: 'DISCOUNT_VOUCHER',
        discount: { type: 'PERCENT', percent_off: 20 },
        redemption: { quantity: 1 },
      },
    ),
  )
}
