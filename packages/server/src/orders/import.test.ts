import { expect, test } from 'vitest'
import { newProject, type Shop } from '../testing/app.ts'
import { runAsyncActions } from '../testing/background.ts'
import { eventNames, newOrder, ok, orderSummary } from '../testing/orders.ts'
import { eventsOf } from '../testing/promotions.ts'
import { importOrders } from './import.ts'

async function runImport(shop: Shop, orders: unknown) {
  const { async_action_id } = await ok(shop, 'POST', '/v1/orders/import', orders)
  await runAsyncActions(shop.service.runtime, shop.project_id, [importOrders])
  return ok(shop, 'GET', `/v1/async-actions/${async_action_id}`)
}

test('an import stores orders, customers and goods, and emits no events of orders and customers', async () => {
  const shop = await newProject()
  const before = await newOrder(shop, { source_id: 'known', amount: 100, customer: { source_id: 'ann' } })
  const eventsBefore = await eventNames(shop)
  const action = await runImport(shop, [
    {
      source_id: 'new',
      status: 'PAID',
      created_at: '1999-01-01T00:00:00Z',
      items: [{ product_id: 'bowl', quantity: '2', product: { override: true, name: 'Bowl', price: 800 } }],
      customer: { source_id: 'ann', name: 'Ann' },
      referrer: { source_id: 'bob' },
      metadata: { old: true },
    },
    { source_id: 'known', status: 'FULFILLED' },
    { amount: 5, status: 'PAID', customer: { source_id: 'carol' } },
  ])
  expect(action).toMatchObject({
    type: 'ORDERS.IMPORT',
    status: 'DONE',
    operation_status: 'SUCCESS',
    progress: 100,
    result: { message: '3 order(s) imported successfully, 0 failed.', failed: [], done_count: 3, failed_count: 0 },
  })
  const order = await ok(shop, 'GET', '/v1/orders/new')
  expect(order).toMatchObject({ status: 'PAID', amount: 1600, metadata: { old: true }, items: [{ price: 800 }] })
  expect(order.created_at > before.created_at).toBe(true) // the time of the import, even if `created_at` is sent
  expect(await ok(shop, 'GET', '/v1/orders/known')).toMatchObject({
    id: before.id,
    status: 'FULFILLED',
    created_at: before.created_at,
  })
  expect(await ok(shop, 'GET', '/v1/products/bowl')).toMatchObject({ name: 'Bowl', price: 800 })
  expect(await ok(shop, 'GET', '/v1/customers/bob')).toMatchObject({ id: order.referrer_id })
  expect(await ok(shop, 'GET', '/v1/customers/ann')).toMatchObject({ name: 'Ann' })
  expect(await orderSummary(shop, 'ann')).toMatchObject({ total_amount: 1700, total_count: 2, last_order_amount: 1600 })
  expect(await orderSummary(shop, 'carol')).toMatchObject({ total_amount: 5, total_count: 1 })
  expect(await eventNames(shop)).toEqual(eventsBefore)
  expect(
    (await eventsOf(shop, 'customer.')).filter(({ type }) => /^customer\.(?:created|updated)$/.test(type)),
  ).toMatchObject(
    [{ type: 'customer.created', entity_id: before.customer_id }], // of the order before
  )
  expect((await ok(shop, 'GET', '/v1/orders')).total).toBe(3)
})

test('a refused order fails alone and stores nothing', async () => {
  const shop = await newProject()
  const bad = [
    { source_id: 'negative', amount: -1, customer: { source_id: 'unknown' } },
    { source_id: 'quantity', items: [{ initial_quantity: 0 }] },
    { source_id: 'customer', customer: { id: 'cust_0' }, items: [{ product_id: 'x', product: { override: true } }] },
    { id: 'ord_0', amount: 1 },
    { source_id: 'sku', items: [{ sku_id: 's', sku: { override: true } }] },
    { source_id: 'sum', items: [{ amount: Number.MAX_SAFE_INTEGER }, { amount: 1 }] },
  ]
  const good = Array.from({ length: 60 }, (_, n) => ({
    source_id: `o-${n % 50}`, // ten of them twice
    amount: n,
    status: 'PAID',
    customer: { source_id: 'ann' },
  }))
  const action = await runImport(shop, [...bad.slice(0, 3), ...good, ...bad.slice(3)])
  expect(action).toMatchObject({ status: 'DONE', operation_status: 'FAILED' })
  expect(action.result).toEqual({
    message: '60 order(s) imported successfully, 6 failed.',
    failed: [
      { source_id: 'negative', reason: 'Amount has to be a valid positive number' },
      { source_id: 'quantity', reason: 'Property .items[0].initial_quantity cannot be lower than 1' },
      { source_id: 'customer', reason: 'Cannot find customer with id cust_0' },
      { source_id: null, reason: 'Cannot find order with id ord_0' },
      { source_id: 'sku', reason: expect.any(String) },
      { source_id: 'sum', reason: 'Amount has to be a valid positive number' },
    ],
    done_count: 60,
    failed_count: 6,
  })
  expect((await shop.call('GET', '/v1/customers/unknown')).status).toBe(404)
  expect((await shop.call('GET', '/v1/products/x')).status).toBe(404)
  expect((await ok(shop, 'GET', '/v1/orders')).total).toBe(50)
  // The last row of each order counts: 10 + … + 49 and 50 + … + 59.
  expect(await orderSummary(shop, 'ann')).toMatchObject({ total_amount: 1180 + 545, total_count: 50 })
})

test('an import accepts 1 to 2,000 orders and validates the schema of each', async () => {
  const shop = await newProject()
  const refused: Array<[unknown, string]> = [
    [{}, 'Payload must be array'],
    [[], 'Payload must NOT have fewer than 1 items'],
    [Array(2001).fill({}), 'Payload must NOT have more than 2000 items'],
    [
      [{}, { status: 'SHIPPED' }],
      'Property [1].status must be equal to one of the allowed values [ CREATED, PAID, CANCELED, FULFILLED ]',
    ],
  ]
  for (const [body, details] of refused)
    expect(await shop.call('POST', '/v1/orders/import', body)).toMatchObject({
      status: 400,
      body: { key: 'invalid_payload', details },
    })
  expect(await ok(shop, 'POST', '/v1/orders/import', Array(2000).fill({}))).toEqual({
    async_action_id: expect.stringMatching(/^aa_/),
  })
})
