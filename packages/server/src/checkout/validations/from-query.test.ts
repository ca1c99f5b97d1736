import { describe, expect, test } from 'vitest'
import { newProject, type Shop } from '../../testing/app.ts'
import {
  amountOff,
  asClient,
  newCard,
  newDiscount,
  newGiftCard,
  newProduct,
  newReward,
  newRule,
  newTier,
  percentOff,
  when,
} from '../../testing/checkout.ts'
import { ok } from '../../testing/orders.ts'
import { eventsOf, newPromotion } from '../../testing/promotions.ts'

const newShop = () => newProject({ project: { client_trusted_domains: ['shop.example'] } })

const query = (path: string, values: Record<string, string | number>): string =>
  `${path}?${Object.entries(values)
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`)
    .join('&')}`

const validate = (shop: Shop, values: Record<string, string | number>) =>
  asClient(shop, 'GET', query('/client/v1/validate', values))

describe('GET /client/v1/validate', () => {
  test('reads the whole request from its query', async () => {
    const shop = await newShop()
    const mug = await newProduct(shop, 'Mug', { price: 500 })
    await newDiscount(shop, 'TEN', percentOff(10))
    const { status, body } = await validate(shop, {
      code: ' T\tEN\n ',
      'item[1][source_id]': 'tea',
      'item[1][related_object]': 'product',
      'item[1][price]': 300,
      'item[1][quantity]': 3,
      'item[0][product_id]': mug.id,
      'order[metadata][channel]': 'web',
      'customer[source_id]': 'anna',
    })
    expect(status).toBe(200)
    expect(body).toMatchObject({
      valid: true,
      code: 'TEN',
      tracking_id: expect.stringMatching(/^track_/),
      order: {
        amount: 1400,
        total_amount: 1260,
        metadata: { channel: 'web' },
        items: [
          { product_id: mug.id, quantity: 1, amount: 500 },
          { source_id: 'tea', quantity: 3, amount: 900 },
        ],
      },
    })
    expect(await validate(shop, { code: 'TEN', amount: 2000 })).toMatchObject({
      body: { valid: true, order: { amount: 2000, total_amount: 1800 } },
    })
    expect((await validate(shop, { code: 'TEN' })).body).not.toHaveProperty('order')
  })

  test.each([' TWO WORDS', '\u00a0TWO WORDS\r\n', 'TWO\t WOR\u0001DS'])(
    'finds a code of two words sent as %j',
    async (code) => {
      const shop = await newShop()
      await newDiscount(shop, 'TWO WORDS', percentOff(10))
      await newDiscount(shop, 'TWOWORDS', percentOff(20))
      expect(await validate(shop, { code })).toMatchObject({ status: 200, body: { valid: true, code: 'TWO WORDS' } })
    },
  )

  test('answers an invalid code as the server side does', async () => {
    const shop = await newShop()
    await newDiscount(shop, 'OLD', percentOff(10), { expiration_date: '2020-01-01T00:00:00.000Z' })
    const say = (reason: string, key: string) => ({ status: 200, body: { valid: false, reason, error: { key } } })
    expect(await validate(shop, { code: 'OLD' })).toMatchObject(say('voucher expired', 'voucher_expired'))
    expect(await validate(shop, { code: 'NO' })).toMatchObject(say('voucher not found', 'not_found'))
  })

  test('converts metadata to the types of the schemas, so that rules can compare them', async () => {
    const shop = await newShop()
    for (const [relatedObject, name] of Object.entries({ customer: 'age', order: 'seats', redemption: 'desk' })) {
      const properties = { [name]: { type: 'number', array: false, optional: true } }
      expect(
        await shop.manage('POST', '/metadata-schemas', { related_object: relatedObject, properties }),
      ).toMatchObject({
        status: 200,
      })
    }
    await newDiscount(shop, 'TEN', percentOff(10))
    for (const [name, property] of [
      ['customer.metadata', 'age'],
      ['order.metadata', 'seats'],
      ['redemption.metadata', 'desk'],
    ] as const)
      await newRule(shop, when(name, { $more_than: [9] }, { property }), { voucher: 'TEN' })
    const asked = (age: string, seats: string, desk: string) =>
      validate(shop, {
        code: 'TEN',
        amount: 100,
        'customer[source_id]': 'anna',
        'customer[metadata][age]': age,
        'order[metadata][seats]': seats,
        'metadata[desk]': desk,
      })
    expect(await asked('10', '11', '12')).toMatchObject({ body: { valid: true, order: { metadata: { seats: 11 } } } })
    expect(await asked('9', '11', '12')).toMatchObject({ body: { valid: false } })
    expect(await asked('10', '9', '12')).toMatchObject({ body: { valid: false } })
    expect(await asked('10', '11', '9')).toMatchObject({ body: { valid: false } })
    expect(await asked('10', 'many', '12')).toMatchObject({ status: 400, body: { key: 'metadata_validation_failed' } })
  })

  test('finds a customer by id, source id or tracking id', async () => {
    const shop = await newShop()
    await newDiscount(shop, 'VIP', percentOff(10))
    await newRule(shop, when('customer.metadata', { $is: ['gold'] }, { property: 'level' }), { voucher: 'VIP' })
    const { id } = await ok(shop, 'POST', '/v1/customers', { source_id: 'anna', metadata: { level: 'gold' } })
    const { tracking_id } = (await validate(shop, { code: 'VIP', amount: 10, customer: 'anna' })).body
    const named: Array<Record<string, string>> = [
      { customer: id },
      { customer: tracking_id },
      { 'customer[source_id]': tracking_id },
      { tracking_id },
      { tracking_id: 'anna' },
    ]
    for (const one of named)
      expect(await validate(shop, { code: 'VIP', ...one }), JSON.stringify(one)).toMatchObject({
        body: { valid: true, tracking_id },
      })
    expect(await validate(shop, { code: 'VIP', 'customer[source_id]': 'bert', tracking_id })).toMatchObject({
      status: 400,
      body: { key: 'ambiguous_tracking_id', message: `Ambiguous trackingId ('${tracking_id}' vs. 'bert')` },
    })
    expect(await validate(shop, { code: 'VIP' })).toMatchObject({ status: 400, body: { key: 'missing_customer' } })
    await shop.service.runtime.deferred.flush()
    const events = await eventsOf(shop, 'customer.validation.')
    expect(events).toHaveLength(1 + named.length)
    expect(events[0]).toMatchObject({ type: 'customer.validation.succeeded', entity_id: id })
  })

  test('opens a session that holds the code', async () => {
    const shop = await newShop()
    await newDiscount(shop, 'ONE', amountOff(10), { redemption: { quantity: 1 } })
    const session = { session_type: 'LOCK', session_key: 'S', session_ttl: 0.5, session_ttl_unit: 'HOURS' }
    expect(await validate(shop, { code: 'ONE', ...session })).toMatchObject({
      body: { valid: true, session: { type: 'LOCK', key: 'S', ttl: 0.5, ttl_unit: 'HOURS' } },
    })
    expect(await validate(shop, { code: 'ONE' })).toMatchObject({ body: { valid: false, reason: 'quantity exceeded' } })
    expect(await validate(shop, { code: 'ONE', session_key: 'S' })).toMatchObject({ body: { valid: true } })
    shop.service.clock.advance(1_800_001)
    // Of the usual 7 days, the client side gets one hour.
    expect(await validate(shop, { code: 'ONE', session_type: 'LOCK' })).toMatchObject({
      body: { session: { key: expect.stringMatching(/^ssn_/), ttl: 60, ttl_unit: 'MINUTES' } },
    })
    shop.service.clock.advance(3_600_001)
    expect(await validate(shop, { code: 'ONE' })).toMatchObject({ body: { valid: true } })
  })

  test('uses as many credits or points as possible', async () => {
    const shop = await newShop()
    await newGiftCard(shop, 'GIFT', 700)
    expect(await validate(shop, { code: 'GIFT', amount: 1000 })).toMatchObject({
      body: { gift: { amount: 700, balance: 700 }, order: { total_amount: 300 } },
    })
    const card = await newCard(shop, { points: 150, reward: { type: 'MATERIAL', parameters: {}, price: 10 } })
    expect(await validate(shop, { code: card.code, amount: 1000 })).toMatchObject({
      status: 400,
      body: { key: 'missing_reward' },
    })
    const parameters = { coin: { exchange_ratio: 3, points_ratio: 40 } }
    const { reward_id: id, assignment_id } = await newReward(shop, card.campaign_id, { type: 'COIN', parameters })
    await newReward(shop, card.campaign_id, {
      type: 'COIN',
      parameters: { coin: { exchange_ratio: 1, points_ratio: 1 } },
    })
    expect(await validate(shop, { code: card.code, amount: 1000 })).toMatchObject({
      body: {
        valid: true,
        loyalty: { points_cost: 120 },
        reward: { id, assignment_id, points: 120 },
        order: { total_amount: 100 },
      },
    })
  })

  test.each<[about: string, values: Record<string, string>, details: string]>([
    ['no code', {}, "Query should have required property 'code'"],
    ['a code of nothing', { code: ' \t' }, 'Property .code must NOT have fewer than 1 characters'],
    ['an amount of letters', { code: 'A', amount: 'many' }, 'Property .amount must be integer'],
    [
      'half a cent',
      { code: 'A', amount: '1.5' },
      'Property .amount must be integer: amounts are in minor units, so 1.5 is sent as 150',
    ],
    ['a quantity of letters', { code: 'A', 'item[0][quantity]': 'x' }, 'Property .item[0].quantity must be integer'],
    ['a negative quantity', { code: 'A', 'item[0][quantity]': '-1' }, 'Property .item[0].quantity must be >= 0'],
    [
      'another object',
      { code: 'A', 'item[0][related_object]': 'campaign' },
      'Property .item[0].related_object must be equal to one of the allowed values [ product, sku ]',
    ],
    [
      'another session',
      { code: 'A', session_type: 'OPEN' },
      'Property .session_type must be equal to one of the allowed values [ LOCK ]',
    ],
    [
      'a session of no time',
      { code: 'A', session_type: 'LOCK', session_ttl: '0' },
      'Property .session_ttl must be > 0',
    ],
    ['metadata of one word', { code: 'A', metadata: 'x' }, 'Property .metadata must be object'],
  ])('refuses %s', async (_, values, details) => {
    const shop = await newShop()
    await newDiscount(shop, 'A', percentOff(10))
    expect(await validate(shop, values)).toMatchObject({ status: 400, body: { key: 'invalid_query_params', details } })
  })

  test('refuses a negative amount with invalid_amount', async () => {
    const shop = await newShop()
    expect(await validate(shop, { code: 'A', amount: -1 })).toMatchObject({
      status: 400,
      body: { key: 'invalid_amount' },
    })
  })
})

test('GET /client/v1/promotions/validation lists the tiers that apply', async () => {
  const shop = await newShop()
  const campaign = await newPromotion(shop)
  await newTier(shop, campaign, { name: 'All' })
  const { id } = await newTier(shop, campaign, { name: 'Gold' })
  await newRule(shop, when('customer.metadata', { $is: ['gold'] }, { property: 'level' }), { promotion_tier: id })
  const namesFor = async (values: Record<string, string | number>) => {
    const answer = await asClient(shop, 'GET', query('/client/v1/promotions/validation', values))
    expect(answer, JSON.stringify(answer.body)).toMatchObject({ status: 200, body: { valid: true } })
    return answer.body.promotions.map((one: { name: string; order: { total_amount: number } }) => [
      one.name,
      one.order.total_amount,
    ])
  }
  expect(await namesFor({ amount: 1000 })).toEqual([['All', 900]])
  expect(await namesFor({ amount: 1000, 'customer[source_id]': 'anna', 'customer[metadata][level]': 'gold' })).toEqual([
    ['All', 900],
    ['Gold', 900],
  ])
  expect(await namesFor({ 'item[0][source_id]': 'tea', 'item[0][amount]': 500 })).toEqual([['All', 450]])
})
