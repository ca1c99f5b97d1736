import { expect, test } from 'vitest'
import { newProject, type Shop } from '../testing/app.ts'
import { runAsyncActions } from '../testing/background.ts'
import { eventNames, newOrder, ok, orderSummary } from '../testing/orders.ts'
import { scaled } from '../testing/scale.ts'
import { importOrders } from './import.ts'

/** The order summary of every customer of a project, computed from its orders. */
async function recomputeSummaries(shop: Shop): Promise<Map<string, object>> {
  const orders = await shop.service.runtime.database.db
    .selectFrom('orders')
    .where('project_id', '=', shop.project_id)
    .where('status', 'in', ['PAID', 'FULFILLED'])
    .orderBy('created_at')
    .orderBy('id')
    .select(['customer_id', 'amount', 'created_at'])
    .execute()
  const summaries = new Map<string, object>()
  for (const [customerId, customerOrders] of Map.groupBy(orders, ({ customer_id }) => customer_id ?? '')) {
    const totalAmount = customerOrders.reduce((sum, { amount }) => sum + (amount ?? 0), 0)
    const last = customerOrders.at(-1)
    summaries.set(customerId, {
      total_amount: totalAmount,
      total_count: customerOrders.length,
      average_amount: Math.floor((2 * totalAmount + customerOrders.length) / (2 * customerOrders.length)),
      last_order_amount: last?.amount ?? 0,
      last_order_date: last?.created_at,
    })
  }
  return summaries
}

async function expectRightSummaries(shop: Shop, customers: readonly string[]): Promise<void> {
  const expected = await recomputeSummaries(shop)
  const nothing = { total_amount: 0, total_count: 0, average_amount: 0, last_order_amount: 0 }
  for (const sourceId of customers) {
    const { id } = await ok(shop, 'GET', `/v1/customers/${sourceId}`)
    expect(await orderSummary(shop, id), sourceId).toEqual(expected.get(id) ?? nothing)
  }
}

const times = <T>(count: number, work: (n: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, n) => work(n)))

const many = scaled(50, 12)

test(`of ${many} concurrent requests with one new source id, one creates the order and ${many - 1} update it`, async () => {
  const shop = await newProject()
  const answers = await times(many, (n) =>
    shop.call('POST', '/v1/orders', {
      source_id: 'o-1',
      amount: n,
      status: 'PAID',
      customer: { source_id: 'ann' },
      metadata: { [`from_${n}`]: true },
    }),
  )
  expect(answers.map(({ status }) => status)).toEqual(Array(many).fill(200))
  expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1)
  const { orders, total } = await ok(shop, 'GET', '/v1/orders')
  expect(total).toBe(1)
  expect(Object.keys(orders[0].metadata)).toHaveLength(many)
  const names = await eventNames(shop)
  expect(names.filter((name) => name === 'created')).toHaveLength(1)
  expect(names.filter((name) => name === 'updated')).toHaveLength(many - 1)
  expect(names.filter((name) => name === 'paid')).toHaveLength(1)
  await expectRightSummaries(shop, ['ann'])
})

test('after concurrent status changes of an order, the summary matches its final status', async () => {
  const shop = await newProject()
  await newOrder(shop, { source_id: 'o-1', amount: 700, customer: { source_id: 'ann' } })
  const count = scaled(20, 8)
  for (let round = 0; round < scaled(3, 2); round++) {
    const answers = await times(count, (n) =>
      shop.call('PUT', '/v1/orders/o-1', { status: n % 2 === 0 ? 'PAID' : 'CANCELED', amount: 100 + n }),
    )
    expect(answers.map(({ status }) => status)).toEqual(Array(count).fill(200))
    await expectRightSummaries(shop, ['ann'])
  }
})

test('concurrent changes of customer, amount and status all succeed and keep every customer summary correct', async () => {
  const shop = await newProject()
  const customers = ['ann', 'bob', 'carol']
  const chosen = <T>(from: readonly T[]): T => from[Math.floor(Math.random() * from.length)] as T
  const person = () => ({ source_id: chosen(customers) })
  const status = () => chosen(['CREATED', 'PAID', 'CANCELED', 'FULFILLED'])
  for (const sourceId of customers) await newOrder(shop, { customer: { source_id: sourceId } })
  await times(10, (n) => newOrder(shop, { source_id: `o-${n}`, amount: n, customer: person() }))

  const count = scaled(150, 50)
  const answers = await times(count, (n) => {
    const path = `/v1/orders/o-${n % 10}`
    switch (n % 5) {
      case 0:
        return shop.call('PUT', path, { status: status() })
      case 1:
        return shop.call('PUT', path, { amount: n, status: status() })
      case 2:
        return shop.call('PUT', path, {
          customer: { ...person(), name: `${n}` },
          referrer: { ...person(), name: `${n}` },
        })
      case 3:
        return shop.call('PUT', path, { items: [{ price: n, quantity: 2 }], created_at: `2024-01-${10 + (n % 10)}` })
      default:
        return shop.call('POST', '/v1/orders', {
          source_id: `o-${n % 20}`,
          amount: n,
          status: status(),
          customer: person(),
          referrer: person(),
        })
    }
  })
  expect(answers.map(({ status }) => status)).toEqual(Array(count).fill(200))
  await expectRightSummaries(shop, customers)
})

test('an import and requests about the same orders do not deadlock', async () => {
  const shop = await newProject()
  const customers = ['ann', 'bob']
  const [count, different] = [scaled(100, 24), scaled(25, 8)]
  const ordersOf = (of: number) =>
    Array.from({ length: count }, (_, n) => ({
      source_id: `o-${(n * 7) % different}`,
      amount: of + n,
      status: n % 3 === 0 ? 'CANCELED' : 'PAID',
      customer: { source_id: customers[n % 2] },
    }))
  await ok(shop, 'POST', '/v1/orders/import', ordersOf(0))
  const [, answers] = await Promise.all([
    runAsyncActions(shop.service.runtime, shop.project_id, [importOrders]),
    Promise.all(ordersOf(1000).map((order) => shop.call('POST', '/v1/orders', order))),
  ])
  expect(answers.map(({ status }) => status)).toEqual(Array(count).fill(200))
  expect((await ok(shop, 'GET', '/v1/orders')).total).toBe(different)
  await expectRightSummaries(shop, customers)
})

test('of a rename to a source id and a concurrent creation with it, only one order gets the source id', async () => {
  const shop = await newProject()
  for (let round = 0; round < scaled(10, 4); round++) {
    const { id } = await newOrder(shop, {})
    const sourceId = `o-${round}`
    const answers = await Promise.all([
      shop.call('PUT', `/v1/orders/${id}`, { source_id: sourceId }),
      shop.call('POST', '/v1/orders', { source_id: sourceId }),
    ])
    for (const { status } of answers) expect([200, 409]).toContain(status)
    expect(answers[1]?.status).toBe(200)
    const found = await ok(shop, 'GET', `/v1/orders?filters[source_id][conditions][$is]=${sourceId}`)
    expect(found.total).toBe(1)
  }
})
