import { expect, test } from 'vitest'
import { newProject } from '../../testing/app.ts'
import { amountOff, newDiscount, newTier, redeemed, validated, vouchers } from '../../testing/checkout.ts'
import { ok } from '../../testing/orders.ts'
import { newPromotion } from '../../testing/promotions.ts'
import { setLimits } from '../../testing/set-limits.ts'

// biome-ignore lint/suspicious/noExplicitAny: an answer in a test is whatever the test expects of it
type Body = any

/** Some 3 kB as answers show it. */
const order = {
  items: Array.from({ length: 12 }, (_, n) => ({ product_id: `p-${n}`, quantity: 1, price: 100, metadata: { n } })),
  metadata: { gift: true },
}
const codes = ['A', 'B', 'C', 'D']

async function newShop() {
  setLimits({ repeated_orders_bytes_max: 6_000 })
  const shop = await newProject()
  for (const code of codes) await newDiscount(shop, code, amountOff(100))
  return shop
}

/** The lines, metadata and discount of each order. */
const shown = (parts: Body[]) =>
  parts.map(({ order }) => [order.items.length, order.metadata, order.total_discount_amount])
const [whole, amounts] = [
  [12, { gift: true }],
  [0, {}],
]

test('a validation shows lines and metadata of the order for the first redeemables and at its top, and warns', async () => {
  const shop = await newShop()
  const answer = await validated(shop, { redeemables: vouchers(...codes), order })
  expect(shown(answer.redeemables)).toEqual([
    [...whole, 100],
    [...whole, 200],
    [...amounts, 300],
    [...amounts, 400],
  ])
  expect(shown([answer])).toEqual([[...whole, 400]])
  expect(answer.warnings).toEqual([expect.stringContaining('The order is too long to be repeated')])
})

test('short orders, and the order of one redeemable, are shown as ever, without a warning', async () => {
  const shop = await newShop()
  for (const body of [
    { redeemables: vouchers('A', 'B'), order },
    { redeemables: vouchers(...codes), order: { items: order.items.slice(0, 2) } },
  ])
    expect(await validated(shop, body)).not.toHaveProperty('warnings')
  setLimits({ repeated_orders_bytes_max: 100 })
  const { redeemables, warnings } = await validated(shop, { redeemables: vouchers('A'), order })
  expect([shown(redeemables), warnings]).toEqual([[[...whole, 100]], undefined])
})

test('of all promotion tiers, those of the lowest hierarchy have lines', async () => {
  const shop = await newShop()
  const promotion = await newPromotion(shop)
  for (let index = 0; index < 4; index += 1)
    await newTier(shop, promotion, { hierarchy: 4 - index, action: { discount: amountOff(100) } })
  const { promotions, warnings } = await ok(shop, 'POST', '/v1/promotions/validation', { order })
  expect(promotions.map(({ hierarchy }: Body) => hierarchy)).toEqual([1, 2, 3, 4])
  expect(shown(promotions)).toEqual([whole, whole, amounts, amounts].map((each) => [...each, 100]))
  expect(warnings).toHaveLength(1)
})

test('the redemptions of a request are stored as they are shown, and the order and their parent completely', async () => {
  const shop = await newShop()
  const answer = await redeemed(shop, { redeemables: vouchers(...codes), order })
  const items = answer.redemptions.map(({ order }: Body) => order.items.length)
  expect(items).toEqual([12, 12, 0, 0])
  expect(answer.warnings).toHaveLength(1)
  expect(answer.order.items).toHaveLength(12)
  const read = await ok(shop, 'GET', `/v1/redemptions/${answer.redemptions[3].id}`)
  expect(read.order).toMatchObject({ items: [], total_discount_amount: 400 })
  expect((await ok(shop, 'GET', `/v1/redemptions/${answer.parent_redemption.id}`)).order.items).toHaveLength(12)
  // It can be undone, part by part: what it did to the lines is stored by itself.
  await ok(shop, 'POST', `/v1/redemptions/${answer.parent_redemption.id}/rollbacks`, {})
  expect(await ok(shop, 'GET', `/v1/orders/${answer.order.id}`)).toMatchObject({ amount: 1_200, total_amount: 1_200 })
})
