import { describe, expect, test } from 'vitest'
import { newProject, type Shop } from '../testing/app.ts'
import { eventNames, newOrder, ok, orderEvents, orderSummary } from '../testing/orders.ts'
import { expectStablePaging } from '../testing/paging.ts'

const instant = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
const orderId = expect.stringMatching(/^ord_[0-9A-Za-z]{24}$/)
const lineId = expect.stringMatching(/^ordli_[0-9A-Za-z]{24}$/)

test('an order can be created, read and updated through its whole life cycle', async () => {
  const shop = await newProject()
  const created = await newOrder(shop, {
    source_id: 'o-1',
    items: [{ source_id: 'mug', related_object: 'product', quantity: '2', price: 1250, metadata: { gift: true } }],
    customer: { source_id: 'ann', name: 'Ann' },
    metadata: { channel: 'web' },
  })
  expect(created).toEqual({
    id: orderId,
    source_id: 'o-1',
    status: 'CREATED',
    amount: 2500,
    total_amount: 2500,
    items: [
      {
        object: 'order_item',
        id: lineId,
        source_id: 'mug',
        related_object: 'product',
        quantity: 2,
        price: 1250,
        amount: 2500,
        subtotal_amount: 2500,
        metadata: { gift: true },
      },
    ],
    metadata: { channel: 'web' },
    customer_id: expect.stringMatching(/^cust_/),
    referrer_id: null,
    customer: { id: created.customer_id, object: 'customer' },
    created_at: instant,
    updated_at: null,
    object: 'order',
  })
  expect(await ok(shop, 'GET', `/v1/orders/${created.id}`)).toEqual(created)
  expect(await ok(shop, 'GET', '/v1/orders/o-1')).toEqual(created)

  const updated = await ok(shop, 'PUT', '/v1/orders/o-1', { status: 'PAID', metadata: { paid_by: 'card' } })
  expect(updated).toEqual({
    ...created,
    status: 'PAID',
    metadata: { channel: 'web', paid_by: 'card' },
    updated_at: instant,
  })
  expect(await ok(shop, 'GET', `/v1/orders/${created.id}`)).toEqual(updated)
})

test('an empty body creates an order, whose lines and metadata are empty', async () => {
  const shop = await newProject()
  expect(await newOrder(shop, {})).toEqual({
    id: orderId,
    source_id: null,
    status: 'CREATED',
    items: [],
    metadata: {},
    customer_id: null,
    referrer_id: null,
    created_at: instant,
    updated_at: null,
    object: 'order',
  })
})

test('E20 Order amounts: the price of a line is that of its SKU, product or the catalogue; a sent amount takes precedence over the sum', async () => {
  const shop = await newProject()
  await ok(shop, 'POST', '/v1/products', { source_id: 'socks', price: 450 })
  const items = [
    { source_id: 'shirt-m', related_object: 'sku', quantity: 2, sku: { price: 1700 }, product: { price: 2100 } },
    { source_id: 'socks', related_object: 'product', quantity: 3 },
  ]
  const lines = [
    { price: 1700, amount: 3400, subtotal_amount: 3400 },
    { price: 450, amount: 1350, subtotal_amount: 1350 },
  ]
  expect(await newOrder(shop, { items })).toMatchObject({ amount: 4750, total_amount: 4750, items: lines })
  expect(await newOrder(shop, { items, amount: 5000 })).toMatchObject({
    amount: 5000,
    total_amount: 5000,
    items: lines,
  })
  const unpriced = await newOrder(shop, { items: [{ quantity: 2 }, { source_id: 'x' }], amount: 10_000 })
  expect(unpriced).toMatchObject({ amount: 10_000, total_amount: 10_000 })
  expect(unpriced.items).toEqual([
    { object: 'order_item', id: lineId, quantity: 2 },
    { object: 'order_item', id: lineId, source_id: 'x', quantity: 1 },
  ])
})

test('E21 Order life: each change emits its event, and the summary of the customer counts paid orders until they are canceled', async () => {
  const shop = await newProject()
  const customer = { source_id: 'ann' }
  await newOrder(shop, { source_id: 'o-1', amount: 12_500, customer })
  expect(await eventNames(shop)).toEqual(['created'])
  expect(await orderSummary(shop, 'ann')).toEqual({
    total_amount: 0,
    total_count: 0,
    average_amount: 0,
    last_order_amount: 0,
  })

  await ok(shop, 'PUT', '/v1/orders/o-1', { status: 'PAID' })
  expect(await eventNames(shop)).toEqual(['created', 'updated', 'paid'])
  expect(await orderSummary(shop, 'ann')).toMatchObject({ total_amount: 12_500, total_count: 1 })

  await newOrder(shop, { amount: 8000, status: 'PAID', customer })
  const last = await newOrder(shop, { amount: 3001, status: 'PAID', customer })
  expect(await orderSummary(shop, 'ann')).toEqual({
    total_amount: 23_501,
    total_count: 3,
    average_amount: 7834,
    last_order_amount: 3001,
    last_order_date: last.created_at,
  })

  await ok(shop, 'PUT', '/v1/orders/o-1', { status: 'CANCELED' })
  expect(await orderSummary(shop, 'ann')).toMatchObject({ total_amount: 11_001, total_count: 2, average_amount: 5501 })
})

describe('order amounts', () => {
  test('discounts are shown per line, per order and in total, and omitted when zero', async () => {
    const shop = await newProject()
    const order = await newOrder(shop, {
      discount_amount: 300,
      items: [
        { quantity: 2, price: 1000, discount_amount: 500, discount_quantity: 1 },
        { quantity: 1, price: 700 },
      ],
    })
    expect(order).toMatchObject({
      amount: 2700,
      discount_amount: 300,
      items_discount_amount: 500,
      total_discount_amount: 800,
      total_amount: 1900,
    })
    expect(order.items[0]).toMatchObject({ discount_amount: 500, discount_quantity: 1, subtotal_amount: 1500 })
    expect(order.items[1]).not.toHaveProperty('discount_amount')
  })

  /** The discount of the order, of its two lines of 1000 and 500, the sent amount; the capped discounts. */
  const cuts: Array<[string, object, number[], object]> = [
    ['of the order', { discount_amount: 9999 }, [0, 0], { discount_amount: 1500, total_amount: 0 }],
    ['of a line', {}, [5000, 0], { items_discount_amount: 1000, total_amount: 500 }],
    [
      'of both: lines first',
      { discount_amount: 900 },
      [800, 300],
      { items_discount_amount: 1100, discount_amount: 400, total_amount: 0 },
    ],
    [
      'of an order that costs less than its lines',
      { amount: 600, discount_amount: 100 },
      [500, 500],
      { items_discount_amount: 600, total_amount: 0 },
    ],
  ]
  test('discounts are capped at the amount they apply to', async () => {
    const shop = await newProject()
    for (const [which, order, discounts, expected] of cuts) {
      const items = [1000, 500].map((price, index) => ({ price, discount_amount: discounts[index] }))
      const stored = await newOrder(shop, { ...order, items })
      expect(stored, which).toMatchObject(expected)
      const { amount, total_amount, total_discount_amount = 0, discount_amount = 0, items_discount_amount = 0 } = stored
      expect(total_amount).toBe(amount - total_discount_amount)
      expect(total_discount_amount).toBe(discount_amount + items_discount_amount)
      for (const line of stored.items) expect(line.subtotal_amount).toBe(line.amount - (line.discount_amount ?? 0))
    }
  })

  test('an order without any price has no amounts and no discounts', async () => {
    const shop = await newProject()
    const order = await newOrder(shop, { discount_amount: 100, items: [{ source_id: 'x', discount_amount: 5 }] })
    expect(Object.keys(order).filter((name) => name.includes('amount'))).toEqual([])
    expect(Object.keys(order.items[0]).filter((name) => name.includes('amount'))).toEqual([])
  })

  test('numbers may be sent as strings, and sent initial values are kept', async () => {
    const shop = await newProject()
    const order = await newOrder(shop, {
      amount: '5000',
      initial_amount: '4800',
      discount_amount: '100',
      items: [
        {
          quantity: '3',
          initial_quantity: '2',
          discount_quantity: '1',
          price: '700',
          amount: '2000',
          initial_amount: '1900',
          discount_amount: '50',
          product: { price: '800' },
        },
      ],
    })
    expect(order).toMatchObject({ amount: 5000, initial_amount: 4800, discount_amount: 100, total_amount: 4850 })
    expect(order.items[0]).toMatchObject({
      quantity: 3,
      initial_quantity: 2,
      discount_quantity: 1,
      price: 700,
      amount: 2000,
      initial_amount: 1900,
      discount_amount: 50,
      subtotal_amount: 1950,
      product: { price: 800 },
    })
  })

  test('numbers may be sent as decimal text of a whole number, and ids as numbers', async () => {
    const shop = await newProject()
    const order = await newOrder(shop, {
      source_id: 100_012,
      amount: '5398.00',
      items: [{ id: 1, source_id: 77, quantity: '2.0', price: '2699.00', product: { id: 9, price: '2700.000' } }],
    })
    expect(order).toMatchObject({ source_id: '100012', amount: 5_398 })
    expect(order.items[0]).toMatchObject({ source_id: '77', quantity: 2, price: 2_699, product: { price: 2_700 } })
    expect(await shop.call('GET', '/v1/orders/100012')).toMatchObject({ status: 200, body: { id: order.id } })
  })

  const invalidAmount = { key: 'invalid_amount', details: 'Amount has to be a valid positive number' }
  const payload = (details: string) => ({ key: 'invalid_payload', details })
  const most = Number.MAX_SAFE_INTEGER
  const refused: Array<[body: object, refusal: object]> = [
    [{ amount: -1 }, invalidAmount],
    [{ amount: '-1' }, invalidAmount],
    [{ amount: 2 ** 53 }, invalidAmount],
    [{ amount: '9007199254740992' }, invalidAmount],
    [{ amount: 1e300 }, invalidAmount],
    [{ initial_amount: -1 }, invalidAmount],
    [{ discount_amount: -1 }, invalidAmount],
    [{ items: [{ price: -1 }] }, invalidAmount],
    [{ items: [{ amount: -1 }] }, invalidAmount],
    [{ items: [{ initial_amount: -1 }] }, invalidAmount],
    [{ items: [{ discount_amount: -1 }] }, invalidAmount],
    [{ items: [{ product: { price: -1 } }] }, invalidAmount],
    [{ items: [{ sku: { price: -1 } }] }, invalidAmount],
    [{ items: [{ price: most, quantity: 2 }] }, invalidAmount],
    [{ items: [{ amount: most }, { amount: 1 }] }, invalidAmount],
    [{ items: [{}, { initial_quantity: 0 }] }, payload('Property .items[1].initial_quantity cannot be lower than 1')],
    [{ items: [{ initial_quantity: -3 }] }, payload('Property .items[0].initial_quantity cannot be lower than 1')],
    [{ items: [{ quantity: -1 }] }, payload('Property .items[0].quantity must be >= 0')],
    [{ items: [{ quantity: '-1' }] }, payload('Property .items[0].quantity must be >= 0')],
    [{ items: [{ quantity: 2 ** 53 }] }, payload('Property .items[0].quantity must be <= 9007199254740991')],
    [{ items: [{ discount_quantity: -1 }] }, payload('Property .items[0].discount_quantity must be >= 0')],
    [{ items: [{ quantity: 'two' }] }, payload('Property .items[0].quantity must be integer')],
    [{ amount: '1.5' }, payload('Property .amount must be integer: amounts are in minor units, so 1.5 is sent as 150')],
    [
      { amount: '2699.01' },
      payload('Property .amount must be integer: amounts are in minor units, so 2699.01 is sent as 269901'),
    ],
    [{ amount: '2699.' }, payload('Property .amount must be integer')],
    [{ amount: `${'9'.repeat(20_000)}.${'0'.repeat(20_000)}x` }, payload('Property .amount must be integer')],
    [{ source_id: 1.5 }, payload('Property .source_id must be string,integer,null')],
    [{ source_id: -1 }, payload('Property .source_id must be >= 0')],
    [{ source_id: 2 ** 53 }, payload('Property .source_id must be <= 9007199254740991')],
    [{ amount: '' }, payload('Property .amount must be integer')],
    [
      { amount: 1.5 },
      payload('Property .amount must be integer,string,null: amounts are in minor units, so 1.5 is sent as 150'),
    ],
    [{ amount: true }, payload('Property .amount must be integer,string,null')],
    [{ items: Array(501).fill({}) }, payload('Property .items must NOT have more than 500 items')],
    [{ items: {} }, payload('Property .items must be array,null')],
    [
      { status: 'SHIPPED' },
      payload('Property .status must be equal to one of the allowed values [ CREATED, PAID, CANCELED, FULFILLED ]'),
    ],
    [{ created_at: 'soon' }, payload('Property .created_at cannot be recognized as a ISO-8601 compliant date')],
    [{ source_id: '' }, payload('Property .source_id must NOT have fewer than 1 characters')],
    [{ customer: 'ann' }, payload('Property .customer must be object,null')],
    [{ metadata: [] }, payload('Property .metadata must be object,null')],
  ]
  test('POST and PUT refuse invalid orders and store nothing', async () => {
    const shop = await newProject()
    const before = await newOrder(shop, { amount: 100 })
    for (const [body, refusal] of refused) {
      const sent = { customer: { source_id: 'ann' }, ...body }
      const label = JSON.stringify(body).slice(0, 200)
      expect(await shop.call('POST', '/v1/orders', sent), label).toMatchObject({ status: 400, body: refusal })
      expect(await shop.call('PUT', `/v1/orders/${before.id}`, sent), label).toMatchObject({
        status: 400,
        body: refusal,
      })
    }
    expect((await ok(shop, 'GET', '/v1/orders')).orders).toEqual([before])
    expect((await shop.call('GET', '/v1/customers/ann')).status).toBe(404)
  })

  test('amounts and quantities up to Number.MAX_SAFE_INTEGER are exact', async () => {
    const shop = await newProject()
    const largest = Number.MAX_SAFE_INTEGER
    expect(await newOrder(shop, { amount: largest, discount_amount: largest })).toMatchObject({
      amount: largest,
      discount_amount: largest,
      total_amount: 0,
    })
    expect(await newOrder(shop, { items: [{ amount: largest, quantity: largest }] })).toMatchObject({ amount: largest })
  })

  test('an order that would push the customer total beyond Number.MAX_SAFE_INTEGER is refused', async () => {
    const shop = await newProject()
    const customer = { source_id: 'ann' }
    await newOrder(shop, { amount: Number.MAX_SAFE_INTEGER, status: 'PAID', customer })
    expect(await shop.call('POST', '/v1/orders', { amount: 1, status: 'PAID', customer })).toMatchObject({
      status: 400,
      body: { key: 'invalid_amount' },
    })
    expect(await orderSummary(shop, 'ann')).toMatchObject({ total_amount: Number.MAX_SAFE_INTEGER, total_count: 1 })
    expect((await ok(shop, 'GET', '/v1/orders')).total).toBe(1)
  })
})

describe('PUT changes only the sent fields', () => {
  const items = [
    { source_id: 'a', quantity: 1, price: 1000, discount_amount: 400 },
    { source_id: 'b', quantity: 2, price: 500 },
  ]

  test('items replace all lines, and the amount is recomputed from them', async () => {
    const shop = await newProject()
    const { id } = await newOrder(shop, { items, amount: 9000 })
    const updated = await ok(shop, 'PUT', `/v1/orders/${id}`, { items: [{ source_id: 'c', quantity: 3, price: 100 }] })
    expect(updated).toMatchObject({ amount: 300, total_amount: 300 })
    expect(updated.items).toMatchObject([{ source_id: 'c', amount: 300 }])
    expect(updated).not.toHaveProperty('items_discount_amount')
  })

  test('a sent amount takes precedence over the sum of the items; items without prices leave no amount', async () => {
    const shop = await newProject()
    const { id } = await newOrder(shop, { items })
    expect(await ok(shop, 'PUT', `/v1/orders/${id}`, { items, amount: 777 })).toMatchObject({ amount: 777 })
    expect(await ok(shop, 'PUT', `/v1/orders/${id}`, { items: [{ source_id: 'c' }] })).not.toHaveProperty('amount')
    expect(await ok(shop, 'PUT', `/v1/orders/${id}`, { items: [] })).toMatchObject({ items: [] })
  })

  test('an amount without items keeps the lines and their ids', async () => {
    const shop = await newProject()
    const before = await newOrder(shop, { items })
    const updated = await ok(shop, 'PUT', `/v1/orders/${before.id}`, { amount: 3000 })
    expect(updated).toMatchObject({
      amount: 3000,
      items_discount_amount: 400,
      total_amount: 2600,
    })
    expect(updated.items).toEqual(before.items)
    // The discount of the first line exceeds the new amount of the order.
    const lower = await ok(shop, 'PUT', `/v1/orders/${before.id}`, { amount: 150 })
    expect(lower).toMatchObject({ amount: 150, items_discount_amount: 150, total_amount: 0 })
    expect(lower.items[0]).toEqual({ ...before.items[0], discount_amount: 150, subtotal_amount: 850 })
    expect(lower.items[1]).toEqual(before.items[1])
  })

  test('a line sent with its id keeps that id; a line id of another order is not accepted', async () => {
    const shop = await newProject()
    const other = await newOrder(shop, { items: [{ price: 1 }] })
    const before = await newOrder(shop, { items })
    const [first, second] = before.items
    const updated = await ok(shop, 'PUT', `/v1/orders/${before.id}`, {
      items: [{ ...second, quantity: 1, amount: 500 }, second, { ...first, id: other.items[0].id }],
    })
    const ids = updated.items.map(({ id }: { id: string }) => id)
    expect(ids[0]).toBe(second.id)
    expect(new Set([...ids, first.id, other.items[0].id]).size).toBe(5)
  })

  test('null clears source_id and referrer_id, and is ignored for other fields', async () => {
    const shop = await newProject()
    const before = await newOrder(shop, {
      source_id: 'o-1',
      status: 'PAID',
      items,
      metadata: { a: 1 },
      customer: { source_id: 'ann' },
      referrer: { source_id: 'bob' },
    })
    const nothing = Object.fromEntries(
      ['status', 'amount', 'initial_amount', 'discount_amount', 'items', 'metadata', 'customer', 'created_at'].map(
        (name) => [name, null],
      ),
    )
    const kept = await ok(shop, 'PUT', `/v1/orders/${before.id}`, { ...nothing, referrer: null })
    expect(kept).toEqual({ ...before, updated_at: instant })
    const { referrer: _, ...rest } = kept
    expect(await ok(shop, 'PUT', `/v1/orders/${before.id}`, { source_id: null, referrer_id: null })).toEqual({
      ...rest,
      source_id: null,
      referrer_id: null,
      updated_at: instant,
    })
  })

  test('metadata is merged by key', async () => {
    const shop = await newProject()
    const { id } = await newOrder(shop, { metadata: { a: 1, b: { c: 1 }, d: [1] } })
    const { metadata } = await ok(shop, 'PUT', `/v1/orders/${id}`, { metadata: { b: { e: 2 }, d: null } })
    expect(metadata).toEqual({ a: 1, b: { e: 2 }, d: null })
  })

  test('created_at is stored as sent, by POST and by PUT', async () => {
    const shop = await newProject()
    const order = await newOrder(shop, { created_at: '2020-02-29T12:00:00+02:00' })
    expect(order.created_at).toBe('2020-02-29T10:00:00.000Z')
    const updated = await ok(shop, 'PUT', `/v1/orders/${order.id}`, { created_at: '2019-01-01' })
    expect(updated.created_at).toBe('2019-01-01T00:00:00.000Z')
  })

  test('an unknown order answers 404 before the body is validated', async () => {
    const shop = await newProject()
    expect(await shop.call('PUT', '/v1/orders/ord_0', { amount: 'x' })).toMatchObject({
      status: 404,
      body: {
        key: 'not_found',
        details: 'Cannot find order with id ord_0',
        resource_id: 'ord_0',
        resource_type: 'order',
      },
    })
    expect((await shop.call('GET', '/v1/orders/ord_0')).status).toBe(404)
  })

  test('unknown fields are ignored, including names of internal columns', async () => {
    const shop = await newProject()
    const { id } = await newOrder(shop, {})
    const updated = await ok(shop, 'PUT', `/v1/orders/${id}`, {
      id: 'ord_mine',
      total_amount: 5,
      customer_id: 'cust_x',
      redemptions: { r_1: {} },
      items: [{ price: 10, free_quantity: 'all', catalogue: { product: { id: 'p', price: 1 } }, colour: 'red' }],
    })
    expect(updated).toMatchObject({ id, amount: 10, customer_id: null })
    expect(updated).not.toHaveProperty('redemptions')
    expect(Object.keys(updated.items[0]).sort()).toEqual(
      ['amount', 'id', 'object', 'price', 'quantity', 'subtotal_amount'].sort(),
    )
  })
})

describe('POST of an existing order', () => {
  test('updates it, found by source_id or by id', async () => {
    const shop = await newProject()
    const before = await newOrder(shop, { source_id: 'o-1', amount: 100, metadata: { a: 1 } })
    const bySource = await newOrder(shop, { source_id: 'o-1', metadata: { b: 2 } })
    expect(bySource).toEqual({ ...before, metadata: { a: 1, b: 2 }, updated_at: instant })
    const byId = await newOrder(shop, { id: before.id, source_id: 'o-2', amount: 200 })
    expect(byId).toMatchObject({ id: before.id, source_id: 'o-2', amount: 200, metadata: { a: 1, b: 2 } })
    expect((await ok(shop, 'GET', '/v1/orders')).total).toBe(1)
  })

  test('an unknown id answers 404, also when it is the source id of an order', async () => {
    const shop = await newProject()
    await newOrder(shop, { source_id: 'o-1' })
    for (const id of ['ord_0', 'o-1'])
      expect(await shop.call('POST', '/v1/orders', { id, amount: 1 })).toMatchObject({
        status: 404,
        body: { resource_id: id, resource_type: 'order' },
      })
  })

  test('a source id is unique and case-sensitive', async () => {
    const shop = await newProject()
    const first = await newOrder(shop, { source_id: 'o-1' })
    const second = await newOrder(shop, { source_id: 'O-1' })
    expect(second.id).not.toBe(first.id)
    for (const [method, path, body] of [
      ['PUT', '/v1/orders/O-1', { source_id: 'o-1' }],
      ['POST', '/v1/orders', { id: second.id, source_id: 'o-1' }],
    ] as const)
      expect(await shop.call(method, path, body)).toMatchObject({
        status: 409,
        body: {
          key: 'duplicate_found',
          details: 'Duplicated order exists with source_id o-1',
          resource_id: 'o-1',
          resource_type: 'order',
        },
      })
  })
})

describe('the customer of an order', () => {
  test('is created, found by id or source id, and updated with the sent fields', async () => {
    const shop = await newProject()
    const first = await newOrder(shop, { customer: { source_id: 'ann', metadata: { a: 1 } } })
    const second = await newOrder(shop, { customer: { source_id: 'ann', name: 'Ann', metadata: { b: 2 } } })
    expect(second.customer_id).toBe(first.customer_id)
    const third = await newOrder(shop, { customer: { id: first.customer_id, email: 'ann@example.com' } })
    expect(third.customer_id).toBe(first.customer_id)
    expect(await ok(shop, 'GET', '/v1/customers/ann')).toMatchObject({
      id: first.customer_id,
      name: 'Ann',
      email: 'ann@example.com',
      metadata: { a: 1, b: 2 },
    })
    await newOrder(shop, { customer: { source_id: 'ann', name: null } })
    expect(await ok(shop, 'GET', '/v1/customers/ann')).not.toHaveProperty('name')
  })

  test('a customer or referrer sent without profile fields is not changed', async () => {
    const shop = await newProject()
    await newOrder(shop, { customer: { source_id: 'ann', name: 'Ann' } })
    const ann = await ok(shop, 'GET', '/v1/customers/ann')
    await newOrder(shop, { customer: { source_id: 'ann' }, referrer: { id: ann.id, metadata: {} } })
    expect(await ok(shop, 'GET', '/v1/customers/ann')).toEqual(ann)
  })

  test('is null when the customer object is empty', async () => {
    const shop = await newProject()
    for (const customer of [{}, { object: 'customer' }, { name: null, metadata: {} }]) {
      const order = await newOrder(shop, { customer, referrer: customer, status: 'PAID', amount: 5 })
      expect(order).toMatchObject({ customer_id: null, referrer_id: null })
      expect(order).not.toHaveProperty('customer')
      expect(order).not.toHaveProperty('referrer')
    }
    expect(await eventNames(shop)).toEqual([])
  })

  test('is created anonymously when only profile fields are sent', async () => {
    const shop = await newProject()
    const { customer_id } = await newOrder(shop, { customer: { email: 'a@b.c' } })
    expect(await ok(shop, 'GET', `/v1/customers/${customer_id}`)).toMatchObject({ source_id: null, email: 'a@b.c' })
  })

  test('an unknown customer id or referrer id answers 404 and stores nothing', async () => {
    const shop = await newProject()
    for (const body of [{ customer: { id: 'cust_0' } }, { referrer: { id: 'cust_0' } }, { referrer_id: 'cust_0' }])
      expect(await shop.call('POST', '/v1/orders', { source_id: 'o-1', ...body })).toMatchObject({
        status: 404,
        body: { resource_id: 'cust_0', resource_type: 'customer' },
      })
    expect((await ok(shop, 'GET', '/v1/orders')).total).toBe(0)
  })

  test('a referrer can be sent as an object or as an id', async () => {
    const shop = await newProject()
    const { referrer_id } = await newOrder(shop, { referrer: { source_id: 'bob', name: 'Bob' } })
    const order = await newOrder(shop, { referrer_id, customer: { source_id: 'ann' } })
    expect(order).toMatchObject({ referrer_id, referrer: { id: referrer_id, object: 'customer' } })
    const [event] = await orderEvents(shop)
    expect(event?.data).toMatchObject({ customer: { source_id: 'ann' }, referrer: { id: referrer_id, name: 'Bob' } })
  })

  test('moving an order to another customer moves its amount between their summaries', async () => {
    const shop = await newProject()
    const { id } = await newOrder(shop, { amount: 700, status: 'PAID', customer: { source_id: 'ann' } })
    await ok(shop, 'PUT', `/v1/orders/${id}`, { amount: 900, customer: { source_id: 'bob' } })
    expect(await orderSummary(shop, 'ann')).toEqual({
      total_amount: 0,
      total_count: 0,
      average_amount: 0,
      last_order_amount: 0,
    })
    expect(await orderSummary(shop, 'bob')).toMatchObject({ total_amount: 900, total_count: 1, last_order_amount: 900 })
  })

  test('after the customer is deleted, the order keeps customer_id and can be updated, but emits no events', async () => {
    const shop = await newProject()
    const { id, customer_id } = await newOrder(shop, { amount: 700, customer: { source_id: 'ann' } })
    expect((await shop.call('DELETE', '/v1/customers/ann')).status).toBe(204)
    const updated = await ok(shop, 'PUT', `/v1/orders/${id}`, { status: 'PAID' })
    expect(updated).toMatchObject({ status: 'PAID', customer_id })
    expect(await eventNames(shop)).toEqual(['created'])
  })
})

describe('the order summary of a customer', () => {
  const statuses = ['CREATED', 'PAID', 'CANCELED', 'FULFILLED'] as const
  const counts = (status: string) => (status === 'PAID' || status === 'FULFILLED' ? 1 : 0)
  const events = { CREATED: [], PAID: ['paid'], CANCELED: ['canceled'], FULFILLED: ['fulfilled'] }

  test.each(statuses)('stays correct when an order changes from %s to any other status', async (from) => {
    const shop = await newProject()
    for (const to of statuses) {
      const sourceId = `${from} to ${to}`
      const eventCount = (await eventNames(shop)).length
      const { id } = await newOrder(shop, { amount: 500, status: from, customer: { source_id: sourceId } })
      expect(await orderSummary(shop, sourceId)).toMatchObject({
        total_amount: 500 * counts(from),
        total_count: counts(from),
      })
      const updated = await ok(shop, 'PUT', `/v1/orders/${id}`, { status: to })
      expect(await orderSummary(shop, sourceId)).toMatchObject({
        total_amount: 500 * counts(to),
        total_count: counts(to),
      })
      const reached = from === to ? [] : events[to]
      expect((await eventNames(shop)).slice(eventCount)).toEqual(['created', ...events[from], 'updated', ...reached])
      const { data, entity_id } = (await orderEvents(shop)).at(-1) ?? {}
      expect(entity_id).toBe(updated.customer_id)
      expect(data).toEqual({
        customer: { id: entity_id, name: null, email: null, source_id: sourceId, metadata: {}, object: 'customer' },
        referrer: null,
        order: updated,
        redemption: null,
      })
    }
  })

  test('is updated with the amount and the date of a counted order', async () => {
    const shop = await newProject()
    const customer = { source_id: 'ann' }
    await newOrder(shop, { amount: 100, status: 'PAID', created_at: '2024-01-02', customer })
    const { id } = await newOrder(shop, { amount: 500, status: 'FULFILLED', created_at: '2024-01-01', customer })
    expect(await orderSummary(shop, 'ann')).toMatchObject({
      total_amount: 600,
      last_order_amount: 100,
      last_order_date: '2024-01-02T00:00:00.000Z',
    })
    await ok(shop, 'PUT', `/v1/orders/${id}`, { items: [{ amount: 900 }] })
    expect(await orderSummary(shop, 'ann')).toMatchObject({
      total_amount: 1000,
      total_count: 2,
      last_order_amount: 100,
    })
    await ok(shop, 'PUT', `/v1/orders/${id}`, { created_at: '2024-01-03' })
    expect(await orderSummary(shop, 'ann')).toMatchObject({
      total_amount: 1000,
      total_count: 2,
      average_amount: 500,
      last_order_amount: 900,
      last_order_date: '2024-01-03T00:00:00.000Z',
    })
  })

  test('counts the amount before discounts, and 0 for an order without an amount', async () => {
    const shop = await newProject()
    const customer = { source_id: 'ann' }
    await newOrder(shop, { amount: 1000, discount_amount: 999, status: 'PAID', customer })
    await newOrder(shop, { status: 'PAID', customer })
    expect(await orderSummary(shop, 'ann')).toMatchObject({ total_amount: 1000, total_count: 2, average_amount: 500 })
  })
})

describe('GET /v1/orders', () => {
  const sourceIds = ({ orders }: { orders: Array<{ source_id: string }> }) => orders.map(({ source_id }) => source_id)

  async function filled(): Promise<Shop> {
    const shop = await newProject()
    await newOrder(shop, { source_id: 'a', amount: 100, status: 'PAID', metadata: { channel: 'web' } })
    await newOrder(shop, { source_id: 'b', amount: 200, discount_amount: 50, metadata: { channel: 'shop' } })
    await newOrder(shop, { source_id: 'c', customer: { source_id: 'ann' }, created_at: '2020-05-01' })
    await ok(shop, 'PUT', '/v1/orders/b', { status: 'FULFILLED' })
    await ok(shop, 'PUT', '/v1/orders/a', { metadata: { x: 1 } })
    return shop
  }

  test('lists newest first or in the requested order; orders never updated come last by updated_at', async () => {
    const shop = await filled()
    expect(await ok(shop, 'GET', '/v1/orders')).toMatchObject({ object: 'list', data_ref: 'orders', total: 3 })
    expect(sourceIds(await ok(shop, 'GET', '/v1/orders'))).toEqual(['b', 'a', 'c'])
    expect(sourceIds(await ok(shop, 'GET', '/v1/orders?order=created_at'))).toEqual(['c', 'a', 'b'])
    expect(sourceIds(await ok(shop, 'GET', '/v1/orders?order=-updated_at'))).toEqual(['a', 'b', 'c'])
    expect(sourceIds(await ok(shop, 'GET', '/v1/orders?order=updated_at'))).toEqual(['b', 'a', 'c'])
    expect(await ok(shop, 'GET', '/v1/orders?limit=1&page=2')).toMatchObject({ orders: [{ source_id: 'a' }], total: 3 })
    expect(await ok(shop, 'GET', '/v1/orders?page=9')).toMatchObject({ orders: [], total: 3 })
    const [first] = (await ok(shop, 'GET', '/v1/orders')).orders
    expect(first).toEqual(await ok(shop, 'GET', '/v1/orders/b'))
  })

  const filters: Array<[filter: string, found: string[]]> = [
    ['filters[status][conditions][$is]=PAID', ['a']],
    ['filters[status][conditions][$in][0]=PAID&filters[status][conditions][$in][1]=FULFILLED', ['b', 'a']],
    ['filters[source_id][conditions][$starts_with]=c', ['c']],
    ['filters[amount][conditions][$more_than]=100', ['b']],
    ['filters[amount][conditions][$is_unknown]=', ['c']],
    ['filters[total_amount][conditions][$is]=150', ['b']],
    ['filters[discount_amount][conditions][$is]=0', ['a', 'c']],
    ['filters[created_at][conditions][$before]=2021-01-01', ['c']],
    ['filters[updated_at][conditions][$has_value]=', ['b', 'a']],
    ['filters[customer_id][conditions][$has_value]=', ['c']],
    ['filters[metadata.channel][conditions][$is]=shop', ['b']],
    ['filters[junction]=or&filters[metadata.x][conditions][$is]=1&filters[amount][conditions][$is]=200', ['b', 'a']],
    ['filters[junction]=or', ['b', 'a', 'c']],
  ]
  test('filters by every field', async () => {
    const shop = await filled()
    for (const [filter, found] of filters) {
      const answer = await ok(shop, 'GET', `/v1/orders?${filter}`)
      expect(sourceIds(answer), filter).toEqual(found)
      expect(answer.total, filter).toBe(found.length)
    }
  })

  const badQueries = [
    'order=amount',
    'limit=0',
    'page=101',
    'filters[items][conditions][$is]=1',
    'filters[status][conditions][$like]=P',
    'starting_after_id=ord_0',
  ]
  test('an invalid query is refused', async () => {
    const shop = await newProject()
    for (const query of badQueries)
      expect(await shop.call('GET', `/v1/orders?${query}`), query).toMatchObject({
        status: 400,
        body: { key: 'invalid_query_params' },
      })
  })

  test('paging is stable while new orders are created', async () => {
    const shop = await newProject()
    await expectStablePaging({
      shop,
      path: '/v1/orders',
      orders: ['-created_at', 'created_at', '-updated_at', 'updated_at'],
      data_ref: 'orders',
      create: async (n) => {
        const { id } = await newOrder(shop, { amount: n })
        if (n % 3 !== 0) await ok(shop, 'PUT', `/v1/orders/${id}`, { metadata: { n } })
        return id
      },
    })
  })
})

test('metadata schemas are enforced for orders and lines', async () => {
  const shop = await newProject()
  const required = (name: string) => ({
    properties: { [name]: { type: 'string', array: false, optional: false } },
  })
  await shop.manage('POST', '/metadata-schemas', { related_object: 'order', ...required('channel') })
  await shop.manage('POST', '/metadata-schemas', { related_object: 'order_item', ...required('size') })
  const refusal = { status: 400, body: { key: 'metadata_validation_failed' } }
  const items = [{ metadata: { size: 'M' } }]
  expect(await shop.call('POST', '/v1/orders', { metadata: { channel: 7 }, items })).toMatchObject(refusal)
  expect(await shop.call('POST', '/v1/orders', { items })).toMatchObject(refusal)
  expect(
    await shop.call('POST', '/v1/orders', { metadata: { channel: 'web' }, items: [{ metadata: { size: 7 } }] }),
  ).toMatchObject(refusal)
  const { id } = await newOrder(shop, { metadata: { channel: 'web' }, items })
  expect(await shop.call('PUT', `/v1/orders/${id}`, { metadata: { channel: null } })).toMatchObject(refusal)
  await ok(shop, 'PUT', `/v1/orders/${id}`, { status: 'PAID' })
})

test('merged metadata is refused beyond its size limit, even if each update is small', async () => {
  const shop = await newProject()
  const { id } = await newOrder(shop, { metadata: { a: 'x'.repeat(40_000) } })
  const refusal = { status: 400, body: { key: 'invalid_payload' } }
  expect(await shop.call('PUT', `/v1/orders/${id}`, { metadata: { b: 'x'.repeat(40_000) } })).toMatchObject(refusal)
  const large = { metadata: { a: 'x'.repeat(70_000) } }
  for (const item of [large, { product: large }, { sku: large }])
    expect(await shop.call('PUT', `/v1/orders/${id}`, { items: [item] })).toMatchObject(refusal)
})

test('POST /v1/orders/export schedules an export of orders', async () => {
  const shop = await newProject()
  const created = await ok(shop, 'POST', '/v1/orders/export', {
    parameters: {
      order: '-status',
      fields: ['id', 'total_amount', 'metadata.channel'],
      filters: { junction: 'AND', status: { conditions: { $in: ['PAID'] } } },
    },
  })
  expect(created).toEqual({
    id: expect.stringMatching(/^exp_/),
    object: 'export',
    created_at: instant,
    status: 'SCHEDULED',
    channel: 'API',
    exported_object: 'order',
    parameters: {
      order: '-status',
      fields: ['id', 'total_amount', 'metadata.channel'],
      filters: { junction: 'and', status: { conditions: { $in: ['PAID'] } } },
    },
    result: null,
    user_id: null,
  })
  expect(await ok(shop, 'GET', `/v1/exports/${created.id}`)).toEqual(created)
  expect((await ok(shop, 'POST', '/v1/orders/export', {})).parameters).toEqual({
    order: '-created_at',
    fields: ['id', 'source_id', 'status'],
    filters: { junction: 'and' },
  })
  for (const [parameters, key] of [
    [{ order: 'amount' }, 'invalid_payload'],
    [{ fields: ['items'] }, 'invalid_export_fields'],
    [{ filters: { items: { conditions: { $is: [1] } } } }, 'invalid_payload'],
  ])
    expect(await shop.call('POST', '/v1/orders/export', { parameters })).toMatchObject({ status: 400, body: { key } })
})
