import { deepEqual } from 'node:assert/strict'
import { amountOff, limitTo, newCodes } from '../../checkout-load/codes-and-cards.ts'
import { made, query, type Shop } from '../../checkout-load/shop.ts'
import { scaled } from '../../scale.ts'
import { concurrently, countByOutcome, newCode, type Races, redeem, voucher } from './race.ts'

/** Concurrent redemptions of one customer. */
export const atOnce = scaled(50, 6)
const rounds = scaled(6, 1)

export const oncePerCustomer: Races = {
  async 'a code'(shop) {
    await newCode(shop, 'ONCE')
    await limitTo(shop, { voucher: 'ONCE' }, { 'redemption.count.per_customer': 1 })
    await expectOncePerCustomer(shop, 'A-CODE', () => voucher('ONCE'))
  },

  async 'the codes of a campaign'(shop) {
    const campaign = await newCodes(shop, 'OF-MANY', atOnce, amountOff(700))
    await limitTo(shop, { campaign }, { 'campaign.redemptions.customers_count': 1 })
    await expectOncePerCustomer(shop, 'OF-CODES', (index) => voucher(`OF-MANY-${index}`))
  },

  async 'a promotion tier'(shop) {
    const body = { name: 'For each', campaign_type: 'PROMOTION', promotion: { tiers: [] } }
    const { id: campaign } = await made(shop, 'POST', '/v1/campaigns', body)
    const discount = { type: 'AMOUNT', amount_off: 700, effect: 'APPLY_TO_ORDER' }
    const tier = { name: 'Tier', action: { discount } }
    const { id } = await made(shop, 'POST', `/v1/promotions/${campaign}/tiers`, tier)
    await limitTo(shop, { promotion_tier: id }, { 'redemption.count.per_customer': 1 })
    await expectOncePerCustomer(shop, 'A-TIER', () => ({ object: 'promotion_tier', id }))
  },
}

/** Checks an existing customer, and customers that are created by their first redemption. */
async function expectOncePerCustomer(shop: Shop, what: string, redeemable: (index: number) => object): Promise<void> {
  const onlyOnce = async (count: number, customer: object) => {
    const replies = await concurrently(count, (index) =>
      redeem(shop, { redeemables: [redeemable(index)], order: { amount: 10_000 }, customer }),
    )
    deepEqual(countByOutcome(replies), { '200': 1, '400 redemption_rules_violated': count - 1 })
  }
  const known = { source_id: `${what}-KNOWN` }
  await made(shop, 'POST', '/v1/customers', known)
  await onlyOnce(atOnce, known)
  await onlyOnce(atOnce, { source_id: `${what}-UNKNOWN`, name: 'Ann' })
  // A request may read before, after or while the customer is created; the last case is rare, so this repeats.
  for (let round = 0; round < rounds; round += 1)
    await onlyOnce(scaled(20, 6), { source_id: `${what}-UNKNOWN-${round}` })
  const customers = await query(
    shop,
    `select redemptions_succeeded as succeeded, count(*) as customers from customers
    where project_id = $1 and source_id like $2 || '-%' group by 1`,
    [shop.project_id, what],
  )
  deepEqual(customers, [{ succeeded: 1, customers: 2 + rounds }])
}
