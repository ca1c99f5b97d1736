import type { Teller } from './teller.ts'

const firstPage = { query: { limit: 10 } }

/** Codes for everybody, a gift card, and the rule that the code HELLO has. */
export async function tellCodes({ tell, catchUp }: Teller): Promise<void> {
  const category = await tell('createCategory', { body: { name: 'Welcome', hierarchy: 1 } })
  const ofCategory = { path: { categoryId: category.id } }
  await tell('getCategory', ofCategory)
  await tell('updateCategory', { ...ofCategory, body: { name: 'Welcome offers', hierarchy: 2 } })
  await tell('listCategories')

  const hello = { path: { code: 'HELLO' } }
  await tell('createVoucherWithCode', {
    ...hello,
    body: {
      type: 'DISCOUNT_VOUCHER',
      discount: { type: 'PERCENT', percent_off: 12.5 },
      redemption: { quantity: 1000 },
      metadata: { channel: 'newsletter' },
    },
  })
  await tell('createVoucher', {
    body: { code: 'GIFT-50', type: 'GIFT_VOUCHER', gift: { amount: 5000 }, additional_info: 'Bought in the shop' },
  })
  await tell('getVoucher', hello)
  await tell('listVouchers', firstPage)
  await tell('updateVoucher', {
    ...hello,
    body: { additional_info: 'For new customers', metadata: { channel: 'mail' } },
  })
  await tell('disableVoucher', hello)
  await tell('enableVoucher', hello)
  await tell('importVouchers', {
    body: [
      { code: 'FRIEND-1', type: 'DISCOUNT_VOUCHER', discount: { type: 'AMOUNT', amount_off: 500 } },
      { code: 'FRIEND-2', type: 'DISCOUNT_VOUCHER', discount: { type: 'AMOUNT', amount_off: 500 } },
    ],
  })
  await catchUp()
  await tell('updateVouchersInBulk', { body: [{ code: 'FRIEND-1', metadata: { sent_by: 'mail' } }] })
  await tell('updateVouchersMetadataInBulk', { body: { codes: ['HELLO', 'FRIEND-1'], metadata: { season: 'summer' } } })
  await tell('deleteVoucher', { path: { code: 'FRIEND-2' } })
  const gift = { path: { code: 'GIFT-50' } }
  await tell('adjustVoucherBalance', { ...gift, body: { amount: 1000 } })
  await tell('listVoucherTransactions', { ...gift, ...firstPage })

  const rule = await tell('createValidationRule', {
    body: {
      name: 'Orders of 20.00 or more',
      type: 'expression',
      rules: { 1: { name: 'order.amount', conditions: { $more_than_or_equal: [2000] } }, logic: '1' },
      error: { message: 'The code is for orders of 20.00 or more.' },
    },
  })
  const ofRule = { path: { validationRuleId: rule.id } }
  await tell('getValidationRule', ofRule)
  await tell('updateValidationRule', { ...ofRule, body: { error: { message: 'Only for orders of 20.00 or more.' } } })
  await tell('listValidationRules', firstPage)
  await tell('assignValidationRule', { ...ofRule, body: { voucher: 'HELLO' } })
  await tell('listAssignmentsOfValidationRule', { ...ofRule, ...firstPage })
  await tell('listValidationRuleAssignments', firstPage)
}
