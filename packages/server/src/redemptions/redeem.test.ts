// @embedded: the statements of a checkout, and the SQLSTATE of a refusal
import { describe, expect, test } from 'vitest'
import { nextConfigurationVersion } from '../core/db/configuration.ts'
import { inTransaction } from '../core/db/transaction.ts'
import { trackingName } from '../core/http/tracking-id.ts'
import { newProject, type Shop } from '../testing/app.ts'
import { newCampaign } from '../testing/campaigns.ts'
import {
  amountOff,
  asClient,
  newCard,
  newDiscount,
  newGiftCard,
  newProduct,
  newRule,
  newStack,
  percentOff,
  redeem,
  redeemed,
  setStackingRules,
  stack,
  validated,
  voucher,
  vouchers,
  when,
} from '../testing/checkout.ts'
import { ok } from '../testing/orders.ts'
import { eventsOf } from '../testing/promotions.ts'

const instant = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)

const typesSince = async (shop: Shop, entityId?: string): Promise<string[]> => {
  const rows = await shop.service.runtime.database.db
    .selectFrom('events')
    .where('project_id', '=', shop.project_id)
    .$if(entityId !== undefined, (query) => query.where('entity_id', '=', entityId as string))
    .orderBy('id')
    .select('type')
    .execute()
  return rows.map(({ type }) => type)
}

const countOf = async (shop: Shop, table: 'customers' | 'orders' | 'redemptions' | 'products'): Promise<number> => {
  const { count } = await shop.service.runtime.database.db
    .selectFrom(table)
    .where('project_id', '=', shop.project_id)
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return count
}

describe('the customer of a redemption (docs/reference/requests.md#customer)', () => {
  test('an unknown customer id is refused, and nothing is stored', async () => {
    const shop = await newProject()
    await newDiscount(shop, 'TEN', amountOff(10))
    const body = { redeemables: vouchers('TEN'), order: { amount: 100 }, customer: { id: 'cust_unknown' } }
    expect(await redeem(shop, body)).toMatchObject({
      status: 404,
      body: { key: 'not_found', resource_type: 'customer', resource_id: 'cust_unknown' },
    })
    expect(await countOf(shop, 'redemptions')).toBe(0)
    expect(await validated(shop, body)).toMatchObject({ valid: true, order: { customer_id: null } })
  })

  test('a customer with an unknown source id is created, a known one is updated key by key', async () => {
    const shop = await newProject()
    await newDiscount(shop, 'TEN', amountOff(10))
    const first = await redeemed(shop, {
      redeemables: vouchers('TEN'),
      order: { amount: 100 },
      customer: { source_id: 'ann', name: 'Ann', metadata: { a: 1, b: 1 } },
    })
    const { customer_id } = first.redemptions[0]
    const second = await redeemed(shop, {
      redeemables: vouchers('TEN'),
      order: { amount: 100 },
      customer: { source_id: 'ann', email: 'ann@example.com', metadata: { b: 2 } },
    })
    expect(second.redemptions[0].customer).toEqual({
      id: customer_id,
      name: 'Ann',
      email: 'ann@example.com',
      source_id: 'ann',
      metadata: { a: 1, b: 2 },
      object: 'customer',
    })
    expect(await ok(shop, 'GET', '/v1/customers/ann')).toMatchObject({
      id: customer_id,
      name: 'Ann',
      email: 'ann@example.com',
      metadata: { a: 1, b: 2 },
      summary: {
        redemptions: { total_redeemed: 2, total_succeeded: 2 },
        orders: { total_count: 2, total_amount: 200, last_order_amount: 100 },
      },
    })
    const types = await typesSince(shop, customer_id)
    expect(types.filter((type) => type.startsWith('customer.created') || type === 'customer.updated')).toEqual([
      'customer.created',
      'customer.updated',
    ])
  })

  test('customer omitted, anonymous, or given as a plain string', async () => {
    const shop = await newProject()
    await newDiscount(shop, 'TEN', amountOff(10))
    const by = async (customer: unknown) =>
      (await redeemed(shop, { redeemables: vouchers('TEN'), order: { amount: 100 }, customer })).redemptions[0]
    expect(await by(undefined)).toMatchObject({ customer_id: null, customer: null, tracking_id: null })
    expect(await by({})).toMatchObject({ customer_id: null })
    const nameless = await by({ name: 'No Source' })
    expect(nameless).toMatchObject({ customer: { name: 'No Source', source_id: null }, tracking_id: null })
    expect((await by({ name: 'No Source' })).customer_id).not.toBe(nameless.customer_id)
    const texted = await by('bob')
    expect(texted).toMatchObject({ customer: { source_id: 'bob' } })
    expect((await by(texted.customer_id)).customer_id).toBe(texted.customer_id)
    expect(await countOf(shop, 'customers')).toBe(3)
  })

  test('a tracking id is accepted in place of a source id, and must not contradict another id', async () => {
    const shop = await newProject()
    await newDiscount(shop, 'TEN', amountOff(10))
    const order = { amount: 100 }
    const { redemptions } = await redeemed(shop, {
      redeemables: vouchers('TEN'),
      order,
      customer: { source_id: 'ann' },
    })
    const { tracking_id, customer_id } = redemptions[0]
    expect(tracking_id).toMatch(/^track_/)
    for (const named of [{ tracking_id }, { customer: { source_id: tracking_id } }, { tracking_id: 'ann' }])
      expect((await redeemed(shop, { redeemables: vouchers('TEN'), order, ...named })).redemptions[0]).toMatchObject({
        customer_id,
        tracking_id,
      })
    for (const customer of [{ source_id: 'bob' }, { id: customer_id, source_id: 'ann' }]) {
      const answer = await redeem(shop, { redeemables: vouchers('TEN'), order, customer, tracking_id })
      expect(answer.status).toBe('id' in customer ? 200 : 400)
    }
    expect(
      await redeem(shop, { redeemables: vouchers('TEN'), order, customer: { id: customer_id }, tracking_id: 'other' }),
    ).toMatchObject({ status: 400, body: { key: 'ambiguous_tracking_id' } })
    // Another project has another tracking id for the same source id.
    expect(trackingName({ tracking_secret: 'x' }, 'ann')).not.toBe(tracking_id)
  })

  test('a profile without an id belongs to the customer of the request', async () => {
    const shop = await newProject()
    await newDiscount(shop, 'TEN', amountOff(10))
    const first = await redeemed(shop, {
      redeemables: vouchers('TEN'),
      order: { amount: 100 },
      customer: { source_id: 'ann' },
    })
    const ann = first.redemptions[0].customer_id
    const customer = { metadata: { seen: true } }
    for (const more of [
      { tracking_id: 'ann', order: { amount: 100 } },
      { order: { amount: 100, customer_id: ann } },
      { order: { amount: 100, customer: 'ann' } },
      { order: { id: first.order.id } },
    ]) {
      const { redemptions, order } = await redeemed(shop, { redeemables: vouchers('TEN'), customer, ...more })
      expect([redemptions[0].customer_id, order.customer_id], JSON.stringify(more)).toEqual([ann, ann])
    }
    expect(await ok(shop, 'GET', '/v1/customers/ann')).toMatchObject({ metadata: { seen: true } })
    expect(await countOf(shop, 'customers')).toBe(1)
    const card = await newCard(shop, { points: 100 })
    const paid = await redeemed(shop, {
      redeemables: [voucher(card.code, { reward: { id: card.reward_id } })],
      order: { amount: 100 },
      customer,
    })
    expect(paid.redemptions[0].customer_id).toBe(card.customer_id)
    for (const contradicting of ['bob', { source_id: 'bob' }])
      expect(
        (await redeem(shop, { redeemables: vouchers('TEN'), customer: contradicting, tracking_id: 'ann' })).body.key,
      ).toBe('ambiguous_tracking_id')
  })

  test('required metadata must be sent', async () => {
    const shop = await newProject()
    await newDiscount(shop, 'TEN', amountOff(10))
    for (const relatedObject of ['redemption', 'order', 'customer'])
      expect(
        await shop.manage('POST', '/metadata-schemas', {
          related_object: relatedObject,
          properties: { need: { type: 'string', array: false, optional: false } },
        }),
      ).toMatchObject({ status: 200 })
    const whole = {
      metadata: { need: 'a' },
      order: { amount: 100, metadata: { need: 'a' } },
      customer: { source_id: 'ann', metadata: { need: 'a' } },
    }
    for (const lacking of [{ metadata: undefined }, { order: { amount: 100 } }, { customer: { source_id: 'ann' } }]) {
      const body = { redeemables: vouchers('TEN'), ...whole, ...lacking }
      expect((await redeem(shop, body)).body.key, JSON.stringify(lacking)).toBe('metadata_validation_failed')
      expect(await validated(shop, body)).toMatchObject({ valid: true })
    }
    await redeemed(shop, { redeemables: vouchers('TEN'), ...whole })
    // Stored metadata need not be sent again.
    const { customer } = whole
    await redeemed(shop, {
      redeemables: vouchers('TEN'),
      metadata: { need: 'a' },
      customer: { source_id: customer.source_id },
    })
  })

  test('metadata that violate a schema are refused, and nothing is stored', async () => {
    const shop = await newProject()
    await newDiscount(shop, 'TEN', amountOff(10))
    for (const relatedObject of ['redemption', 'customer', 'order', 'order_item'])
      expect(
        await shop.manage('POST', '/metadata-schemas', {
          related_object: relatedObject,
          allow_defined_only: true,
          properties: { n: { type: 'number', array: false, optional: true } },
        }),
      ).toMatchObject({ status: 200 })
    const wrong = { n: 'text' }
    for (const body of [
      { metadata: wrong },
      { customer: { source_id: 'ann', metadata: wrong } },
      { order: { amount: 1, metadata: wrong } },
      { order: { items: [{ source_id: 'a', quantity: 1, price: 1, metadata: wrong }] } },
    ])
      expect(await redeem(shop, { redeemables: vouchers('TEN'), ...body }), JSON.stringify(body)).toMatchObject({
        status: 400,
        body: { key: 'metadata_validation_failed' },
      })
    expect([
      await countOf(shop, 'redemptions'),
      await countOf(shop, 'customers'),
      await countOf(shop, 'orders'),
    ]).toEqual([0, 0, 0])
    const right = { n: 1 }
    const { redemptions } = await redeemed(shop, { redeemables: vouchers('TEN'), metadata: right })
    expect(redemptions[0].metadata).toEqual(right)
  })
})

describe('the order of a redemption (docs/reference/requests.md#order and docs/reference/redemptions.md#state-changes)', () => {
  test('without an order in the request none is stored', async () => {
    const shop = await newProject()
    await newDiscount(shop, 'TEN', amountOff(10))
    const { order, redemptions } = await redeemed(shop, { redeemables: vouchers('TEN') })
    expect([order, redemptions[0].order]).toEqual([null, null])
    expect(await countOf(shop, 'orders')).toBe(0)
  })

  test('an order is created as PAID, and a later redemption by its id adds to it', async () => {
    const shop = await newProject()
    await newDiscount(shop, 'TEN', amountOff(1000))
    const items = [
      { source_id: 'mug', quantity: 2, price: 1250, metadata: { colour: 'blue' } },
      { source_id: 'tea', quantity: 1, price: 900 },
    ]
    const { order, redemptions } = await redeemed(shop, {
      redeemables: vouchers('TEN'),
      order: { source_id: 'o-1', items, metadata: { channel: 'web' } },
    })
    expect(order).toMatchObject({
      source_id: 'o-1',
      status: 'PAID',
      amount: 3400,
      discount_amount: 1000,
      total_amount: 2400,
      updated_at: null,
      metadata: { channel: 'web' },
      redemptions: { [redemptions[0].id]: { date: instant, related_object_type: 'voucher' } },
    })
    expect(await ok(shop, 'GET', `/v1/orders/${order.id}`)).toMatchObject({
      amount: 3400,
      total_amount: 2400,
      redemptions: order.redemptions,
      items: [{ metadata: { colour: 'blue' }, id: order.items[0].id }, { quantity: 1 }],
    })
    const again = await redeemed(shop, { redeemables: vouchers('TEN'), order: { id: order.id } })
    expect(again.order).toMatchObject({
      id: order.id,
      discount_amount: 2000,
      applied_discount_amount: 1000,
      total_amount: 1400,
      updated_at: instant,
    })
    expect(Object.keys(again.order.redemptions)).toHaveLength(2)
    // Referred to by its source id, the other properties sent are ignored.
    const bySource = { source_id: 'o-1', amount: 1, items: [], metadata: { other: true } }
    expect((await redeemed(shop, { redeemables: vouchers('TEN'), order: bySource })).order).toMatchObject({
      id: order.id,
      amount: 3400,
      total_amount: 400,
      metadata: { channel: 'web' },
    })
    // Referred to by its id, the properties sent replace the stored ones.
    const replaced = { id: order.id, items: [{ source_id: 'tea', quantity: 5, price: 900 }], discount_amount: 0 }
    expect((await redeemed(shop, { redeemables: vouchers('TEN'), order: replaced })).order).toMatchObject({
      amount: 4500,
      discount_amount: 1000,
      total_amount: 3500,
    })
  })

  test.each([
    ['CREATED', undefined, 'PAID'],
    ['FULFILLED', undefined, 'FULFILLED'],
    [undefined, 'FULFILLED', 'FULFILLED'],
    [undefined, 'CANCELED', 'PAID'],
  ])('an order stored as %s and sent as %s becomes %s', async (stored, status, expected) => {
    const shop = await newProject()
    await newDiscount(shop, 'TEN', amountOff(10))
    const known = stored && (await ok(shop, 'POST', '/v1/orders', { amount: 100, status: stored }))
    const order = known === undefined ? { amount: 100, status } : { id: known.id }
    expect((await redeemed(shop, { redeemables: vouchers('TEN'), order })).order.status).toBe(expected)
  })

  test('an unknown order id is answered 404, and impossible amounts are refused', async () => {
    const shop = await newProject()
    await newDiscount(shop, 'TEN', amountOff(10))
    for (const [order, key] of [
      [{ id: 'ord_none' }, 'not_found'],
      [{ amount: -1 }, 'invalid_amount'],
      [{ amount: Number.MAX_SAFE_INTEGER + 1 }, 'invalid_amount'],
      [{ amount: '12a' }, 'invalid_payload'],
      [{ items: Array.from({ length: 501 }, () => ({ source_id: 'a' })) }, 'invalid_payload'],
      [{ items: [{ source_id: 'a', quantity: -1 }] }, 'invalid_payload'],
    ] as const)
      expect(
        (await redeem(shop, { redeemables: vouchers('TEN'), order })).body.key,
        JSON.stringify(order).slice(0, 80),
      ).toBe(key)
    expect(await countOf(shop, 'redemptions')).toBe(0)
    expect((await redeemed(shop, { redeemables: vouchers('TEN'), order: { amount: '120' } })).order.amount).toBe(120)
  })

  test('override updates the catalogue, unless the redemption fails or comes from the client side', async () => {
    const shop = await newProject({
      project: {
        client_redeem_enabled: true,
        client_create_customer_enabled: true,
        client_trusted_domains: ['shop.example'],
      },
    })
    await newDiscount(shop, 'TEN', amountOff(10))
    await newDiscount(shop, 'ONCE', amountOff(10), { redemption: { quantity: 1 } })
    const { id } = await newProduct(shop, 'Mug', { source_id: 'mug', price: 1000 })
    const items = (price: number) => [
      { product_id: id, quantity: 1, product: { override: true, price, name: 'Blue mug' } },
      { source_id: `new-${price}`, quantity: 1, product: { override: true, price } },
    ]
    const { order } = await redeemed(shop, { redeemables: vouchers('ONCE'), order: { items: items(1100) } })
    expect(order.amount).toBe(2200)
    expect(await ok(shop, 'GET', `/v1/products/${id}`)).toMatchObject({ price: 1100, name: 'Blue mug' })
    expect(await ok(shop, 'GET', '/v1/products/new-1100')).toMatchObject({ price: 1100 })

    const refused = await redeem(shop, { redeemables: vouchers('ONCE'), order: { items: items(1200) } })
    expect(refused).toMatchObject({ status: 400, body: { key: 'quantity_exceeded' } })
    expect(await ok(shop, 'GET', `/v1/products/${id}`)).toMatchObject({ price: 1100 })
    expect(await countOf(shop, 'redemptions')).toBe(2)

    const client = await asClient(shop, 'POST', '/client/v1/redemptions', {
      redeemables: vouchers('TEN'),
      order: { items: items(1300) },
    })
    expect(client.status, JSON.stringify(client.body)).toBe(200)
    expect(await ok(shop, 'GET', `/v1/products/${id}`)).toMatchObject({ price: 1100 })
  })
})

describe('stored failures (docs/reference/redemptions.md#failure)', () => {
  test('of an existing redeemable, of several, and of an unknown one', async () => {
    const shop = await newProject()
    await newDiscount(shop, 'GONE', amountOff(10), { expiration_date: '2020-01-01T00:00:00Z' })
    await newDiscount(shop, 'TEN', amountOff(10))
    const customer = { source_id: 'ann' }
    const single = await redeem(shop, { redeemables: vouchers('GONE'), customer, metadata: { a: 1 } })
    expect(single).toMatchObject({
      status: 400,
      body: {
        code: 400,
        key: 'voucher_expired',
        message: 'voucher expired',
        details: 'GONE',
        resource_type: 'redemption',
      },
    })
    expect(single.body.resource_id).toMatch(/^rf_/)
    expect(await countOf(shop, 'customers')).toBe(0)
    expect(await ok(shop, 'GET', `/v1/redemptions/${single.body.resource_id}`)).toMatchObject({
      result: 'FAILURE',
      status: 'FAILED',
      failure_code: 'voucher_expired',
      failure_message: 'voucher expired',
      order: null,
      customer_id: null,
      metadata: { a: 1 },
      related_object_type: 'voucher',
      voucher: { code: 'GONE' },
    })
    for (const [redeemables, status] of [
      [vouchers('TEN', 'GONE'), 400],
      [vouchers('NOPE'), 404],
    ] as const) {
      const { body } = await redeem(shop, { redeemables })
      expect(body.code).toBe(status)
      expect(await ok(shop, 'GET', `/v1/redemptions/${body.resource_id}`)).toMatchObject({
        related_object_type: 'redemption',
        related_object_id: body.resource_id,
        voucher: null,
      })
    }
    expect(await ok(shop, 'GET', '/v1/vouchers/TEN')).toMatchObject({ redemption: { redeemed_quantity: 0 } })
    expect((await typesSince(shop)).filter((type) => type === 'redemption.failed')).toHaveLength(3)
  })

  test('the endpoints for a single redeemable answer 404 for an unknown one, and store nothing', async () => {
    const shop = await newProject()
    for (const path of ['/v1/vouchers/NOPE/redemption', '/v1/promotions/tiers/promo_none/redemption'])
      expect(await shop.call('POST', path, { order: { amount: 1 } })).toMatchObject({
        status: 404,
        body: { key: 'not_found' },
      })
    expect(await countOf(shop, 'redemptions')).toBe(0)
  })

  test.each([
    ['no redeemables', [], 'invalid_payload'],
    ['31 redeemables', Array.from({ length: 31 }, (_, n) => voucher(`V${n}`)), 'invalid_payload'],
    ['a redeemable without an id', [{ object: 'voucher' }], 'invalid_payload'],
    ['the same redeemable twice', vouchers('TEN', 'TEN'), 'duplicated_redeemables'],
    ['a stack and something else', [stack('stack_1'), voucher('TEN')], 'invalid_redeemables'],
    ['credits that are not a number', [voucher('TEN', { gift: { credits: 'much' } })], 'invalid_gift'],
    ['zero points', [voucher('TEN', { reward: { id: 'rew_1', points: 0 } })], 'invalid_payload'],
  ])('%s: refused before the evaluation, and nothing is stored', async (_, redeemables, key) => {
    const shop = await newProject()
    await newDiscount(shop, 'TEN', amountOff(10))
    expect(await redeem(shop, { redeemables })).toMatchObject({ status: 400, body: { key } })
    expect(await countOf(shop, 'redemptions')).toBe(0)
  })

  test('a code and its id count as duplicates', async () => {
    const shop = await newProject()
    const { id } = await newDiscount(shop, 'TEN', amountOff(10))
    expect(await redeem(shop, { redeemables: [voucher('TEN'), voucher(id)] })).toMatchObject({
      body: { key: 'duplicated_redeemables' },
    })
    expect((await redeemed(shop, { redeemables: [voucher(id)] })).redemptions[0].voucher.code).toBe('TEN')
  })
})

describe('cards', () => {
  test('a gift card pays the requested credits, and its ledger shows it', async () => {
    const shop = await newProject()
    const { id } = await newGiftCard(shop, 'GIFT', 5000)
    const { redemptions, order } = await redeemed(shop, {
      redeemables: [voucher('GIFT', { gift: { credits: '1500.00' } })],
      order: { source_id: 'o-1', amount: 9000 },
      customer: { source_id: 'ann' },
    })
    expect(redemptions[0]).toMatchObject({
      amount: 1500,
      gift: { amount: 1500 },
      voucher: { gift: { amount: 5000, balance: 3500 }, redemption: { redeemed_quantity: 1, redeemed_amount: 1500 } },
    })
    expect(order).toMatchObject({ discount_amount: 1500, total_amount: 7500 })
    const { data } = await ok(shop, 'GET', '/v1/vouchers/GIFT/transactions')
    expect(data).toEqual([
      {
        id: expect.stringMatching(/^vtx_/),
        source_id: null,
        voucher_id: id,
        campaign_id: null,
        source: null,
        reason: null,
        type: 'CREDITS_REDEMPTION',
        details: {
          balance: {
            type: 'gift_voucher',
            total: 5000,
            amount: -1500,
            balance: 3500,
            operation_type: 'MANUAL',
            object: 'balance',
            related_object: { type: 'voucher', id },
          },
          order: { id: order.id, source_id: 'o-1' },
          redemption: { id: redemptions[0].id },
        },
        related_transaction_id: null,
        created_at: instant,
      },
    ])
    expect(await ok(shop, 'GET', '/v1/customers/ann')).toMatchObject({
      summary: { redemptions: { gift: { redeemed_amount: 1500 } } },
    })
    const [event] = await eventsOf(shop, 'voucher.gift.transaction.created')
    expect(event).toMatchObject({
      data: {
        transaction: { id: data[0].id },
        order: { id: order.id },
        redemption: { id: redemptions[0].id },
        balance: { amount: -1500, balance: 3500 },
      },
    })
    const { rows } = await postingsOf(shop, id)
    expect(rows).toEqual([
      { source: 'issued', destination: id, amount: 5000 },
      { source: id, destination: 'redeemed', amount: 1500 },
    ])
  })

  test('paying with points spends those that expire first', async () => {
    const shop = await newProject()
    const card = await newCard(shop, { points: 100, coin: { exchange_ratio: 0.5, points_ratio: 10 } })
    const { db } = shop.service.runtime.database
    await db
      .insertInto('lots')
      .values({
        project_id: shop.project_id,
        voucher_id: card.id as `v_${string}`,
        id: 'lopb_dated',
        points: 60,
        expires_at: '2099-01-01',
        created_at: new Date().toISOString(),
        updated_at: null,
      })
      .execute()
    await db
      .updateTable('vouchers')
      .set({ credits_added: 160 })
      .where('id', '=', card.id as `v_${string}`)
      .execute()
    const { redemptions, order } = await redeemed(shop, {
      redeemables: [voucher(card.code, { reward: { id: card.reward_id, points: 85 } })],
      order: { amount: 1000 },
    })
    expect(redemptions[0]).toMatchObject({
      amount: 80,
      loyalty_card: { points: 80 },
      customer_id: card.customer_id,
      reward: {
        id: card.reward_id,
        type: 'COIN',
        assignment_id: card.assignment_id,
        customer: { id: card.customer_id },
      },
      voucher: { loyalty_card: { balance: 80 }, redemption: { redeemed_points: 80 } },
    })
    expect(order).toMatchObject({ discount_amount: 400, total_amount: 600, customer_id: card.customer_id })
    const lots = await db
      .selectFrom('lots')
      .where('voucher_id', '=', card.id as `v_${string}`)
      .orderBy('id')
      .select(['points', 'expires_at'])
      .execute()
    expect(lots.map(({ points }) => points).sort((a, b) => a - b)).toEqual([0, 80])
    expect(await ok(shop, 'GET', `/v1/vouchers/${card.code}/transactions`)).toMatchObject({
      data: [
        {
          type: 'POINTS_REDEMPTION',
          details: { reward: { id: card.reward_id }, balance: { points: -80, balance: 80 } },
        },
      ],
    })
  })
})

/** A call of the client side. */
const postingsOf = async (shop: Shop, voucherId: string) => ({
  rows: await shop.service.runtime.database.db
    .selectFrom('postings')
    .where('project_id', '=', shop.project_id)
    .where('voucher_id', '=', voucherId as `v_${string}`)
    .orderBy('id')
    .select(['source', 'destination', 'amount'])
    .execute(),
})

describe('the response', () => {
  test('for several redeemables has children and a parent, each with the order after it', async () => {
    const shop = await newProject()
    await newDiscount(shop, 'A', percentOff(10))
    await newDiscount(shop, 'B', amountOff(500))
    const { redemptions, parent_redemption, order, inapplicable_redeemables, skipped_redeemables } = await redeemed(
      shop,
      {
        redeemables: vouchers('A', 'B'),
        order: { source_id: 'o', amount: 10000 },
        customer: { source_id: 'ann' },
      },
    )
    expect([inapplicable_redeemables, skipped_redeemables]).toEqual([[], []])
    expect(redemptions.map((one: { redemption: string }) => one.redemption)).toEqual([
      parent_redemption.id,
      parent_redemption.id,
    ])
    expect(redemptions[0].order).toEqual({
      id: order.id,
      source_id: 'o',
      amount: 10000,
      initial_amount: 10000,
      discount_amount: 1000,
      items_discount_amount: 0,
      total_discount_amount: 1000,
      total_amount: 9000,
      applied_discount_amount: 1000,
      items_applied_discount_amount: 0,
      total_applied_discount_amount: 1000,
      items: [],
      metadata: {},
      object: 'order',
    })
    expect(redemptions[1].order).toMatchObject({
      discount_amount: 1500,
      applied_discount_amount: 500,
      total_amount: 8500,
    })
    expect(parent_redemption).toMatchObject({
      related_object_type: 'redemption',
      related_object_id: parent_redemption.id,
      voucher: null,
      order: { status: 'PAID', total_amount: 8500, applied_discount_amount: 1500 },
    })
    expect(order.redemptions).toEqual({
      [parent_redemption.id]: {
        date: parent_redemption.date,
        related_object_type: 'redemption',
        related_object_id: parent_redemption.id,
        stacked: redemptions.map(({ id }: { id: string }) => id),
      },
    })
    const types = await typesSince(shop)
    expect(types.filter((type) => type === 'redemption.succeeded')).toHaveLength(3)
    expect(types.filter((type) => type === 'customer.redemption.succeeded')).toHaveLength(3)
    expect(types.filter((type) => type.startsWith('customer.order.'))).toEqual([
      'customer.order.created',
      'customer.order.paid',
    ])
    const [event] = await eventsOf(shop, 'redemption.succeeded')
    expect(event).toMatchObject({ data: { redemption: { previous_order: null }, order: { id: order.id } } })
    expect(await ok(shop, 'GET', '/v1/customers/ann')).toMatchObject({
      summary: { redemptions: { total_succeeded: 2 } },
    })
  })

  test('shows the order of children only with expand order, and categories with expand category', async () => {
    const shop = await newProject()
    const category = await ok(shop, 'POST', '/v1/categories', { name: 'Joint', hierarchy: 1 })
    await newDiscount(shop, 'A', percentOff(10), { category_id: category.id })
    await newDiscount(shop, 'B', amountOff(500))
    await setStackingRules(shop, { joint_categories: [category.id] })
    const { redemptions, order } = await redeemed(shop, {
      redeemables: vouchers('A', 'B'),
      order: { amount: 10000 },
      options: { expand: ['category', 'unknown'] },
    })
    expect(redemptions.map((one: { order: unknown }) => one.order)).toEqual([null, null])
    expect(order.total_amount).toBe(8500)
    expect(redemptions[0].voucher.categories).toEqual([{ ...category, stacking_rules_type: 'JOINT' }])
  })

  test('for a promotion stack has one redemption per tier', async () => {
    const shop = await newProject()
    const { stack: all, tiers } = await newStack(shop, [percentOff(10), amountOff(500)])
    const { redemptions, parent_redemption } = await redeemed(shop, {
      redeemables: [stack(all.id)],
      order: { amount: 10000 },
    })
    expect(redemptions).toMatchObject([
      {
        related_object_type: 'promotion_tier',
        related_object_id: tiers[0].id,
        voucher: null,
        promotion_tier: {
          id: tiers[0].id,
          summary: { redemptions: { total_redeemed: 1 }, orders: { total_amount: 10000, total_discount_amount: 1000 } },
        },
      },
      { promotion_tier: { summary: { orders: { total_discount_amount: 500 } } } },
    ])
    expect(await ok(shop, 'GET', `/v1/promotions/tiers/${tiers[0].id}`)).toMatchObject({
      summary: redemptions[0].promotion_tier.summary,
    })
    const events = (await eventsOf(shop, 'redemption.succeeded')).filter(
      ({ data }) => data.promotion_stack?.id === all.id,
    )
    expect(events).toHaveLength(3)
    expect(parent_redemption.order.total_amount).toBe(8500)
  })

  test('for a single voucher also shows the goods it applied to', async () => {
    const shop = await newProject()
    await newDiscount(shop, 'TEN', percentOff(10))
    await newRule(
      shop,
      {
        ...when('order.amount', { $more_than: [1] }),
        applicable_to: {
          included: [{ object: 'product', id: (await newProduct(shop, 'Mug', { source_id: 'mug' })).id }],
        },
      },
      { voucher: (await ok(shop, 'GET', '/v1/vouchers/TEN')).id },
    )
    const { status, body } = await shop.call('POST', '/v1/vouchers/TEN/redemption?tracking_id=ann', {
      order: {
        items: [
          { source_id: 'mug', quantity: 1, price: 1000 },
          { source_id: 'tea', quantity: 1, price: 500 },
        ],
      },
    })
    expect(status, JSON.stringify(body)).toBe(200)
    expect(body).toMatchObject({
      object: 'redemption',
      customer: { source_id: 'ann' },
      order: { status: 'PAID', items_discount_amount: 100, total_amount: 1400 },
      voucher: { code: 'TEN', applicable_to: { total: 1 }, inapplicable_to: { total: 0 } },
    })
    expect(body.redemption).toBeUndefined()
  })

  test('a single redeemable without effect is redeemed regardless of the stacking rules', async () => {
    const shop = await newProject()
    await newDiscount(shop, 'TEN', amountOff(0))
    await setStackingRules(shop, { redeemables_no_effect_rule: 'SKIP' })
    expect(await redeem(shop, { redeemables: vouchers('TEN'), order: { amount: 100 } })).toMatchObject({
      status: 400,
      body: { key: 'no_effect' },
    })
    expect((await shop.call('POST', '/v1/vouchers/TEN/redemption', { order: { amount: 100 } })).status).toBe(200)
  })
})

describe('referrals', () => {
  const newReferral = async (shop: Shop) => {
    const program = await newCampaign(shop, 'Friends', {
      campaign_type: 'REFERRAL_PROGRAM',
      type: 'AUTO_UPDATE',
      voucher: { type: 'DISCOUNT_VOUCHER', discount: amountOff(10), redemption: { quantity: null } },
    })
    const { voucher: code, customer_id } = await ok(shop, 'POST', '/v1/publications', {
      campaign: 'Friends',
      customer: { source_id: 'alice' },
    })
    return { program, code: code.code as string, alice: customer_id as string }
  }

  test('a customer who redeems the referral code of another customer becomes its referee', async () => {
    const shop = await newProject()
    const { program, code, alice } = await newReferral(shop)
    await newDiscount(shop, 'TEN', amountOff(10))
    const { order, redemptions } = await redeemed(shop, {
      redeemables: vouchers(code),
      order: { amount: 100 },
      customer: { source_id: 'bob' },
    })
    expect(order.referrer_id).toBe(alice)
    expect(redemptions[0].voucher).toMatchObject({ holder_id: alice, holder: { id: alice, source_id: 'alice' } })
    expect((await ok(shop, 'GET', '/v1/customers/bob/redeemables')).data).toMatchObject([{ holder_role: 'REFEREE' }])
    expect(await redeem(shop, { redeemables: vouchers(code), customer: { source_id: 'alice' } })).toMatchObject({
      body: { key: 'referrer_not_permitted_to_redeem' },
    })

    await newRule(shop, when('order.amount', { $more_than: [1_000_000] }), { campaign: program.id })
    await setStackingRules(shop, { redeemables_application_mode: 'PARTIAL' })
    const partly = { redeemables: vouchers('TEN', code), order: { amount: 100 }, customer: { source_id: 'bob' } }
    expect((await validated(shop, partly)).order.referrer_id).toBeNull()
    expect((await redeemed(shop, partly)).order.referrer_id).toBeNull()
  })

  test('the order names another referrer', async () => {
    const shop = await newProject()
    const { code, alice } = await newReferral(shop)
    await ok(shop, 'POST', '/v1/customers', { source_id: 'carl' })
    const known = await ok(shop, 'POST', '/v1/orders', { amount: 100, referrer: { source_id: 'carl' } })
    const by = async (order: object) =>
      redeem(shop, { redeemables: vouchers(code), order, customer: { source_id: 'bob' } })
    expect((await by({ id: known.id })).body.order.referrer_id).toBe(alice)
    const { id: carl } = await ok(shop, 'GET', '/v1/customers/carl')
    expect((await by({ amount: 5, referrer: 'carl' })).body.order.referrer_id).toBe(carl)
    expect((await by({ amount: 5, referrer_id: 'cust_unknown' })).body).toMatchObject({
      key: 'not_found',
      resource_type: 'customer',
    })
  })
})

test('fewer points than one unit costs are an invalid request, and no failure is stored', async () => {
  const shop = await newProject()
  const card = await newCard(shop, { points: 500, coin: { exchange_ratio: 3, points_ratio: 40 } })
  const body = {
    redeemables: [voucher(card.code, { reward: { id: card.reward_id, points: 39 } })],
    order: { amount: 2500 },
  }
  for (const answer of [await redeem(shop, body), await shop.call('POST', '/v1/validations', body)])
    expect(answer).toMatchObject({ status: 400, body: { key: 'invalid_payload' } })
  expect(await countOf(shop, 'redemptions')).toBe(0)
})

test('a session is stored with a redemption only while it holds something', async () => {
  const shop = await newProject()
  await newDiscount(shop, 'TEN', amountOff(10))
  const session = { type: 'LOCK', key: 'S' }
  const body = { redeemables: vouchers('TEN'), order: { amount: 100 }, session }
  expect((await redeemed(shop, body)).redemptions[0].session).toBeUndefined()
  await validated(shop, body)
  expect((await redeemed(shop, body)).redemptions[0].session).toEqual({ key: 'S' })
})

describe('lifetime limits of units', () => {
  const limited = async (shop: Shop, code: string, limit: object) => {
    const product = await newProduct(shop, 'Mug', { source_id: 'mug', price: 100 })
    const { id } = await newDiscount(shop, code, amountOff(50, { effect: 'APPLY_TO_ITEMS_BY_QUANTITY' }))
    await newRule(
      shop,
      { rules: {}, applicable_to: { included: [{ object: 'product', id: product.id, ...limit }] } },
      { voucher: id },
    )
  }
  const taken = async (shop: Shop, code: string, quantity: number, sourceId?: string) => {
    const order = { items: [{ source_id: 'mug', quantity, price: 100 }] }
    const customer = sourceId === undefined ? undefined : { source_id: sourceId }
    return (
      (await redeemed(shop, { redeemables: vouchers(code), order, customer })).order.items_applied_discount_amount / 50
    )
  }

  test('a voucher without a campaign counts them once', async () => {
    const shop = await newProject()
    await limited(shop, 'U', { product_campaign_quantity_limit: 4 })
    expect([await taken(shop, 'U', 2), await taken(shop, 'U', 3), await taken(shop, 'U', 3)]).toEqual([2, 2, 0])
  })

  test('each customer has its own count, from its first redemption on', async () => {
    const shop = await newProject()
    await limited(shop, 'U', { product_customer_campaign_quantity_limit: 3 })
    expect(await taken(shop, 'U', 10, 'ann')).toBe(3)
    expect(await taken(shop, 'U', 10, 'ann')).toBe(0)
    expect(await taken(shop, 'U', 2, 'bob')).toBe(2)
    expect(await taken(shop, 'U', 2, 'bob')).toBe(1)
    expect(await taken(shop, 'U', 5)).toBe(5)
  })
})

test('segments are those of the customer at as_of', async () => {
  const shop = await newProject()
  const { id } = await newDiscount(shop, 'TEN', amountOff(10))
  await ok(shop, 'POST', '/v1/customers', { source_id: 'ann' })
  const { id: old } = await ok(shop, 'POST', '/v1/segments', {
    name: 'Here for a week',
    type: 'auto-update',
    filter: { junction: 'and', created_at: { conditions: { $more_than_ago: [7] } } },
  })
  await newRule(shop, when('customer.segment', { $is: [old] }), { voucher: id })
  const body = { redeemables: vouchers('TEN'), order: { amount: 100 }, customer: { source_id: 'ann' } }
  const asOf = new Date(shop.service.runtime.now() + 30 * 86_400_000).toISOString()
  expect(await validated(shop, body)).toMatchObject({ valid: false })
  expect(await validated(shop, { ...body, options: { as_of: asOf } })).toMatchObject({ valid: true })
})

describe('rules about counters', () => {
  test('with as_of, later redemptions do not count', async () => {
    const shop = await newProject()
    const { id } = await newDiscount(shop, 'TEN', amountOff(10))
    await newRule(shop, when('redemption.count.daily', { $less_than_or_equal: [1] }), { voucher: id })
    const body = { redeemables: vouchers('TEN'), order: { amount: 100 } }
    await redeemed(shop, body)
    const asOf = new Date(shop.service.runtime.now() - 60_000).toISOString()
    expect(await validated(shop, body)).toMatchObject({ valid: false })
    expect(await validated(shop, { ...body, options: { as_of: asOf } })).toMatchObject({ valid: true })
  })

  test('the rules of a reward assignment apply too', async () => {
    const shop = await newProject()
    const card = await newCard(shop, { points: 500 })
    const rule = await newRule(shop, when('redemption.count.per_customer', { $less_than_or_equal: [1] }))
    const { db } = shop.service.runtime.database
    await inTransaction(db, async (trx) => {
      const configVersion = await nextConfigurationVersion(trx, shop.project_id)
      await trx
        .insertInto('rule_assignments')
        .values({
          project_id: shop.project_id,
          id: 'asgm_reward',
          rule_id: rule.id,
          related_object_type: 'reward_assignment',
          related_object_id: card.assignment_id,
          created_at: new Date().toISOString(),
          updated_at: null,
          config_version: configVersion,
        })
        .execute()
    })
    const body = {
      redeemables: [voucher(card.code, { reward: { id: card.reward_id, points: 1 } })],
      order: { amount: 1000 },
    }
    await redeemed(shop, body)
    expect(await redeem(shop, body)).toMatchObject({ body: { key: 'redemption_rules_violated' } })
  })

  const today = new Date().toISOString().slice(0, 10)

  test.each([
    ['redemption.count.per_customer', 'voucher', 1],
    ['redemption.count.daily', 'voucher', 1],
    ['redemption.count.per_api_key', 'voucher', 1],
    ['campaign.redemptions.count', 'campaign', 2],
    ['campaign.redemptions.count.monthly', 'campaign', 2],
    ['campaign.redemptions.customers_count', 'campaign', 2],
    ['campaign.orders.amount', 'campaign', 2],
    ['campaign.orders.amount_discounted', 'campaign', 2],
  ])('%s is counted (%s)', async (name, of, codes) => {
    const shop = await newProject()
    const campaign = await newCampaign(shop, `Campaign ${name} ${today}`, { type: 'STATIC' })
    const path = (code: string) => `/v1/campaigns/${campaign.id}/vouchers/${code}`
    for (let n = 0; n < codes; n += 1) await ok(shop, 'POST', path(`V${n}`), { redemption: { quantity: null } })
    const limit = name.includes('amount') ? (name.endsWith('discounted') ? 150 : 1500) : 1
    await newRule(shop, when(name, { $less_than_or_equal: [limit] }), {
      [of]: of === 'campaign' ? campaign.id : (await ok(shop, 'GET', '/v1/vouchers/V0')).id,
    })
    const body = (code: string) => ({
      redeemables: vouchers(code),
      order: { amount: 1000 },
      customer: { source_id: 'ann' },
    })
    await redeemed(shop, body('V0'))
    const second = codes === 2 ? 'V1' : 'V0'
    expect(await redeem(shop, body(second))).toMatchObject({ status: 400, body: { key: 'redemption_rules_violated' } })
    expect(await validated(shop, body(second))).toMatchObject({ valid: false })
  })
})

describe('an Idempotency-Key', () => {
  const key = { 'idempotency-key': 'once' }

  test('a redemption takes effect once, and its reply is replayed', async () => {
    const shop = await newProject()
    await newDiscount(shop, 'TEN', amountOff(10))
    const body = { redeemables: vouchers('TEN'), order: { amount: 100 }, customer: { source_id: 'ann' } }
    const first = await shop.call('POST', '/v1/redemptions', body, key)
    const second = await shop.call('POST', '/v1/redemptions', body, key)
    expect([first.status, second.status, second.headers['idempotency-replayed']]).toEqual([200, 200, 'true'])
    expect(second.body).toEqual(first.body)
    expect(first.headers['idempotency-replayed']).toBeUndefined()
    expect(await countOf(shop, 'redemptions')).toBe(1)
    expect(await shop.call('POST', '/v1/redemptions', { ...body, metadata: { a: 1 } }, key)).toMatchObject({
      status: 409,
      body: { key: 'idempotency_key_conflict' },
    })
  })

  test('a stored failure, a refusal that is not stored, and a validation are replayed too', async () => {
    const shop = await newProject()
    await newDiscount(shop, 'GONE', amountOff(10), { active: false })
    for (const [n, [path, body]] of [
      ['/v1/redemptions', { redeemables: vouchers('GONE') }] as const,
      ['/v1/redemptions', { redeemables: [] }] as const,
      ['/v1/redemptions', { redeemables: vouchers('GONE'), customer: { id: 'cust_none' } }] as const,
      ['/v1/validations', { redeemables: vouchers('GONE') }] as const,
      ['/v1/validations', { redeemables: 'wrong' }] as const,
    ].entries()) {
      const headers = { 'idempotency-key': `k${n}` }
      const first = await shop.call('POST', path, body, headers)
      const second = await shop.call('POST', path, body, headers)
      expect([second.body, second.headers['idempotency-replayed']], `${n}`).toEqual([first.body, 'true'])
    }
    expect(await countOf(shop, 'redemptions')).toBe(1)
  })

  test('a repeated request does not write to the catalogue again', async () => {
    const shop = await newProject()
    await newDiscount(shop, 'TEN', amountOff(10))
    const { id } = await newProduct(shop, 'Mug', { price: 50 })
    const body = {
      redeemables: vouchers('TEN'),
      order: { items: [{ product_id: id, quantity: 1, product: { override: true, price: 100 } }] },
    }
    await shop.call('POST', '/v1/redemptions', body, key)
    await ok(shop, 'PUT', `/v1/products/${id}`, { price: 999 })
    const again = await shop.call('POST', '/v1/redemptions', body, key)
    expect([again.status, again.headers['idempotency-replayed']]).toEqual([200, 'true'])
    expect(await ok(shop, 'GET', `/v1/products/${id}`)).toMatchObject({ price: 999 })
  })

  test('many concurrent requests with the same key take effect once', async () => {
    const shop = await newProject()
    await newDiscount(shop, 'TEN', amountOff(10))
    const body = { redeemables: vouchers('TEN'), order: { amount: 100 } }
    const answers = await Promise.all(Array.from({ length: 8 }, () => shop.call('POST', '/v1/redemptions', body, key)))
    expect(new Set(answers.map(({ body }) => JSON.stringify(body))).size).toBe(1)
    expect(await countOf(shop, 'redemptions')).toBe(1)
  })
})
