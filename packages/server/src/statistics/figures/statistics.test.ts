import { expect, test } from 'vitest'
import { newProject } from '../../testing/app.ts'
import { addUp } from '../sums/add-up.ts'

test('the overview counts redemptions, discounts and orders at once, and the same after they are added up', async () => {
  const shop = await newProject({ project: { timezone: 'Europe/Warsaw' } })
  const campaign = await shop.call('POST', '/v1/campaigns', {
    name: 'Ten off',
    campaign_type: 'DISCOUNT_COUPONS',
    voucher: {
      type: 'DISCOUNT_VOUCHER',
      discount: { type: 'AMOUNT', amount_off: 1000 },
      redemption: { quantity: null },
    },
  })
  expect(campaign.status).toBe(200)
  const code = await shop.call('POST', `/v1/campaigns/${campaign.body.id}/vouchers`, {})
  const redeem = (amount: number) =>
    shop.call('POST', '/v1/redemptions', {
      redeemables: [{ object: 'voucher', id: code.body.code }],
      order: { amount },
    })
  const first = await redeem(5_000)
  expect(first.status).toBe(200)
  await redeem(3_000)
  await shop.call('POST', '/v1/orders', { status: 'PAID', amount: 700 })
  const before = await shop.call('GET', '/v1/statistics/overview')
  expect(before.status).toBe(200)
  expect(before.body.totals).toMatchObject({
    redemptions: 2,
    discount_amount: 2_000,
    orders: 2,
    order_amount: 8_000,
    discounted_order_amount: 6_000,
    orders_without_discount: 1,
    order_amount_without_discount: 700,
  })
  expect(before.body.series).toHaveLength(30)
  expect(before.body.campaigns).toEqual([
    {
      id: campaign.body.id,
      name: 'Ten off',
      campaign_type: 'DISCOUNT_COUPONS',
      redemptions: 2,
      discount_amount: 2_000,
      order_amount: 8_000,
    },
  ])
  const { db } = shop.service.runtime.database
  while (await addUp(db, shop.project_id));
  const after = await shop.call('GET', '/v1/statistics/overview')
  expect({ ...after.body, updated_at: 0 }).toEqual({ ...before.body, updated_at: 0 })
})
