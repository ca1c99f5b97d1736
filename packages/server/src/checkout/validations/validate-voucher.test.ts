import { describe, expect, test } from 'vitest'
import { newProject, type Shop } from '../../testing/app.ts'
import { newCampaign } from '../../testing/campaigns.ts'
import {
  amountOff,
  newCard,
  newCategory,
  newDiscount,
  newGiftCard,
  newProduct,
  newRule,
  percentOff,
  setStackingRules,
  when,
} from '../../testing/checkout.ts'
import { newOrder, ok } from '../../testing/orders.ts'
import { eventsOf } from '../../testing/promotions.ts'

const validate = (shop: Shop, code: string, body: object = {}) =>
  shop.call('POST', `/v1/vouchers/${encodeURIComponent(code)}/validate`, body)

const validated = (shop: Shop, code: string, body: object = {}) =>
  ok(shop, 'POST', `/v1/vouchers/${encodeURIComponent(code)}/validate`, body)

const order = { amount: 1000 }
const nothing = { object: 'list', data_ref: 'data', data: [], total: 0 }

describe('a valid voucher shows its effect', () => {
  test('a discount, on an order', async () => {
    const shop = await newProject()
    await newDiscount(shop, 'TEN', percentOff(10), {
      metadata: { color: 'red' },
      start_date: '2020-01-01T00:00:00.000Z',
      expiration_date: '2199-01-01T00:00:00.000Z',
    })
    const body = await validated(shop, 'TEN', { order: { ...order, metadata: { channel: 'web' } } })
    expect(body).toEqual({
      valid: true,
      code: 'TEN',
      applicable_to: nothing,
      inapplicable_to: nothing,
      order: {
        amount: 1000,
        initial_amount: 1000,
        discount_amount: 100,
        items_discount_amount: 0,
        total_discount_amount: 100,
        total_amount: 900,
        applied_discount_amount: 100,
        items_applied_discount_amount: 0,
        total_applied_discount_amount: 100,
        items: [],
        metadata: { channel: 'web' },
        customer_id: null,
        referrer_id: null,
        object: 'order',
      },
      discount: { type: 'PERCENT', effect: 'APPLY_TO_ORDER', percent_off: 10, is_dynamic: false },
      start_date: '2020-01-01T00:00:00.000Z',
      expiration_date: '2199-01-01T00:00:00.000Z',
      metadata: { color: 'red' },
    })
  })

  test('by its id too, and in any case if codes are case-insensitive', async () => {
    const shop = await newProject({ project: { case_sensitive_codes: false } })
    const { id } = await newDiscount(shop, 'Ten', percentOff(10))
    for (const name of [id, 'tEN']) expect(await validated(shop, name)).toMatchObject({ valid: true, code: 'Ten' })
    expect(await validated(shop, id)).not.toHaveProperty('order')
  })

  test('with its campaign, and its categories with expand', async () => {
    const shop = await newProject()
    const category = await newCategory(shop, 'Outlet', 2)
    await setStackingRules(shop, { exclusive_categories: [category.id] })
    const campaign = await newCampaign(shop, 'Spring', { type: 'AUTO_UPDATE', category_id: category.id })
    const { code } = await ok(shop, 'POST', `/v1/campaigns/${campaign.id}/vouchers`, {})
    const plain = await validated(shop, code, { order })
    expect(plain).toMatchObject({ valid: true, campaign: 'Spring', campaign_id: campaign.id })
    expect(plain).not.toHaveProperty('categories')
    const expanded = await validated(shop, code, { order, options: { expand: ['category'] } })
    expect(expanded.categories).toEqual([{ ...category, stacking_rules_type: 'EXCLUSIVE' }])
    expect(expanded).toHaveProperty('order')
  })

  test('credits of a gift card: those requested, or as many as the order needs', async () => {
    const shop = await newProject()
    await newGiftCard(shop, 'GIFT', 1500)
    const gift = { amount: 1500, balance: 1500, effect: 'APPLY_TO_ORDER' }
    const some = await validated(shop, 'GIFT', { order, gift: { credits: '300' } })
    expect(some).toMatchObject({ valid: true, gift, order: { total_amount: 700 } })
    expect(some).not.toHaveProperty('discount')
    expect(await validated(shop, 'GIFT', { order })).toMatchObject({ gift, order: { total_amount: 0 } })
    expect(await validated(shop, 'GIFT', { order, gift: { credits: 1501 } })).toMatchObject({
      valid: false,
      reason: 'gift amount exceeded',
      error: { code: 400, key: 'gift_amount_exceeded' },
    })
  })

  test('points of a loyalty card, and their reward', async () => {
    const shop = await newProject()
    const card = await newCard(shop, { points: 150, coin: { exchange_ratio: 3, points_ratio: 40 } })
    const { reward_id, assignment_id, source_id } = card
    const body = await validated(shop, card.code, { order: { amount: 2500 }, reward: { id: reward_id, points: 100 } })
    expect(body).toMatchObject({
      valid: true,
      loyalty: { points_cost: 80 },
      reward: { id: reward_id, assignment_id, points: 80 },
      order: { total_amount: 1900 },
    })
    expect(body).not.toHaveProperty('discount')
    // The customer defaults to the holder of the card.
    expect(body.tracking_id).toMatch(/^track_/)
    const other = await validated(shop, card.code, { order, reward: { assignment_id }, customer: { source_id: 'no' } })
    expect(other).toMatchObject({ valid: false, error: { key: 'invalid_customer' } })
    expect(
      await validated(shop, card.code, { order, reward: { id: 'rew_none' }, customer: { source_id } }),
    ).toMatchObject({
      valid: false,
      reason: 'Resource not found',
      error: { code: 404, key: 'not_found', resource_type: 'reward' },
    })
  })

  test('the goods that rules cover', async () => {
    const shop = await newProject()
    const mug = await newProduct(shop, 'Mug', { price: 500 })
    await newDiscount(shop, 'MUG', amountOff(200))
    await newRule(shop, { applicable_to: { included: [{ object: 'product', id: mug.id }] } }, { voucher: 'MUG' })
    const items = [{ product_id: mug.id }, { source_id: 'tea', price: 300 }]
    expect(await validated(shop, 'MUG', { order: { items } })).toMatchObject({
      applicable_to: { data: [{ object: 'product', id: mug.id, order_item_indices: [0] }], total: 1 },
      order: { items: [{ subtotal_amount: 300 }, { subtotal_amount: 300 }], total_amount: 600 },
    })
  })
})

test('stacking limits and the no-effect rule do not apply, calculation modes and ONCE do', async () => {
  const shop = await newProject()
  const category = await newCategory(shop, 'Outlet')
  const mug = await newProduct(shop, 'Mug', { price: 500 })
  await setStackingRules(shop, {
    redeemables_no_effect_rule: 'SKIP',
    discount_calculation_mode: 'INITIAL_AMOUNT',
    redeemables_products_application_mode: 'ONCE',
    exclusive_categories: [category.id],
  })
  await newDiscount(shop, 'NIL', amountOff(0), { category_id: category.id })
  await newDiscount(shop, 'TEN', percentOff(10))
  await newDiscount(shop, 'EACH', percentOff(10, { effect: 'APPLY_TO_ITEMS' }))
  expect(await validated(shop, 'NIL', { order })).toMatchObject({ valid: true, order: { total_amount: 1000 } })
  expect(await validated(shop, 'TEN', { order: { amount: 1000, discount_amount: 500 } })).toMatchObject({
    order: { applied_discount_amount: 100, total_amount: 400 },
  })
  const { id } = await newOrder(shop, { items: [{ product_id: mug.id, quantity: 2 }] })
  await shop.service.runtime.database.db
    .updateTable('orders')
    .set({ discounted_goods: JSON.stringify({ [mug.id]: 1 }) as never })
    .where('project_id', '=', shop.project_id)
    .where('id', '=', id)
    .execute()
  expect(await validated(shop, 'EACH', { order: { id } })).toMatchObject({
    valid: true,
    order: { id, status: 'CREATED', items_applied_discount_amount: 0 },
  })
})

describe('an invalid voucher shows the reason', () => {
  test('it is unknown', async () => {
    const shop = await newProject()
    const answer = await validate(shop, 'NOWHERE', { order, customer: { source_id: 'anna' } })
    expect(answer).toMatchObject({ status: 200 })
    expect(answer.body).toEqual({
      valid: false,
      code: 'NOWHERE',
      reason: 'voucher not found',
      error: {
        code: 404,
        key: 'not_found',
        message: 'Resource not found',
        details: 'Cannot find voucher with id NOWHERE',
        resource_id: 'NOWHERE',
        resource_type: 'voucher',
        redeemable_id: 'NOWHERE',
        redeemable_type: 'voucher',
        request_id: answer.headers['x-request-id'],
      },
      tracking_id: expect.stringMatching(/^track_/),
      metadata: {},
    })
  })

  test('it has expired', async () => {
    const shop = await newProject()
    const { id } = await newDiscount(shop, 'OLD', percentOff(10), {
      expiration_date: '2020-01-01T00:00:00.000Z',
      metadata: { color: 'red' },
    })
    const { body } = await validate(shop, 'OLD', { order })
    expect(body).toEqual({
      valid: false,
      code: 'OLD',
      reason: 'voucher expired',
      error: {
        code: 400,
        key: 'voucher_expired',
        message: 'voucher expired',
        details: 'OLD',
        resource_id: id,
        resource_type: 'voucher',
        redeemable_id: 'OLD',
        redeemable_type: 'voucher',
        request_id: expect.stringMatching(/^v-/),
      },
      metadata: { color: 'red' },
    })
  })

  test("a rule is violated, with the shop's custom error message", async () => {
    const shop = await newProject()
    await newDiscount(shop, 'BIG', percentOff(10))
    const error = { message: 'Spend more' }
    await newRule(shop, when('order.amount', { $more_than: [5000] }, { error }), { voucher: 'BIG' })
    expect(await validated(shop, 'BIG', { order })).toMatchObject({
      valid: false,
      reason: 'order does not match validation rules',
      error: { key: 'order_rules_violated', details: expect.stringMatching(/val_/), error },
    })
  })
})

describe('a request that lacks an input is refused', () => {
  const customerRule = when('customer.metadata', { $is: ['x'] }, { property: 'vip' })
  const cases: Array<[key: string, prepare: (shop: Shop) => Promise<[code: string, body: object]>]> = [
    ['missing_customer', async (shop) => [await ruled(shop, customerRule), { order }]],
    ['missing_order', async (shop) => [await ruled(shop, when('order.amount', { $more_than: [1] })), {}]],
    ['missing_amount', async (shop) => [await ruled(shop, when('order.amount', { $more_than: [1] })), { order: {} }]],
    [
      'missing_order_items',
      async (shop) => [
        await ruled(shop, when('order.items.any', { $is: [{ id: 'prod_1', object: 'product' }] })),
        { order },
      ],
    ],
    ['missing_reward', async (shop) => [(await newCard(shop, { points: 10 })).code, { order }]],
    [
      'missing_order_items_amount',
      async (shop) => {
        await newGiftCard(shop, 'G', 100, { effect: 'APPLY_TO_ITEMS' })
        return ['G', { order }]
      },
    ],
  ]
  async function ruled(shop: Shop, rule: object): Promise<string> {
    await newDiscount(shop, 'R', percentOff(10))
    await newRule(shop, rule, { voucher: 'R' })
    return 'R'
  }

  test.each(cases)('%s', async (key, prepare) => {
    const shop = await newProject()
    const [code, body] = await prepare(shop)
    const refused = await validate(shop, code, body)
    expect(refused).toMatchObject({ status: 400, body: { code: 400, key, redeemable_id: code } })
    expect(refused.body).not.toHaveProperty('explanation')
    const explained = await validate(shop, code, { ...body, options: { explain: true } })
    expect(explained.body).toMatchObject({ key, explanation: [{ id: code, reason: { key } }] })
  })

  test.each<[about: string, body: object, status: number, error: object]>([
    ['credits that are not a number', { gift: { credits: 'many' } }, 400, { key: 'invalid_gift' }],
    ['a negative amount', { order: { amount: -1 } }, 400, { key: 'invalid_amount' }],
    ['an unknown order', { order: { id: 'ord_none' } }, 404, { key: 'not_found', resource_type: 'order' }],
    ['a customer that is no object or string', { customer: 5 }, 400, { key: 'invalid_payload' }],
    ['an unknown session type', { session: { type: 'KEY' } }, 400, { key: 'invalid_payload' }],
    [
      'a tracking id of another customer',
      { customer: { source_id: 'anna' }, tracking_id: 'bert' },
      400,
      { key: 'ambiguous_tracking_id', message: "Ambiguous trackingId ('bert' vs. 'anna')" },
    ],
    [
      'a session with as_of',
      { session: { type: 'LOCK' }, options: { as_of: '2030-01-01' } },
      400,
      { key: 'invalid_payload' },
    ],
  ])('%s', async (_, body, status, error) => {
    const shop = await newProject()
    await newDiscount(shop, 'TEN', percentOff(10))
    expect(await validate(shop, 'TEN', body)).toMatchObject({ status, body: error })
  })

  test('metadata that a redemption would refuse', async () => {
    const shop = await newProject()
    await newDiscount(shop, 'TEN', percentOff(10))
    for (const relatedObject of ['redemption', 'order'])
      await shop.manage('POST', '/metadata-schemas', {
        related_object: relatedObject,
        properties: { seats: { type: 'number', array: false, optional: false } },
      })
    const fine = { metadata: { seats: 2 }, order: { ...order, metadata: { seats: 3 } } }
    expect(await validated(shop, 'TEN', fine)).toMatchObject({ valid: true })
    for (const body of [
      { ...fine, metadata: { seats: 'two' } },
      { ...fine, order: { ...order, metadata: {} } },
    ])
      expect(await validate(shop, 'TEN', body)).toMatchObject({
        status: 400,
        body: { key: 'metadata_validation_failed' },
      })
  })
})

test('a customer can be named by id, source id or tracking id, and is neither created nor updated', async () => {
  const shop = await newProject()
  await newDiscount(shop, 'VIP', percentOff(10))
  await newRule(shop, when('customer.metadata', { $is: ['gold'] }, { property: 'level' }), { voucher: 'VIP' })
  const anna = await ok(shop, 'POST', '/v1/customers', { source_id: 'anna', metadata: { level: 'gold' } })
  const first = await validated(shop, 'VIP', { order, customer: { source_id: 'anna' } })
  expect(first).toMatchObject({ valid: true, order: { customer_id: anna.id } })
  const { tracking_id } = first
  for (const named of [{ tracking_id }, { customer: { source_id: tracking_id } }, { customer: anna.id }])
    expect(await validated(shop, 'VIP', { order, ...named })).toMatchObject({ valid: true, tracking_id })
  expect(await validated(shop, 'VIP', { order, customer: { id: anna.id, metadata: { level: 'tin' } } })).toMatchObject({
    valid: false,
    reason: 'customer does not match validation rules',
  })
  expect(
    await validated(shop, 'VIP', { order, customer: { source_id: 'new', metadata: { level: 'gold' } } }),
  ).toMatchObject({ valid: true, order: { customer_id: null } })
  const { total, customers } = await ok(shop, 'GET', '/v1/customers')
  expect({ total, level: customers[0].metadata.level }).toEqual({ total: 1, level: 'gold' })
})

test('a validation emits an event of the customer, and counts for the campaign', async () => {
  const shop = await newProject()
  const { runtime } = shop.service
  const campaign = await newCampaign(shop, 'Spring', { type: 'AUTO_UPDATE' })
  const { code } = await ok(shop, 'POST', `/v1/campaigns/${campaign.id}/vouchers`, {})
  await newRule(shop, when('order.amount', { $more_than: [500] }), { voucher: code })
  const { id } = await ok(shop, 'POST', '/v1/customers', { source_id: 'anna' })
  const customer = { source_id: 'anna' }
  await validated(shop, code, { order, customer })
  await validated(shop, code, { order: { amount: 100 }, customer })
  await validated(shop, code, { order: { amount: 100 }, customer: { source_id: 'unknown' } })
  await validate(shop, code, { customer }) // refused, so nothing is recorded
  await validated(shop, code, { order, customer, options: { as_of: '2030-01-01' } }) // a simulation
  await runtime.deferred.flush()
  const events = await eventsOf(shop, 'customer.validation.')
  expect(events.map(({ type, entity_id }) => [type, entity_id])).toEqual([
    ['customer.validation.succeeded', id],
    ['customer.validation.failed', id],
  ])
  expect(events.map(({ data }) => data.validation)).toMatchObject([
    { valid: true, code },
    { valid: false, code, error: { key: 'order_rules_violated' } },
  ])
  const summary = await ok(shop, 'GET', `/v1/campaigns/${campaign.id}/summary`)
  expect(summary).toMatchObject({ validations_succeeded: 1, validations_failed: 2 })
})

test('options.explain and options.as_of are accepted', async () => {
  const shop = await newProject()
  await newDiscount(shop, 'SOON', percentOff(10), { start_date: '2190-01-01T00:00:00.000Z' })
  const options = { explain: true }
  expect(await validated(shop, 'SOON', { order, options })).toMatchObject({
    valid: false,
    reason: 'voucher is not active yet',
    explanation: { status: 'INAPPLICABLE', sentence: expect.stringContaining('SOON') },
  })
  const then = await validated(shop, 'SOON', { order, options: { ...options, as_of: '2190-06-01' } })
  expect(then).toMatchObject({ valid: true, explanation: { status: 'APPLICABLE', amount: 100 } })
  expect(await validated(shop, 'SOON', { order })).not.toHaveProperty('explanation')
})
