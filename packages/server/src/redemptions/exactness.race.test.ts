import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { auditBooks } from '../testing/checkout-load/audit.ts'
import { amountOff, limitTo, newCodes } from '../testing/checkout-load/codes-and-cards.ts'
import { runLoad } from '../testing/checkout-load/load.ts'
import { made, openShop, query, type Reply, type Shop } from '../testing/checkout-load/shop.ts'
import { createDatabase } from '../testing/postgres.ts'

/** Two processes of the service on one PostgreSQL; requests go to them in turn. */
let shop: Shop
let drop: () => Promise<void>

beforeAll(async () => {
  const given = inject('database')
  if (given.kind !== 'postgres') throw new Error('runs on PostgreSQL only')
  const database = await createDatabase(given.url, { template: given.template })
  drop = database.drop
  shop = await openShop(database.url)
})

afterAll(async () => {
  await shop.close()
  await drop()
})

const seconds = Number(process.env.GUERDON_TORTURE_SECONDS ?? 4)
const seed = Number(process.env.GUERDON_TORTURE_SEED ?? Date.now() % 1_000_000)

// The first, while there is nothing but what it makes itself: it counts everything.
test(`everything at once, at random, against a model (${seconds} s, seed ${seed})`, {
  timeout: (seconds * 3 + 120) * 1_000,
}, async () => {
  const report = await runLoad(shop, { seed, seconds })
  expect(report).toMatchObject({ violations: [], unanswered: 0 })
  expect(report.requests).toBeGreaterThan(seconds * 10)
})

const atOnce = (count: number, call: (index: number) => Promise<Reply>): Promise<Reply[]> =>
  Promise.all(Array.from({ length: count }, (_, index) => call(index)))

const redeem = (body: object, options: { key?: string } = {}): Promise<Reply> =>
  shop.call('POST', '/v1/redemptions', body, options)

const voucher = (id: string, more: object = {}) => ({ object: 'voucher', id, ...more })

const one = (id: string, more: object = {}) => ({ redeemables: [voucher(id)], order: { amount: 10_000 }, ...more })

/** How many answers there were of each kind: `{ '200': 3, '400 quantity_exceeded': 7 }`. */
function counted(replies: readonly Reply[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const { status, body } of replies) {
    const name = status === 200 ? '200' : `${status} ${body.key}`
    counts[name] = (counts[name] ?? 0) + 1
  }
  return counts
}

const newCode = (code: string, more: object = {}) =>
  made(shop, 'POST', `/v1/vouchers/${code}`, { ...amountOff(700), ...more })

const redeemedQuantity = async (code: string): Promise<number> =>
  (await made(shop, 'GET', `/v1/vouchers/${code}`)).redemption.redeemed_quantity

describe('a code', () => {
  test('with quantity 100, asked for a thousand times at once: a hundred times', { timeout: 60_000 }, async () => {
    await newCode('HUNDRED', { redemption: { quantity: 100 } })
    const replies = await atOnce(1_000, () => redeem(one('HUNDRED')))
    expect(counted(replies)).toEqual({ '200': 100, '400 quantity_exceeded': 900 })
    expect(await redeemedQuantity('HUNDRED')).toBe(100)
    const of_code = 'filters[voucher_code][conditions][$is]=HUNDRED'
    const listed = await made(shop, 'GET', `/v1/redemptions?limit=100&result=SUCCESS&${of_code}`)
    const ids = replies.filter(({ status }) => status === 200).map(({ body }) => body.redemptions[0].id)
    expect(listed).toMatchObject({ total: 100, redemptions: { length: 100 } })
    expect(new Set(listed.redemptions.map(({ id }: { id: string }) => id))).toEqual(new Set(ids))
    expect(await made(shop, 'GET', `/v1/redemptions?limit=1&result=FAILURE&${of_code}`)).toMatchObject({ total: 900 })
  })

  test('example 41: quantity 3, ten at once: three', async () => {
    await newCode('THREE', { redemption: { quantity: 3 } })
    expect(counted(await atOnce(10, () => redeem(one('THREE'))))).toEqual({ '200': 3, '400 quantity_exceeded': 7 })
    expect(await redeemedQuantity('THREE')).toBe(3)
  })

  test('together with others: all of them or none', async () => {
    await newCode('SCARCE', { redemption: { quantity: 4 } })
    await newCode('COMMON')
    const replies = await atOnce(30, () =>
      redeem({ redeemables: [voucher('COMMON'), voucher('SCARCE')], order: { amount: 10_000 } }),
    )
    expect(counted(replies)).toEqual({ '200': 4, '400 quantity_exceeded': 26 })
    expect([await redeemedQuantity('SCARCE'), await redeemedQuantity('COMMON')]).toEqual([4, 4])
  })
})

describe('a campaign', () => {
  const codes = 10

  const budgets: Array<[rule: string, max: number, done: number]> = [
    ['campaign.orders.amount_discounted', 9_999, 14], // of 700 each
    ['campaign.redemptions.count', 17, 17],
    ['campaign.redemptions.count.daily', 17, 17],
    ['campaign.orders.amount', 123_456, 12], // of 10,000 each
  ]
  test.each(budgets)('%s at most %i, over many codes: never more', async (rule, max, done) => {
    const name = rule.replaceAll(/[._]/g, '-')
    await limitTo(shop, { campaign: await newCodes(shop, name, codes, amountOff(700)) }, { [rule]: max })
    const replies = await atOnce(80, (index) => redeem(one(`${name}-${index % codes}`)))
    expect(counted(replies)).toEqual({ '200': done, '400 redemption_rules_violated': 80 - done })
    expect(counted([await redeem(one(`${name}-0`))])).toEqual({ '400 redemption_rules_violated': 1 })
  })

  test('a budget with discounts of all sizes: never more, and what is left is too little for those refused', async () => {
    const campaign = await newCodes(shop, 'PERCENT', codes, {
      type: 'DISCOUNT_VOUCHER',
      discount: { type: 'PERCENT', percent_off: 10, effect: 'APPLY_TO_ORDER' },
    })
    await limitTo(shop, { campaign }, { 'campaign.orders.amount_discounted': 10_000 })
    const sizes = Array.from({ length: 100 }, (_, index) => 100 + ((index * 379) % 900))
    const replies = await atOnce(sizes.length, (index) =>
      redeem({
        redeemables: [voucher(`PERCENT-${index % codes}`)],
        order: { amount: (sizes[index] as number) * 10 },
      }),
    )
    const granted = replies.map(({ status, body }) => (status === 200 ? body.order.total_applied_discount_amount : 0))
    expect(granted.filter((amount) => amount > 0)).toEqual(sizes.filter((_, index) => granted[index] > 0))
    const total = granted.reduce((sum, amount) => sum + amount, 0)
    expect(total).toBeLessThanOrEqual(10_000)
    expect(total).toBeGreaterThan(9_000)
    const { '200': done = 0, ...refused } = counted(replies)
    expect(refused).toEqual({ '400 redemption_rules_violated': sizes.length - done })
    const [used] = await query(
      shop,
      `select sum(case when is_undone then -discounted_amount else discounted_amount end) as amount, sum(redemptions) as count
      from usage where scope_id = $1`,
      [campaign],
    )
    expect(used).toEqual({ amount: total, count: done })
  })

  test('units of a product that may be discounted in its lifetime: never more', async () => {
    const { id } = await made(shop, 'POST', '/v1/products', { name: 'Cup', price: 1_000 })
    const campaign = await newCodes(shop, 'CUPS', codes, {
      type: 'DISCOUNT_VOUCHER',
      discount: { type: 'PERCENT', percent_off: 50, effect: 'APPLY_TO_ITEMS' },
    })
    const included = [{ object: 'product', id, product_campaign_quantity_limit: 25 }]
    await limitTo(shop, { campaign }, {}, { applicable_to: { included, excluded: [], included_all: false } })
    const replies = await atOnce(40, (index) =>
      redeem({
        redeemables: [voucher(`CUPS-${index % codes}`)],
        order: { items: [{ product_id: id, quantity: 3, price: 1_000 }] },
      }),
    )
    expect(counted(replies)).toEqual({ '200': 40 }) // one without any left gives nothing, and is redeemed
    const units = replies.map(({ body }) => body.order.items_applied_discount_amount / 500)
    expect(units.sort((a, b) => b - a).slice(0, 10)).toEqual([3, 3, 3, 3, 3, 3, 3, 3, 1, 0])
    expect(units.reduce((sum, number) => sum + number, 0)).toBe(25)
  })
})

describe('once per customer, fifty times at once', () => {
  const kinds: Array<[what: string, newThing: () => Promise<(index: number) => object>]> = [
    [
      'a code',
      async () => {
        await newCode('ONCE')
        await limitTo(shop, { voucher: 'ONCE' }, { 'redemption.count.per_customer': 1 })
        return () => voucher('ONCE')
      },
    ],
    [
      'the codes of a campaign',
      async () => {
        const campaign = await newCodes(shop, 'OF-MANY', 50, amountOff(700))
        await limitTo(shop, { campaign }, { 'campaign.redemptions.customers_count': 1 })
        return (index) => voucher(`OF-MANY-${index}`)
      },
    ],
    [
      'a promotion tier',
      async () => {
        const body = { name: 'For each', campaign_type: 'PROMOTION', promotion: { tiers: [] } }
        const { id: campaign } = await made(shop, 'POST', '/v1/campaigns', body)
        const discount = { type: 'AMOUNT', amount_off: 700, effect: 'APPLY_TO_ORDER' }
        const { id } = await made(shop, 'POST', `/v1/promotions/${campaign}/tiers`, {
          name: 'Tier',
          action: { discount },
        })
        await limitTo(shop, { promotion_tier: id }, { 'redemption.count.per_customer': 1 })
        return () => ({ object: 'promotion_tier', id })
      },
    ],
  ]
  test.each(kinds)('%s', async (what, newThing) => {
    const thing = await newThing()
    const times = (count: number, customer: object) =>
      atOnce(count, (index) => redeem({ redeemables: [thing(index)], order: { amount: 10_000 }, customer }))
    const known = { source_id: `known ${what}` }
    await made(shop, 'POST', '/v1/customers', known)
    expect(counted(await times(50, known))).toEqual({ '200': 1, '400 redemption_rules_violated': 49 })
    const unknown = { source_id: `unknown ${what}`, name: 'Ann' }
    expect(counted(await times(50, unknown))).toEqual({ '200': 1, '400 redemption_rules_violated': 49 })
    // Some read before the customer is there, some after, and some while it comes: the last of these are rare.
    for (let round = 0; round < 6; round += 1)
      expect(counted(await times(20, { source_id: `unknown ${round} ${what}` }))).toEqual({
        '200': 1,
        '400 redemption_rules_violated': 19,
      })
    const customers = await query(
      shop,
      `select redemptions_succeeded as succeeded, count(*) as customers from customers where source_id like '%known%' || $1
      group by 1`,
      [what],
    )
    expect(customers).toEqual([{ succeeded: 1, customers: 8 }])
  })
})

describe('a gift card', () => {
  const pay = (code: string, credits: number) =>
    redeem({ redeemables: [voucher(code, { gift: { credits } })], order: { amount: 10_000 } })

  test('of 100.00, forty payments of 3.70 at once: twenty-seven, and 0.10 is left', async () => {
    await made(shop, 'POST', '/v1/vouchers/HUNDRED-GIFT', { type: 'GIFT_VOUCHER', gift: { amount: 10_000 } })
    const replies = await atOnce(40, () => pay('HUNDRED-GIFT', 370))
    expect(counted(replies)).toEqual({ '200': 27, '400 gift_amount_exceeded': 13 })
    const paid = replies.reduce((sum, { body }) => sum + (body.redemptions?.[0].gift.amount ?? 0), 0)
    const card = await made(shop, 'GET', '/v1/vouchers/HUNDRED-GIFT')
    expect(card).toMatchObject({ gift: { balance: 10_000 - paid }, redemption: { redeemed_amount: paid } })
    expect(paid).toBe(9_990)
    const { data } = await made(shop, 'GET', '/v1/vouchers/HUNDRED-GIFT/transactions?limit=100')
    const balances = data.map(({ details }: { details: { balance: { balance: number } } }) => details.balance.balance)
    expect(balances.sort((a: number, b: number) => b - a)).toEqual(
      Array.from({ length: 27 }, (_, index) => 10_000 - 370 * (index + 1)),
    )
    const [posted] = await query(
      shop,
      `select sum(amount) as amount, count(*) as count from postings where destination = 'redeemed' and voucher_id = $1`,
      [card.id],
    )
    expect(posted).toEqual({ amount: 9_990, count: 27 })
  })

  test('example 42: balance 1000, two payments of 700: one, and 300 are left', async () => {
    await made(shop, 'POST', '/v1/vouchers/THOUSAND', { type: 'GIFT_VOUCHER', gift: { amount: 1_000 } })
    expect(counted(await atOnce(2, () => pay('THOUSAND', 700)))).toEqual({ '200': 1, '400 gift_amount_exceeded': 1 })
    expect(await made(shop, 'GET', '/v1/vouchers/THOUSAND')).toMatchObject({ gift: { balance: 300 } })
  })
})

describe('a rollback', () => {
  /** However often it is asked for, it happens once; whoever comes later is told so. */
  function expectOnce(replies: readonly Reply[]) {
    const { '200': done, '400 already_rolled_back': late = 0, '400 multiple_requests': refused = 0 } = counted(replies)
    expect(done).toBe(1)
    expect(late + refused).toBe(replies.length - 1)
  }

  test('of one redemption, twenty times at once: takes effect once', async () => {
    await made(shop, 'POST', '/v1/vouchers/BACK', { type: 'GIFT_VOUCHER', gift: { amount: 1_000 } })
    const customer = { source_id: 'regrets' }
    const redeemables = [voucher('BACK', { gift: { credits: 600 } })]
    const done = await redeem({ redeemables, customer, order: { amount: 5_000 } })
    const { id } = done.body.redemptions[0]
    expectOnce(await atOnce(20, () => shop.call('POST', `/v1/redemptions/${id}/rollback`, {})))
    expect(await made(shop, 'GET', '/v1/vouchers/BACK')).toMatchObject({
      gift: { balance: 1_000 },
      redemption: { redeemed_quantity: 0, redeemed_amount: 0 },
    })
    expect(await made(shop, 'GET', `/v1/redemptions/${id}`)).toMatchObject({ status: 'ROLLED_BACK' })
    expect((await made(shop, 'GET', '/v1/customers/regrets')).summary).toMatchObject({
      redemptions: { total_succeeded: 1, total_rolled_back: 1, total_rollback_succeeded: 1 },
      orders: { total_count: 0, total_amount: 0 },
    })
  })

  test('of several together, twenty times at once: takes effect once', async () => {
    await newCode('STACKED-1', { redemption: { quantity: 1 } })
    await newCode('STACKED-2', { redemption: { quantity: 1 } })
    const both = { redeemables: [voucher('STACKED-1'), voucher('STACKED-2')], order: { amount: 10_000 } }
    const { id } = (await redeem(both)).body.parent_redemption
    expectOnce(await atOnce(20, () => shop.call('POST', `/v1/redemptions/${id}/rollbacks`, {})))
    expect([await redeemedQuantity('STACKED-1'), await redeemedQuantity('STACKED-2')]).toEqual([0, 0])
    expect(counted(await atOnce(5, () => redeem(both)))).toEqual({ '200': 1, '400 quantity_exceeded': 4 })
  })
})

describe('sessions', () => {
  const lock = (code: string, key: string, more: object = {}) =>
    shop.call('POST', '/v1/validations', { ...one(code), ...more, session: { type: 'LOCK', key } })

  test('a code with quantity 5, asked for by thirty at once: five hold it, and only they redeem it', async () => {
    await newCode('HELD', { redemption: { quantity: 5 } })
    const replies = await atOnce(30, (index) => lock('HELD', `held ${index}`))
    expect(counted(replies)).toEqual({ '200': 30 })
    const keys = replies.flatMap(({ body }) => (body.valid ? [body.session.key as string] : []))
    expect(keys).toHaveLength(5)
    expect(counted(await atOnce(5, () => redeem(one('HELD'))))).toEqual({ '400 quantity_exceeded': 5 })
    const mine = (key: string | undefined) => redeem(one('HELD', { session: { type: 'LOCK', key } }))
    const free = await shop.call('DELETE', `/v1/vouchers/HELD/sessions/${encodeURIComponent(keys[0] as string)}`)
    expect(free.status).toBe(204)
    expect(counted(await atOnce(4, (index) => mine(keys[index + 1])))).toEqual({ '200': 4 })
    expect(counted(await atOnce(4, () => redeem(one('HELD'))))).toEqual({ '200': 1, '400 quantity_exceeded': 3 })
    expect(await redeemedQuantity('HELD')).toBe(5)
  })

  test('credits of a card, asked for by thirty at once: no more are held than there are', async () => {
    await made(shop, 'POST', '/v1/vouchers/HELD-GIFT', { type: 'GIFT_VOUCHER', gift: { amount: 1_000 } })
    const redeemables = [voucher('HELD-GIFT', { gift: { credits: 300 } })]
    const replies = await atOnce(30, (index) => lock('HELD-GIFT', `held gift ${index}`, { redeemables }))
    const keys = replies.flatMap(({ body }) => (body.valid ? [body.session.key as string] : []))
    expect(keys).toHaveLength(3)
    const order = { amount: 10_000 }
    expect(counted([await redeem({ redeemables, order })])).toEqual({ '400 gift_amount_exceeded': 1 })
    const mine = await atOnce(3, (index) => redeem({ redeemables, order, session: { type: 'LOCK', key: keys[index] } }))
    expect(counted(mine)).toEqual({ '200': 3 })
    expect(await made(shop, 'GET', '/v1/vouchers/HELD-GIFT')).toMatchObject({ gift: { balance: 100 } })
  })
})

describe('one order', () => {
  const codes = Array.from({ length: 20 }, (_, index) => `PART-${index}`)

  test('redeemed for by its source id twenty times at once: one order that has them all', async () => {
    await newCodes(shop, 'PART', codes.length, amountOff(100))
    const order = { source_id: 'together', amount: 10_000 }
    const customer = { source_id: 'buyer' }
    const replies = await atOnce(20, (index) => redeem(one(codes[index] as string, { order, customer })))
    expect(counted(replies)).toEqual({ '200': 20 })
    expect(new Set(replies.map(({ body }) => body.order.id)).size).toBe(1)
    const expected = { amount: 10_000, discount_amount: 2_000, total_amount: 8_000, status: 'PAID' }
    const stored = await made(shop, 'GET', '/v1/orders/together')
    expect(stored).toMatchObject(expected)
    expect(new Set(Object.keys(stored.redemptions))).toEqual(
      new Set(replies.map(({ body }) => body.redemptions[0].id as string)),
    )
    // Each saw those before it.
    const discounts = replies.map(({ body }) => body.order.discount_amount as number)
    expect(discounts.sort((a, b) => a - b)).toEqual(codes.map((_, index) => (index + 1) * 100))
    expect((await made(shop, 'GET', '/v1/customers/buyer')).summary).toMatchObject({
      redemptions: { total_succeeded: 20 },
      orders: { total_count: 1, total_amount: 10_000 },
    })
  })

  test('redeemed for by its id, while others are rolled back: the discounts are those that are left', async () => {
    const { id, redemptions } = await made(shop, 'GET', '/v1/orders/together')
    const before = Object.keys(redemptions)
    const replies = await atOnce(40, (index) =>
      index % 2 === 0
        ? redeem(one(codes[index / 2] as string, { order: { id } }))
        : shop.call('POST', `/v1/redemptions/${before[(index - 1) / 2]}/rollback`, {}),
    )
    expect(counted(replies)).toEqual({ '200': 40 })
    const stored = await made(shop, 'GET', `/v1/orders/${id}`)
    expect(stored).toMatchObject({ amount: 10_000, discount_amount: 2_000, total_amount: 8_000 })
    expect(Object.keys(stored.redemptions)).toHaveLength(40)
    const undone = Object.values(stored.redemptions as Record<string, { rollback_id?: string }>).filter(
      ({ rollback_id }) => rollback_id !== undefined,
    )
    expect(undone).toHaveLength(20)
  })
})

describe('an idempotency key', () => {
  test('sent twenty times at once to both nodes: one effect, one answer', async () => {
    await newCode('KEPT')
    const replies = await atOnce(20, () => redeem(one('KEPT'), { key: 'kept' }))
    expect(new Set(replies.map(({ status, text }) => `${status} ${text}`)).size).toBe(1)
    expect(counted(replies)).toEqual({ '200': 20 })
    expect(replies.filter(({ is_replay }) => !is_replay)).toHaveLength(1)
    expect(await redeemedQuantity('KEPT')).toBe(1)
  })

  test('of a refusal: stored once, and told again', async () => {
    await newCode('REFUSED', { active: false })
    const replies = await atOnce(20, () => redeem(one('REFUSED'), { key: 'refused' }))
    expect(new Set(replies.map(({ status, text }) => `${status} ${text}`)).size).toBe(1)
    expect(counted(replies)).toEqual({ '400 voucher_disabled': 20 })
    const listed = await made(shop, 'GET', '/v1/redemptions?filters[voucher_code][conditions][$is]=REFUSED')
    expect(listed.total).toBe(1)
  })

  test('of a rollback: one effect, one answer', async () => {
    await newCode('KEPT-BACK')
    const { id } = (await redeem(one('KEPT-BACK'))).body.redemptions[0]
    const replies = await atOnce(20, () =>
      shop.call('POST', `/v1/redemptions/${id}/rollback`, {}, { key: 'kept rollback' }),
    )
    expect(new Set(replies.map(({ status, text }) => `${status} ${text}`)).size).toBe(1)
    expect(counted(replies)).toEqual({ '200': 20 })
    expect(await redeemedQuantity('KEPT-BACK')).toBe(0)
  })
})

test('whatever all these did, the tables agree about it', async () => {
  expect(await auditBooks(shop)).toEqual([])
})
