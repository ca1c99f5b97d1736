import { calculateOrder } from '@guerdon/engine'
import { expect, test } from 'vitest'
import { findGoods } from '../catalogue/products/goods.ts'
import type { Ctx } from '../core/context.ts'
import { SimpleOrder } from '../core/events/shapes.ts'
import { compileValidator } from '../core/http/validation.ts'
import { newId } from '../core/lib/ids.ts'
import { newProject, type Shop } from '../testing/app.ts'
import { asRequest } from '../testing/background.ts'
import { ok, orderEvents } from '../testing/orders.ts'
import { goodKeys, orderFactsOf } from './lines.ts'
import { type StoredItem, toSimpleOrder } from './order.ts'
import { findOrder, insertOrder, type OrderColumns } from './store.ts'

/*
 * Redemptions store fields calculated by the engine that no request can send. Reading or updating the order must not lose them.
 */

async function inTransaction<T>(shop: Shop, work: (ctx: Ctx) => Promise<T>): Promise<T> {
  const { runtime } = shop.service
  const project = await runtime.credentials.project(shop.project_id)
  if (project === null) throw new Error('no project')
  return asRequest(runtime, project, work)
}

/** Two mugs at 12.50, one of them added for free, and an added plate; 1.00 off the rest. */
const lineMug: StoredItem = {
  object: 'order_item',
  id: newId('order_line'),
  source_id: 'mug',
  related_object: 'product',
  quantity: 2,
  initial_quantity: 1,
  price: 1250,
  amount: 2500,
  initial_amount: 1250,
  discount_amount: 1250,
  applied_discount_amount: 1250,
  discount_quantity: 1,
  applied_discount_quantity: 1,
  applied_quantity: 1,
  applied_quantity_amount: 1250,
  subtotal_amount: 1250,
  free_quantity: 1,
}
const linePlate: StoredItem = {
  object: 'order_item',
  id: newId('order_line'),
  product_id: 'prod_plate',
  quantity: 1,
  initial_quantity: 0,
  price: 300,
  amount: 300,
  initial_amount: 0,
  discount_amount: 300,
  discount_quantity: 1,
  applied_quantity: 1,
  subtotal_amount: 0,
  application_details: [
    {
      source_index: 0,
      source_applied_quantity: -1,
      source_applied_quantity_amount: -1250,
      target_index: 1,
      target_applied_quantity: 1,
      target_applied_quantity_amount: 300,
      target_applied_discount_amount: 300,
    },
  ],
  free_quantity: 1,
}
const redemptions = {
  r_1: {
    date: '2025-01-01T00:00:00.000Z',
    related_object_type: 'voucher',
    related_object_id: 'v_1',
    related_object_parent_id: 'camp_1',
    stacked: ['r_2'],
    rollback_id: 'rr_1',
    rollback_date: '2025-01-02T00:00:00.000Z',
    rollback_stacked: ['rr_2'],
  },
}

async function newRedeemedOrder(shop: Shop): Promise<string> {
  const columns: OrderColumns = {
    id: newId('order'),
    source_id: 'redeemed',
    status: 'PAID',
    amount: 2800,
    initial_amount: 1250,
    discount_amount: 100,
    items_discount_amount: 1550,
    items: [lineMug, linePlate],
    metadata: {},
    customer_id: null,
    referrer_id: null,
    redemptions,
    discounted_goods: null,
    client_order: null,
    created_at: '2025-01-01T00:00:00.000Z',
    updated_at: null,
  }
  await inTransaction(shop, (ctx) => insertOrder(ctx, columns))
  return columns.id
}

const storedItems = (shop: Shop, id: string) =>
  inTransaction(shop, async (ctx) => (await findOrder(ctx, id, { lock: true }))?.items)

test('an order is returned with its redemptions and without internal fields', async () => {
  const shop = await newProject()
  const id = await newRedeemedOrder(shop)
  const publicLines = [lineMug, linePlate].map(({ free_quantity: _, ...item }) => item)
  const order = await ok(shop, 'GET', `/v1/orders/${id}`)
  expect(order).toMatchObject({
    amount: 2800,
    initial_amount: 1250,
    discount_amount: 100,
    items_discount_amount: 1550,
    total_discount_amount: 1650,
    total_amount: 1150,
    redemptions,
  })
  expect(order.items).toEqual(publicLines)
})

test('an update without items keeps the lines and initial_amount', async () => {
  const shop = await newProject()
  const id = await newRedeemedOrder(shop)
  for (const body of [{ status: 'FULFILLED' }, { metadata: { a: 1 } }, { amount: 2800 }, { discount_amount: 50 }]) {
    const order = await ok(shop, 'PUT', `/v1/orders/${id}`, body)
    expect(order).toMatchObject({ initial_amount: 1250, redemptions })
    expect(await storedItems(shop, id)).toEqual([lineMug, linePlate])
  }
  expect(await ok(shop, 'PUT', `/v1/orders/${id}`, { amount: 3000 })).not.toHaveProperty('initial_amount')
})

test('events carry the same order object as the response', async () => {
  const shop = await newProject()
  const id = await newRedeemedOrder(shop)
  const order = await ok(shop, 'PUT', `/v1/orders/${id}`, { customer: { source_id: 'ann' } })
  expect((await orderEvents(shop)).map(({ data }) => data.order)).toEqual([order])
})

test('capping a line discount also caps applied_discount_amount and changes nothing else', async () => {
  const shop = await newProject()
  const id = await newRedeemedOrder(shop)
  expect(await ok(shop, 'PUT', `/v1/orders/${id}`, { amount: 1000 })).toMatchObject({
    items_discount_amount: 1000,
    total_amount: 0,
  })
  const { discount_amount: _, ...plate } = linePlate
  expect(await storedItems(shop, id)).toEqual([
    { ...lineMug, discount_amount: 1000, applied_discount_amount: 1000, subtotal_amount: 1500 },
    { ...plate, subtotal_amount: 300 },
  ])
})

test('sent lines replace everything that redemptions stored on them', async () => {
  const shop = await newProject()
  const id = await newRedeemedOrder(shop)
  const order = await ok(shop, 'PUT', `/v1/orders/${id}`, { items: [{ id: lineMug.id, quantity: 1, price: 1250 }] })
  expect(order).toMatchObject({ amount: 1250, discount_amount: 100, total_amount: 1150 })
  expect(await storedItems(shop, id)).toEqual([
    {
      object: 'order_item',
      id: lineMug.id,
      quantity: 1,
      initial_quantity: 1,
      price: 1250,
      amount: 1250,
      initial_amount: 1250,
      subtotal_amount: 1250,
    },
  ])
})

test('a stored order enters a calculation unchanged, with its catalogue data', async () => {
  const shop = await newProject()
  const { id: mugId } = await ok(shop, 'POST', '/v1/products', { source_id: 'mug', name: 'Mug', price: 9999 })
  const id = await newRedeemedOrder(shop)
  const facts = await inTransaction(shop, async (ctx) => {
    const order = await findOrder(ctx, id)
    if (order === undefined) throw new Error('no order')
    return orderFactsOf(order, await findGoods(ctx, goodKeys(order.items)))
  })
  expect(facts).toMatchObject({ id, source_id: 'redeemed', status: 'PAID', amount: 2800, initial_amount: 1250 })
  expect(facts.items).toMatchObject([
    {
      free_quantity: 1,
      initial_quantity: 1,
      product_id: mugId,
      catalogue: { product: { id: mugId, name: 'Mug', price: 9999 }, sku: null },
    },
    { free_quantity: 1, initial_quantity: 0, catalogue: { product: null, sku: null } },
  ])
  expect(calculateOrder(facts)).toMatchObject({
    amount: 2800,
    initial_amount: 1250,
    discount_amount: 100,
    items_discount_amount: 1550,
    total_amount: 1150,
    items: [
      { price: 1250, amount: 2500, initial_amount: 1250, subtotal_amount: 1250 },
      { amount: 300, initial_amount: 0, subtotal_amount: 0 },
    ],
  })
})

test('the short form of an order matches the documented event schema exactly', async () => {
  const shop = await newProject()
  const id = await newRedeemedOrder(shop)
  const simple = await inTransaction(shop, async (ctx) => {
    const order = await findOrder(ctx, 'redeemed')
    return order === undefined ? null : toSimpleOrder(order)
  })
  expect(compileValidator(SimpleOrder).firstError(simple, { root: 'Payload', required: 'must' })).toBeNull()
  expect(simple).toEqual({
    id,
    source_id: 'redeemed',
    status: 'PAID',
    customer_id: null,
    referrer_id: null,
    amount: 2800,
    discount_amount: 100,
    items_discount_amount: 1550,
    total_discount_amount: 1650,
    total_amount: 1150,
    items: [
      {
        id: lineMug.id,
        object: 'order_item',
        source_id: 'mug',
        related_object: 'product',
        quantity: 2,
        discount_quantity: 1,
        amount: 2500,
        discount_amount: 1250,
        applied_discount_amount: 1250,
        price: 1250,
        subtotal_amount: 1250,
      },
      {
        id: linePlate.id,
        object: 'order_item',
        product_id: 'prod_plate',
        quantity: 1,
        discount_quantity: 1,
        amount: 300,
        discount_amount: 300,
        price: 300,
        subtotal_amount: 0,
      },
    ],
    metadata: {},
    created_at: '2025-01-01T00:00:00.000Z',
    object: 'order',
  })
})
