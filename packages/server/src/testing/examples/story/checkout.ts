import type { Teller } from './teller.ts'

const firstPage = { query: { limit: 10 } }
const twoMugs = [{ source_id: 'mug', quantity: 2, price: 1450 }]
const customer = { source_id: 'customer-1' }
const hello = { object: 'voucher', id: 'HELLO' }

/** What the code and the gift card do to an order: asked, redeemed, rolled back. */
export async function tellCheckout({ tell }: Teller): Promise<void> {
  await tell('createOrder', {
    body: {
      source_id: 'order-1',
      customer,
      items: [...twoMugs, { source_id: 'shirt', quantity: 1, price: 1999 }],
      metadata: { gift_wrap: true },
    },
  })
  await tell('getOrder', { path: { orderId: 'order-1' } })
  await tell('updateOrder', { path: { orderId: 'order-1' }, body: { status: 'PAID' } })
  await tell('listOrders', firstPage)

  await tell('checkEligibility', {
    body: { scenario: 'ALL', customer, order: { items: twoMugs }, options: { limit: 10 } },
  })
  await tell('examineVouchersQualification', { body: { customer, order: { items: twoMugs } } })
  await tell('validateRedeemables', { body: { redeemables: [hello], customer, order: { items: twoMugs } } })
  await tell('validateVoucher', { path: { code: 'HELLO' }, body: { customer, order: { items: twoMugs } } })
  const { redemptions } = await tell('redeem', {
    body: { redeemables: [hello], customer, order: { source_id: 'order-2', items: twoMugs } },
  })
  await tell('redeemVoucher', { path: { code: 'HELLO' }, body: { customer, order: { items: twoMugs } } })
  await tell('getRedemption', { path: { redemptionId: redemptions[0].id } })
  await tell('listRedemptions', firstPage)
  await tell('getVoucherRedemption', { path: { code: 'HELLO' } })
  await tell('listVoucherRedemptions', { path: { code: 'HELLO' }, ...firstPage })
  await tell('rollBackRedemption', {
    path: { redemptionId: redemptions[0].id },
    body: { reason: 'The customer returned the order' },
  })
  const both = await tell('redeem', {
    body: {
      redeemables: [hello, { object: 'voucher', id: 'GIFT-50', gift: { credits: 1000 } }],
      customer,
      order: { source_id: 'order-3', items: twoMugs },
    },
  })
  await tell('rollBackRedemptions', {
    path: { parentRedemptionId: both.parent_redemption.id },
    body: { reason: 'The customer returned the order' },
  })
}
