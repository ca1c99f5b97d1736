import type { Teller } from './teller.ts'

const twoMugs = [{ source_id: 'mug', quantity: 2, price: 1450 }]
const customer = { source_id: 'customer-1' }
const hello = { object: 'voucher', id: 'HELLO' }

/** What a page of the shop asks and does for the customer who looks at it. */
export async function tellPage({ tell }: Teller): Promise<void> {
  await tell('createClientCustomer', { body: { source_id: 'customer-3', name: 'Carla Neri' } })
  await tell('listClientPromotionTiers', { query: { limit: 10 } })
  await tell('createClientPublication', { body: { campaign: { name: 'Summer sale' }, customer } })
  await tell('listClientVouchers', { query: { customer: 'customer-1' } })
  await tell('checkEligibilityOnClient', {
    body: { scenario: 'ALL', customer, order: { items: twoMugs }, options: { limit: 10 } },
  })
  await tell('validateRedeemablesOnClient', { body: { redeemables: [hello], customer, order: { items: twoMugs } } })
  await tell('validateVoucherByQuery', { query: { code: 'HELLO', amount: 2900 } })
  await tell('redeemOnClient', {
    body: { redeemables: [hello], customer, order: { source_id: 'order-4', items: twoMugs } },
  })
  await tell('trackClientCustomEvent', {
    body: { event: 'newsletter_subscribed', customer, metadata: { list: 'offers' } },
  })
}
