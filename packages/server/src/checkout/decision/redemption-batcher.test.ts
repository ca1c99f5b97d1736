import { expect, test } from 'vitest'
import { newProject, type Shop } from '../../testing/app.ts'
import { newCampaign, newVoucher } from '../../testing/campaigns.ts'
import {
  newCard,
  newDiscount,
  newGiftCard,
  newRule,
  percentOff,
  redeem,
  tier,
  validate,
  voucher,
  when,
} from '../../testing/checkout.ts'
import { ok } from '../../testing/orders.ts'
import { newPromotion, newTier } from '../../testing/promotions.ts'

const order = { items: [{ source_id: 'mug', quantity: 2, price: 1_450 }] }
const at = (code: string, customer?: string) => ({
  redeemables: [voucher(code)],
  order,
  ...(customer === undefined ? {} : { customer: { source_id: customer } }),
})

const newCustomers = (shop: Shop, count: number) =>
  Promise.all(Array.from({ length: count }, (_, n) => ok(shop, 'POST', '/v1/customers', { source_id: `c${n}` })))

test('of 60 concurrent redemptions of a code with quantity 25 exactly 25 succeed, each with its own redeemed_quantity', async () => {
  const shop = await newProject()
  await newCustomers(shop, 4)
  await newDiscount(shop, 'HOT', percentOff(10), { redemption: { quantity: 25 } })
  const answers = await Promise.all(Array.from({ length: 60 }, (_, n) => redeem(shop, at('HOT', `c${n % 4}`))))
  const done = answers.filter(({ status }) => status === 200)
  expect(done).toHaveLength(25)
  const counts = done.map(({ body }) => body.redemptions[0].voucher.redemption.redeemed_quantity)
  expect(counts.sort((a, b) => a - b)).toEqual(Array.from({ length: 25 }, (_, n) => n + 1))
  for (const { status, body } of answers.filter((answer) => !done.includes(answer)))
    expect([status, body.key]).toEqual([400, 'quantity_exceeded'])
  expect((await ok(shop, 'GET', '/v1/vouchers/HOT')).redemption.redeemed_quantity).toBe(25)
  const customers = await Promise.all([0, 1, 2, 3].map((n) => ok(shop, 'GET', `/v1/customers/c${n}`)))
  const sum = (read: (customer: Awaited<ReturnType<typeof ok>>) => number) =>
    customers.reduce((total, customer) => total + read(customer), 0)
  expect(sum(({ summary }) => summary.redemptions.total_succeeded)).toBe(25)
  expect(sum(({ summary }) => summary.redemptions.total_failed)).toBe(35)
  expect(sum(({ summary }) => summary.orders.total_count)).toBe(25)
  expect(sum(({ summary }) => summary.orders.total_amount)).toBe(25 * 2_900)
})

test('redemptions of a code that is changed meanwhile are decided again with its rows locked', async () => {
  const shop = await newProject()
  await newCustomers(shop, 4)
  await newDiscount(shop, 'HOT', percentOff(10))
  const [answers] = await Promise.all([
    Promise.all(Array.from({ length: 40 }, (_, n) => redeem(shop, at('HOT', `c${n % 4}`)))),
    Promise.all(
      Array.from({ length: 10 }, (_, n) => ok(shop, 'PUT', '/v1/vouchers/HOT', { additional_info: `change ${n}` })),
    ),
  ])
  const counts = answers.map(({ body }) => body.redemptions[0].voucher.redemption.redeemed_quantity)
  expect(counts.sort((a, b) => a - b)).toEqual(Array.from({ length: 40 }, (_, n) => n + 1))
  expect((await ok(shop, 'GET', '/v1/vouchers/HOT')).redemption.redeemed_quantity).toBe(40)
})

test('in a batch, one refusal does not affect other redemptions, and redemptions that cannot be batched are decided individually', async () => {
  const shop = await newProject()
  await newCustomers(shop, 3)
  await newCampaign(shop, 'Few')
  await ok(shop, 'POST', '/v1/campaigns/Few/vouchers/COUNTED', {})
  await newDiscount(shop, 'PLAIN', percentOff(10))
  await newDiscount(shop, 'MANY', percentOff(20))
  await newDiscount(shop, 'DEAR', percentOff(10))
  await newRule(shop, when('order.amount', { $more_than: [1_000_000] }), { voucher: 'DEAR' })
  await newRule(shop, when('redemption.count.per_customer', { $less_than_or_equal: [2] }), { voucher: 'MANY' })
  await newGiftCard(shop, 'GIFT', 5_000)
  await newVoucher(shop, 'GONE', { active: false })
  const bodies = [
    ...Array.from({ length: 6 }, (_, n) => at('PLAIN', `c${n % 3}`)),
    ...Array.from({ length: 6 }, () => at('MANY', 'c0')),
    ...Array.from({ length: 3 }, () => ({
      ...at('GIFT', 'c1'),
      redeemables: [voucher('GIFT', { gift: { credits: 2_000 } })],
    })),
    at('DEAR', 'c2'),
    at('GONE', 'c2'),
    at('NOWHERE', 'c2'),
    { ...at('PLAIN'), customer: { source_id: 'c1', name: 'Anna' } },
    ...Array.from({ length: 3 }, () => at('PLAIN', 'newcomer')),
    at('COUNTED'),
  ]
  const answers = await Promise.all(bodies.map((body) => redeem(shop, body)))
  const keys = answers.map(({ status, body }) => (status === 200 ? 'done' : body.key))
  const of = (code: string) => keys.filter((_, n) => bodies[n]?.redeemables[0]?.id === code).sort()
  expect(of('PLAIN')).toEqual(Array.from({ length: 10 }, () => 'done'))
  expect(of('MANY').filter((key) => key === 'done')).toHaveLength(2)
  expect(of('GIFT').filter((key) => key === 'done').length).toBe(2)
  expect([of('DEAR'), of('GONE'), of('NOWHERE'), of('COUNTED')]).toEqual([
    ['order_rules_violated'],
    ['voucher_disabled'],
    ['not_found'],
    ['done'],
  ])
  expect((await ok(shop, 'GET', '/v1/customers/c1')).name).toBe('Anna')
  expect((await ok(shop, 'GET', '/v1/customers/newcomer')).summary.redemptions.total_succeeded).toBe(3)
  expect((await ok(shop, 'GET', '/v1/vouchers/PLAIN')).redemption.redeemed_quantity).toBe(10)
})

test('concurrent validations get the same answers as sequential ones', async () => {
  const shop = await newProject()
  for (const [n, name] of ['mug', 'pot', 'lid'].entries())
    await ok(shop, 'POST', '/v1/products', {
      source_id: name,
      name,
      price: 1_000 * (n + 1),
      metadata: { colour: name },
    })
  for (const level of ['tin', 'gold'])
    await ok(shop, 'POST', '/v1/customers', { source_id: level, metadata: { level } })
  const { code: card } = await newCard(shop, { points: 100 })
  for (const code of ['ANY', 'GOLD', 'MUG']) await newDiscount(shop, code, percentOff(10))
  await newRule(shop, when('customer.metadata', { $is: ['gold'] }, { property: 'level' }), { voucher: 'GOLD' })
  await newRule(shop, when('product.metadata', { $is: ['mug'] }, { property: 'colour' }), { voucher: 'MUG' })
  const requests = ['ANY', 'GOLD', 'MUG', card, 'NOWHERE'].flatMap((code) =>
    ['tin', 'gold', 'stranger'].flatMap((sourceId) =>
      ['mug', 'pot', 'unknown'].map((good) => ({
        redeemables: [voucher(code)],
        customer: { source_id: sourceId },
        order: { items: [{ source_id: good, quantity: 1, price: 500 }] },
      })),
    ),
  )
  const without = ({ status, body }: Awaited<ReturnType<typeof validate>>) => ({
    status,
    text: JSON.stringify(body).replaceAll(/"(v-|valid_)\w+"/g, '"…"'),
  })
  const sequential = []
  for (const request of requests) sequential.push(without(await validate(shop, request)))
  const concurrent = (await Promise.all(requests.map((request) => validate(shop, request)))).map(without)
  expect(concurrent).toEqual(sequential)
})

test('an order that is too large is refused without affecting the rest of its batch', async () => {
  const shop = await newProject()
  const heavy = await ok(shop, 'POST', '/v1/products', {
    source_id: 'heavy',
    price: 100,
    metadata: Object.fromEntries(Array.from({ length: 100 }, (_, n) => [`key-${n}`, 'x'.repeat(600)])),
  })
  for (let n = 0; n < 8; n += 1) await newDiscount(shop, `CODE-${n}`, percentOff(10))
  const lines = Array.from({ length: 300 }, () => ({ product_id: heavy.id, quantity: 1 }))
  const answers = await Promise.all(
    Array.from({ length: 8 }, (_, n) =>
      redeem(shop, n === 3 ? { redeemables: [voucher(`CODE-${n}`)], order: { items: lines } } : at(`CODE-${n}`)),
    ),
  )
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 400, 200, 200, 200, 200])
  expect(answers[3]?.body.details).toContain('.items must NOT take more than')
})

test('a new tier gives away its units at the first redemption, while the cached configuration is outdated', async () => {
  const shop = await newProject()
  const gift = await ok(shop, 'POST', '/v1/products', { source_id: 'gift', name: 'Gift', price: 300 })
  const promotion = await newPromotion(shop)
  const { id } = await newTier(shop, promotion, {
    action: { discount: { type: 'UNIT', effect: 'ADD_NEW_ITEMS', unit_off: 1, unit_type: gift.id } },
  })
  const { redemptions } = await ok(shop, 'POST', '/v1/redemptions', { redeemables: [tier(id)], order })
  expect(redemptions[0].order.items).toHaveLength(2)
})

test('picking the rows of 64 orders with 500 lines each takes linear time', async () => {
  const shop = await newProject()
  await newDiscount(shop, 'CODE', percentOff(10))
  const cart = (n: number) => ({
    redeemables: [voucher('CODE')],
    order: {
      items: Array.from({ length: 500 }, (_, line) => ({ source_id: `good-${n}-${line}`, quantity: 1, price: 100 })),
    },
  })
  const { rowsForRequest } = await import('./rows.ts')
  let reads = 0
  const goods = Array.from({ length: 64 * 500 }, (_, n) => ({
    id: `prod_${n}`,
    get source_id() {
      reads += 1
      return `good-${Math.floor(n / 500)}-${n % 500}`
    },
  }))
  const rows = { vouchers: [], customers: [], goods: { products: goods, skus: [] } } as unknown as Parameters<
    typeof rowsForRequest
  >[0]
  const rowsFor = rowsForRequest(rows)
  for (let n = 0; n < 64; n += 1) {
    const productSources = cart(n).order.items.map(({ source_id }) => source_id)
    expect(rowsFor({ ...noKeys, product_sources: productSources }).goods.products).toHaveLength(500)
  }
  // A scan of all goods for each cart would read 64 times as many.
  expect(reads).toBeLessThanOrEqual(3 * goods.length)
  expect((await validate(shop, cart(1))).status).toBe(200)
})

const noKeys = {
  code_keys: [],
  customer_sources: [],
  customer_ids: [],
  product_ids: [],
  sku_sources: [],
  sku_ids: [],
}
