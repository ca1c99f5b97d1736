import { describe, expect, test } from 'vitest'
import { newProject, type Shop } from '../testing/app.ts'
import { newOrder, ok } from '../testing/orders.ts'

interface Catalogue {
  shop: Shop
  mug: { id: string }
  blue: { id: string }
}

/** A mug for 12.50 that comes in blue for 12.90, and a plate without a price. */
async function newCatalogue(): Promise<Catalogue> {
  const shop = await newProject()
  const mug = await ok(shop, 'POST', '/v1/products', {
    source_id: 'mug',
    name: 'Mug',
    price: 1250,
    metadata: { clay: true, size: 'M' },
  })
  const blue = await ok(shop, 'POST', '/v1/products/mug/skus', { source_id: 'mug-blue', sku: 'Blue', price: 1290 })
  await ok(shop, 'POST', '/v1/products', { source_id: 'plate' })
  return { shop, mug, blue }
}

describe('a line is matched to its product or SKU in the catalogue', () => {
  const ofMug: Array<[string, (catalogue: Catalogue) => object]> = [
    ['product_id', ({ mug }) => ({ product_id: mug.id })],
    ['product_id, being a source id', () => ({ product_id: 'mug' })],
    ['product.id', ({ mug }) => ({ product: { id: mug.id } })],
    ['product.source_id', () => ({ product: { source_id: 'mug' } })],
    ['source_id of a product', () => ({ source_id: 'mug', related_object: 'product' })],
    ['source_id alone', () => ({ source_id: 'mug' })],
    ['an unknown product_id, then source_id', () => ({ product_id: 'unknown', source_id: 'mug' })],
  ]
  test('a product by its id or source id in any field', async () => {
    const catalogue = await newCatalogue()
    const { shop, mug } = catalogue
    for (const [which, line] of ofMug) {
      const order = await newOrder(shop, { items: [{ quantity: 2, ...line(catalogue) }] })
      expect(order.amount, which).toBe(2500)
      expect(order.items[0], which).toMatchObject({
        product_id: mug.id,
        price: 1250,
        product: { id: mug.id, source_id: 'mug', name: 'Mug', price: 1250, metadata: { clay: true, size: 'M' } },
      })
      expect(order.items[0]).not.toHaveProperty('sku_id')
    }
  })

  const ofBlue: Array<[string, (catalogue: Catalogue) => object]> = [
    ['sku_id', ({ blue }) => ({ sku_id: blue.id })],
    ['sku_id, being a source id', () => ({ sku_id: 'mug-blue' })],
    ['sku.id', ({ blue }) => ({ sku: { id: blue.id } })],
    ['sku.source_id', () => ({ sku: { source_id: 'mug-blue' } })],
    ['source_id of an SKU', () => ({ source_id: 'mug-blue', related_object: 'sku' })],
    ['sku_id, whatever product it is said to be of', () => ({ sku_id: 'mug-blue', product_id: 'plate' })],
  ]
  test('an SKU by its id or source id in any field', async () => {
    const catalogue = await newCatalogue()
    const { shop, mug, blue } = catalogue
    for (const [which, line] of ofBlue) {
      const order = await newOrder(shop, { items: [{ quantity: 2, ...line(catalogue) }] })
      expect(order.amount, which).toBe(2580)
      expect(order.items[0], which).toMatchObject({
        product_id: mug.id,
        sku_id: blue.id,
        price: 1290,
        product: { id: mug.id, name: 'Mug' },
        sku: { id: blue.id, source_id: 'mug-blue', sku: 'Blue', price: 1290 },
      })
    }
  })

  test('a source id of a product does not match an SKU, nor the other way round', async () => {
    const { shop } = await newCatalogue()
    const items = [
      { source_id: 'mug', related_object: 'sku' },
      { source_id: 'mug-blue', related_object: 'product' },
    ]
    const order = await newOrder(shop, { items })
    expect(order.items).toMatchObject(items)
    expect(order).not.toHaveProperty('amount')
  })

  test('ids unknown to the catalogue are kept as sent', async () => {
    const { shop } = await newCatalogue()
    const items = [
      { product_id: 'prod_x', sku_id: 'sku_x', quantity: 1 },
      { source_id: 'x', related_object: 'sku', sku: { sku: 'X', price: 5 }, product: { name: 'Y' } },
    ]
    const order = await newOrder(shop, { items })
    expect(order).toMatchObject({ amount: 5, items })
    expect((await ok(shop, 'GET', '/v1/products')).total).toBe(3) // with the built-in one
  })

  /** The fields of a line and its resulting price; a mug costs 1250, a blue one 1290. */
  const prices: Array<[line: object, price: number | undefined]> = [
    [{ source_id: 'mug' }, 1250],
    [{ source_id: 'mug', product: { price: 1100 } }, 1100],
    [{ source_id: 'mug', price: 1000, product: { price: 1100 } }, 1000],
    [{ source_id: 'mug', price: 0 }, 0],
    [{ sku_id: 'mug-blue' }, 1290],
    [{ sku_id: 'mug-blue', product: { price: 1 } }, 1290],
    [{ sku_id: 'mug-blue', sku: { price: 1200 }, product: { price: 1 } }, 1200],
    [{ sku_id: 'mug-blue', price: 1000, sku: { price: 1200 } }, 1000],
    [{ sku_id: 'unknown', product: { price: 1100 } }, 1100],
    [{ sku_id: 'unknown', product_id: 'mug' }, 1250],
    [{ source_id: 'plate' }, undefined],
  ]
  test('the price of a line is the first known one of line, SKU and product', async () => {
    const { shop } = await newCatalogue()
    for (const [line, price] of prices) {
      const order = await newOrder(shop, { items: [{ quantity: 3, ...line }] })
      const amount = price === undefined ? undefined : 3 * price
      expect(order.items[0].price, JSON.stringify(line)).toBe(price)
      expect(order.items[0].amount, JSON.stringify(line)).toBe(amount)
      expect(order.amount, JSON.stringify(line)).toBe(amount)
    }
  })

  test('without override, sent product data takes precedence on the line and does not change the catalogue', async () => {
    const { shop, mug } = await newCatalogue()
    const product = { name: 'Cup', price: 1300, metadata: { size: 'L' }, override: false }
    const order = await newOrder(shop, { items: [{ source_id: 'mug', product }] })
    expect(order.items[0].product).toEqual({
      id: mug.id,
      source_id: 'mug',
      name: 'Cup',
      price: 1300,
      metadata: { clay: true, size: 'L' },
      override: false,
    })
    expect(await ok(shop, 'GET', '/v1/products/mug?hide=sku')).toMatchObject({ name: 'Mug', price: 1250 })
  })

  test('an order keeps the snapshot of its goods when the catalogue changes', async () => {
    const { shop } = await newCatalogue()
    const order = await newOrder(shop, { items: [{ source_id: 'mug' }] })
    await ok(shop, 'PUT', '/v1/products/mug', { price: 9999, name: 'Chalice' })
    expect((await ok(shop, 'GET', `/v1/orders/${order.id}`)).items).toEqual(order.items)
    expect((await ok(shop, 'PUT', `/v1/orders/${order.id}`, { status: 'PAID' })).items).toEqual(order.items)
  })
})

describe('override', () => {
  test('creates unknown goods and updates known ones', async () => {
    const { shop, mug } = await newCatalogue()
    const order = await newOrder(shop, {
      items: [
        { product_id: 'bowl', quantity: 2, product: { override: true, name: 'Bowl', price: 800, metadata: { a: 1 } } },
        { source_id: 'mug', product: { override: true, name: 'Cup', price: 1300, metadata: { size: 'L' } } },
      ],
    })
    const bowl = await ok(shop, 'GET', '/v1/products/bowl')
    expect(bowl).toMatchObject({ source_id: 'bowl', name: 'Bowl', price: 800, metadata: { a: 1 } })
    expect(await ok(shop, 'GET', '/v1/products/mug')).toMatchObject({
      id: mug.id,
      name: 'Cup',
      price: 1300,
      metadata: { clay: true, size: 'L' },
    })
    expect(order).toMatchObject({
      amount: 2900,
      items: [
        { product_id: bowl.id, product: { id: bowl.id, source_id: 'bowl', name: 'Bowl', override: true } },
        { product_id: mug.id, product: { name: 'Cup', override: true } },
      ],
    })
  })

  test('updates a good found by any of its keys', async () => {
    const { shop } = await newCatalogue()
    await newOrder(shop, {
      items: [{ product_id: 'unknown', product: { override: true, source_id: 'mug', price: 7 } }],
    })
    expect(await ok(shop, 'GET', '/v1/products/mug')).toMatchObject({ price: 7 })
    expect((await shop.call('GET', '/v1/products/unknown')).status).toBe(404)
  })

  test('creates an SKU under its product, sent in the same line or already known', async () => {
    const { shop, mug, blue } = await newCatalogue()
    const order = await newOrder(shop, {
      items: [
        {
          source_id: 'bowl-red',
          related_object: 'sku',
          sku: { override: true, sku: 'Red', price: 900 },
          product: { override: true, source_id: 'bowl', name: 'Bowl' },
        },
        { sku_id: 'mug-red', sku: { override: true, price: 1400 }, product: { id: mug.id } },
        { sku_id: 'mug-blue', sku: { override: true, sku: 'Navy' } },
      ],
    })
    expect(await ok(shop, 'GET', '/v1/skus/bowl-red')).toMatchObject({ sku: 'Red', price: 900 })
    expect(await ok(shop, 'GET', '/v1/skus/mug-red')).toMatchObject({ product_id: mug.id, price: 1400 })
    expect(await ok(shop, 'GET', '/v1/skus/mug-blue')).toMatchObject({ id: blue.id, sku: 'Navy', price: 1290 })
    expect(order.amount).toBe(900 + 1400 + 1290)
    expect(order.items[0].product_id).toBe((await ok(shop, 'GET', '/v1/products/bowl')).id)
  })

  test('an SKU without a product is refused, and nothing is stored', async () => {
    const { shop } = await newCatalogue()
    const items = [
      { product_id: 'bowl', product: { override: true } },
      { sku_id: 'lost', sku: { override: true, price: 1 } },
    ]
    expect(await shop.call('POST', '/v1/orders', { items, customer: { source_id: 'ann' } })).toMatchObject({
      status: 400,
      body: { key: 'invalid_order' },
    })
    expect((await shop.call('GET', '/v1/products/bowl')).status).toBe(404)
    expect((await ok(shop, 'GET', '/v1/orders')).total).toBe(0)
  })

  test('an order refused for a too large amount rolls back its catalogue changes', async () => {
    const { shop } = await newCatalogue()
    const items = [{ product_id: 'bowl', quantity: 2, product: { override: true, price: Number.MAX_SAFE_INTEGER } }]
    expect(await shop.call('POST', '/v1/orders', { items })).toMatchObject({
      status: 400,
      body: { key: 'invalid_amount' },
    })
    expect((await shop.call('GET', '/v1/products/bowl')).status).toBe(404)
  })
})
