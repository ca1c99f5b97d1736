import { type Guerdon, unwrap } from '@guerdon/client'
import { goods } from './goods.ts'

/** Makes the products and the codes of the page, except what an earlier start has made. */
export async function prepareOffers(guerdon: Guerdon): Promise<void> {
  if ((await guerdon.getVoucher({ code: 'FROM50' })).ok) return
  for (const { id, name, price } of goods) unwrap(await guerdon.createProduct({ source_id: id, name, price }))
  const rule = unwrap(
    await guerdon.createValidationRule({
      name: 'From 50.00',
      rules: { 1: { name: 'order.amount', conditions: { $more_than_or_equal: [5_000] } }, logic: '1' },
      error: { message: 'This code needs an order of €50.00 or more.' },
    }),
  )
  const percent = { type: 'PERCENT', percent_off: 20 } as const
  const amount = { type: 'AMOUNT', amount_off: 1_000 } as const
  unwrap(await guerdon.createVoucherWithCode({ code: 'MUGS20' }, { type: 'DISCOUNT_VOUCHER', discount: percent }))
  unwrap(
    await guerdon.createVoucherWithCode(
      { code: 'FROM50' },
      { type: 'DISCOUNT_VOUCHER', discount: amount, validation_rules: [rule.id] },
    ),
  )
}
