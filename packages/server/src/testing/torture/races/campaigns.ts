import { deepEqual, equal, ok } from 'node:assert/strict'
import { amountOff, limitTo, newCodes } from '../../checkout-load/codes-and-cards.ts'
import { isNearMidnight } from '../../checkout-load/goods.ts'
import { made, query, type Shop } from '../../checkout-load/shop.ts'
import { scaled } from '../../scale.ts'
import { concurrently, countByOutcome, type Races, redeem, redemptionOf, sumOf } from './race.ts'

const codesCount = scaled(10, 4)
const maxCount = scaled(17, 5)
const maxDiscount = scaled(9_999, 3_499)
const maxAmount = scaled(123_456, 45_678)

export const campaigns: Races = {
  [`with campaign.orders.amount_discounted at most ${maxDiscount} never exceeds it over many codes`]: (shop) =>
    expectLimitKept(shop, 'campaign.orders.amount_discounted', maxDiscount, 700),

  [`with campaign.redemptions.count at most ${maxCount} never exceeds it over many codes`]: (shop) =>
    expectLimitKept(shop, 'campaign.redemptions.count', maxCount, 1),

  async [`with campaign.redemptions.count.daily at most ${maxCount} never exceeds it over many codes`](shop) {
    if (isNearMidnight()) return // the daily limit starts anew at midnight
    await expectLimitKept(shop, 'campaign.redemptions.count.daily', maxCount, 1)
  },

  [`with campaign.orders.amount at most ${maxAmount} never exceeds it over many codes`]: (shop) =>
    expectLimitKept(shop, 'campaign.orders.amount', maxAmount, 10_000),

  async 'with a budget and discounts of all sizes never exceeds it, and uses more than 90 % of it'(shop) {
    const campaign = await newCodes(shop, 'PERCENT', codesCount, {
      type: 'DISCOUNT_VOUCHER',
      discount: { type: 'PERCENT', percent_off: 10, effect: 'APPLY_TO_ORDER' },
    })
    await limitTo(shop, { campaign }, { 'campaign.orders.amount_discounted': 10_000 })
    const sizes = Array.from({ length: scaled(100, 22) }, (_, index) => 100 + ((index * 379) % 900))
    const replies = await concurrently(sizes.length, (index) => {
      const order = { amount: (sizes[index] as number) * 10 }
      return redeem(shop, redemptionOf(`PERCENT-${index % codesCount}`, { order }))
    })
    const granted = replies.map(({ status, body }) => (status === 200 ? body.order.total_applied_discount_amount : 0))
    deepEqual(
      granted.filter((amount) => amount > 0),
      sizes.filter((_, index) => granted[index] > 0),
    )
    const total = sumOf(granted)
    ok(total > 9_000 && total <= 10_000, `${total} of 10,000 were granted`)
    const { '200': done = 0, ...refused } = countByOutcome(replies)
    deepEqual(refused, { '400 redemption_rules_violated': sizes.length - done })
    const used = await query(
      shop,
      `select sum(case when is_undone then -discounted_amount else discounted_amount end) as amount, sum(redemptions) as count
      from usage where scope_id = $1`,
      [campaign],
    )
    deepEqual(used, [{ amount: total, count: done }])
  },

  async 'never discounts more units of a product than its lifetime limit'(shop) {
    const { id } = await made(shop, 'POST', '/v1/products', { name: 'Cup', price: 1_000 })
    const campaign = await newCodes(shop, 'CUPS', codesCount, {
      type: 'DISCOUNT_VOUCHER',
      discount: { type: 'PERCENT', percent_off: 50, effect: 'APPLY_TO_ITEMS' },
    })
    const included = [{ object: 'product', id, product_campaign_quantity_limit: 25 }]
    await limitTo(shop, { campaign }, {}, { applicable_to: { included, excluded: [], included_all: false } })
    const order = { items: [{ product_id: id, quantity: 3, price: 1_000 }] }
    const count = scaled(40, 10)
    const replies = await concurrently(count, (index) =>
      redeem(shop, redemptionOf(`CUPS-${index % codesCount}`, { order })),
    )
    deepEqual(countByOutcome(replies), { '200': count }) // a redemption without units left succeeds with no discount
    const units = replies.map(({ body }) => body.order.items_applied_discount_amount / 500)
    deepEqual(units.sort((a, b) => b - a).slice(0, 10), [3, 3, 3, 3, 3, 3, 3, 3, 1, 0])
    equal(sumOf(units), 25)
  },
}

/** Expects as many of more concurrent redemptions, which count `each`, to succeed as the limit allows, and none afterwards. */
async function expectLimitKept(shop: Shop, rule: string, max: number, each: number): Promise<void> {
  const done = Math.floor(max / each)
  const name = rule.replaceAll(/[._]/g, '-').toUpperCase()
  await limitTo(shop, { campaign: await newCodes(shop, name, codesCount, amountOff(700)) }, { [rule]: max })
  const count = scaled(80, 12)
  const replies = await concurrently(count, (index) => redeem(shop, redemptionOf(`${name}-${index % codesCount}`)))
  deepEqual(countByOutcome(replies), { '200': done, '400 redemption_rules_violated': count - done })
  deepEqual(countByOutcome([await redeem(shop, redemptionOf(`${name}-0`))]), { '400 redemption_rules_violated': 1 })
}
