import { expect, test } from 'vitest'
import { importOrders } from '../orders/import.ts'
import { clientOf } from './client.ts'

const client = clientOf('orders')

test('an order is created, read, changed and paid', async () => {
  const { orders, customers } = (await client()).library
  const made = await orders.create({
    source_id: 'order/1',
    customer: { source_id: 'ann', name: 'Ann' },
    items: [
      { source_id: 'shirt', related_object: 'product', quantity: 2, price: 1_999 },
      { source_id: 'socks', related_object: 'product', quantity: 1, price: 500, metadata: { color: 'red' } },
    ],
    metadata: { gift_wrap: true },
  })
  expect(made).toMatchObject({
    id: expect.stringMatching(/^ord_/),
    source_id: 'order/1',
    status: 'CREATED',
    amount: 4_498,
    total_amount: 4_498,
    items: [
      { source_id: 'shirt', quantity: 2, amount: 3_998 },
      { source_id: 'socks', quantity: 1, amount: 500, metadata: { color: 'red' } },
    ],
    metadata: { gift_wrap: true },
    object: 'order',
  })
  expect(await orders.get('order/1')).toMatchObject({ id: made.id, amount: 4_498 })

  expect(await orders.update({ id: made.id, amount: 5_000, items: [] })).toMatchObject({ id: made.id, amount: 5_000 })
  const paid = await orders.update({ source_id: 'order/1', status: 'PAID' } as never)
  expect(paid).toMatchObject({ id: made.id, status: 'PAID', amount: 5_000, metadata: { gift_wrap: true } })
  expect(await customers.get('ann')).toMatchObject({
    summary: { orders: { total_count: 1, total_amount: 5_000, last_order_amount: 5_000 } },
  })
})

test('orders are imported and listed', async () => {
  const { library, work } = await client()
  const { orders, asyncActions } = library
  const { async_action_id } = await orders.import([
    { source_id: 'old-1', amount: 100, status: 'PAID', customer: { source_id: 'bob' } },
    { source_id: 'old-2', amount: 200, status: 'FULFILLED', customer: { source_id: 'bob' } },
  ])
  await work(importOrders)
  expect(await asyncActions.get(async_action_id)).toMatchObject({ status: 'DONE' })
  expect(await orders.get('old-2')).toMatchObject({ amount: 200, status: 'FULFILLED' })

  const list = await orders.list({ limit: 1, page: 1 })
  expect(list).toMatchObject({ object: 'list', data_ref: 'orders', total: expect.any(Number), orders: { length: 1 } })
  const sources = (await orders.list()).orders.map(({ source_id }) => source_id)
  expect(sources).toEqual(expect.arrayContaining(['old-1', 'old-2']))
})

test('every method of these objects was called', async () => (await client()).expectAllMethodsCalled())
