import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { newProject, type Shop } from '../../testing/app.ts'
import { expectStablePaging } from '../../testing/paging.ts'
import { catalogueOrders } from '../products/sorting.ts'

const instant = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)

/** A shop with a product `mug`. */
async function mugShop(): Promise<{ shop: Shop; mug: string }> {
  const shop = await newProject()
  return { shop, mug: await newProduct(shop, 'mug') }
}

async function newProduct(shop: Shop, sourceId: string): Promise<string> {
  return (await shop.call('POST', '/v1/products', { source_id: sourceId })).body.id
}

async function newSku(shop: Shop, product: string, body: object = {}): Promise<string> {
  const answer = await shop.call('POST', `/v1/products/${product}/skus`, body)
  expect(answer, JSON.stringify(answer.body)).toMatchObject({ status: 200 })
  return answer.body.id
}

async function listedIn(shop: Shop, query = ''): Promise<string[]> {
  const { status, body } = await shop.call('GET', `/v1/products/mug/skus?${query}`)
  expect(status, JSON.stringify(body)).toBe(200)
  return body.skus.map((sku: { source_id: string }) => sku.source_id)
}

test('an SKU can be created, read, updated and deleted', async () => {
  const { shop, mug } = await mugShop()
  const created = await shop.call('POST', '/v1/products/mug/skus', {
    source_id: 'mug-blue',
    sku: 'Blue mug',
    price: 1290,
    currency: 'EUR',
    attributes: { color: 'blue', size: 330, unlisted: [1] },
    image_url: 'https://shop.example/blue.png',
    metadata: { stock: 3 },
  })
  expect(created.status).toBe(200)
  expect(created.body).toEqual({
    id: expect.stringMatching(/^sku_[0-9a-f]{18}$/),
    source_id: 'mug-blue',
    product_id: mug,
    sku: 'Blue mug',
    price: 1290,
    currency: 'EUR',
    attributes: { color: 'blue', size: 330, unlisted: [1] },
    image_url: 'https://shop.example/blue.png',
    metadata: { stock: 3 },
    created_at: instant,
    updated_at: null,
    object: 'sku',
  })
  const { id } = created.body
  for (const key of [id, 'mug-blue']) expect((await shop.call('GET', `/v1/skus/${key}`)).body).toEqual(created.body)

  const updated = await shop.call('PUT', `/v1/products/${mug}/skus/${id}`, { price: 1190 })
  expect(updated.body).toEqual({ ...created.body, price: 1190, updated_at: instant })
  expect((await shop.call('GET', `/v1/skus/${id}`)).body).toEqual(updated.body)

  expect(await shop.call('DELETE', '/v1/products/mug/skus/mug-blue')).toMatchObject({ status: 204, body: null })
  for (const key of [id, 'mug-blue'])
    expect(await shop.call('GET', `/v1/skus/${key}`)).toMatchObject({
      status: 404,
      body: { details: `Cannot find sku with id ${key}`, resource_id: key, resource_type: 'sku' },
    })
})

test('an empty body creates an SKU with all default fields', async () => {
  const { shop, mug } = await mugShop()
  expect((await shop.call('POST', '/v1/products/mug/skus', {})).body).toEqual({
    id: expect.stringMatching(/^sku_/),
    source_id: null,
    product_id: mug,
    sku: null,
    price: null,
    currency: null,
    attributes: {},
    image_url: null,
    metadata: {},
    created_at: instant,
    updated_at: null,
    object: 'sku',
  })
  await newSku(shop, mug)
  expect((await shop.call('GET', '/v1/products/mug/skus')).body.total).toBe(2)
})

describe('POST /v1/products/{productId}/skus', () => {
  test('a known id or source id updates that SKU of the product with the sent fields', async () => {
    const { shop, mug } = await mugShop()
    const id = await newSku(shop, mug, {
      source_id: 'blue',
      sku: 'Blue',
      price: 5,
      currency: 'EUR',
      attributes: { color: 'blue', size: 1 },
      metadata: { a: 1, b: { x: 1 } },
    })
    const first = await shop.call('POST', '/v1/products/mug/skus', {
      source_id: 'blue',
      price: null,
      attributes: { size: 2 },
      metadata: { b: { y: 2 }, c: null },
    })
    expect(first.body).toMatchObject({ id, sku: 'Blue', price: null, currency: 'EUR', updated_at: instant })
    expect(first.body.attributes).toEqual({ size: 2 })
    expect(first.body.metadata).toEqual({ a: 1, b: { y: 2 }, c: null })
    // Each field sent alone changes, and no other field does.
    let now = first.body
    for (const sent of [
      { sku: 'Navy' },
      { price: 7 },
      { currency: 'USD' },
      { attributes: { a: 1 } },
      { image_url: 'j' },
    ]) {
      const { body } = await shop.call('POST', '/v1/products/mug/skus', { source_id: 'blue', ...sent })
      expect(body).toEqual({ ...now, ...sent, updated_at: instant })
      now = body
    }
    const second = await shop.call('POST', `/v1/products/${mug}/skus`, {
      id,
      source_id: 'other',
      currency: null,
      attributes: null,
      sku: null,
      image_url: 'i',
    })
    expect(second.body).toEqual({
      ...now,
      currency: null,
      attributes: {},
      sku: null,
      image_url: 'i',
      updated_at: instant,
    })
    expect(await listedIn(shop)).toEqual(['blue'])
  })

  test('an unknown product, an unknown id and an SKU of another product answer 404', async () => {
    const { shop, mug } = await mugShop()
    const cup = await newProduct(shop, 'cup')
    const blue = await newSku(shop, cup, { source_id: 'cup-blue' })
    expect(await shop.call('POST', '/v1/products/none/skus', { price: 'wrong' })).toMatchObject({
      status: 404,
      body: { resource_id: 'none', resource_type: 'product' },
    })
    for (const id of ['sku_0', blue, 'cup-blue', mug])
      expect(await shop.call('POST', '/v1/products/mug/skus', { id, source_id: 'x' })).toMatchObject({
        status: 404,
        body: { resource_id: id, resource_type: 'sku' },
      })
    expect(await listedIn(shop)).toEqual([])
  })

  test('a source id used by another product or in the bin is taken until it is permanently deleted', async () => {
    const { shop, mug } = await mugShop()
    const cup = await newProduct(shop, 'cup')
    await newSku(shop, cup, { source_id: 'blue', price: 5 })
    const taken = {
      status: 409,
      body: {
        key: 'duplicate_found',
        details: 'Duplicated sku exists with source_id blue',
        resource_id: 'blue',
        resource_type: 'sku',
      },
    }
    expect(await shop.call('POST', `/v1/products/${mug}/skus`, { source_id: 'blue', price: 6 })).toMatchObject(taken)
    expect((await shop.call('GET', '/v1/skus/blue')).body).toMatchObject({ product_id: cup, price: 5 })
    await shop.call('DELETE', '/v1/products/cup/skus/blue')
    for (const product of [mug, cup])
      expect(await shop.call('POST', `/v1/products/${product}/skus`, { source_id: 'blue' })).toMatchObject(taken)

    await newSku(shop, cup, { source_id: 'red' })
    expect(await shop.call('DELETE', '/v1/products/cup/skus/red?force=true')).toMatchObject({ status: 204 })
    await newSku(shop, mug, { source_id: 'red' })
  })
})

const refused: Array<[body: unknown, key: string, details: string]> = [
  [[], 'invalid_payload', 'Payload must be object'],
  [{ sku: 7 }, 'invalid_payload', 'Property .sku must be string,null'],
  [{ sku: '' }, 'invalid_payload', 'Property .sku must NOT have fewer than 1 characters'],
  [
    { price: '12.5' },
    'invalid_payload',
    'Property .price must match pattern ^[+-]?\\d+(\\.0+)?$: amounts are in minor units, so 12.5 is sent as 1250',
  ],
  [
    { price: 12.5 },
    'invalid_payload',
    'Property .price must be integer,null,string: amounts are in minor units, so 12.5 is sent as 1250',
  ],
  [{ price: -1 }, 'invalid_sku', 'Property .price must be >= 0'],
  [{ currency: 978 }, 'invalid_payload', 'Property .currency must be string,null'],
  [{ attributes: ['color'] }, 'invalid_payload', 'Property .attributes must be object,null'],
  [
    { attributes: { a: 'x'.repeat(65_600) } },
    'invalid_payload',
    'Property .attributes must NOT be larger than 65536 bytes',
  ],
  [{ metadata: 'a' }, 'invalid_payload', 'Property .metadata must be object,null'],
]

test.each(refused)('creation and update refuse %.60j: %s, %s', async (body, key, details) => {
  const { shop, mug } = await mugShop()
  const id = await newSku(shop, mug, { source_id: 'blue', sku: 'Blue', price: 5 })
  const refusal = { status: 400, body: { key, details } }
  expect(await shop.call('POST', '/v1/products/mug/skus', body)).toMatchObject(refusal)
  expect(await shop.call('PUT', '/v1/products/mug/skus/blue', body)).toMatchObject(refusal)
  if (!Array.isArray(body)) {
    const named = { ...(body as object), source_id: 'blue' }
    expect(await shop.call('POST', '/v1/products/mug/skus', named)).toMatchObject(refusal)
    expect(await shop.call('POST', '/v1/products/mug/skus', { ...named, id })).toMatchObject(refusal)
  }
  expect((await shop.call('GET', '/v1/skus/blue')).body).toMatchObject({ sku: 'Blue', price: 5, attributes: {} })
  expect(await listedIn(shop)).toEqual(['blue'])
})

describe('PUT /v1/products/{productId}/skus/{skuId}', () => {
  test('updates the sent fields and ignores unknown ones; attributes are replaced, metadata is merged', async () => {
    const { shop, mug } = await mugShop()
    await newProduct(shop, 'cup')
    const id = await newSku(shop, mug, { source_id: 'blue', attributes: { a: 1, b: 2 }, metadata: { a: 1 }, price: 5 })
    const { body } = await shop.call('PUT', '/v1/products/mug/skus/blue', {
      id: 'sku_x',
      source_id: 'red',
      product_id: 'cup',
      attributes: { b: 3 },
      metadata: { b: [2] },
      sku: 'Blue',
    })
    expect(body).toMatchObject({ id, source_id: 'blue', product_id: mug, sku: 'Blue', price: 5 })
    expect(body.attributes).toEqual({ b: 3 })
    expect(body.metadata).toEqual({ a: 1, b: [2] })
  })

  test('an unknown product, then an unknown SKU answer 404 before the body is validated', async () => {
    const { shop } = await mugShop()
    const cup = await newProduct(shop, 'cup')
    const blue = await newSku(shop, cup, { source_id: 'blue' })
    for (const [path, resourceId, resourceType] of [
      ['/v1/products/none/skus/blue', 'none', 'product'],
      ['/v1/products/mug/skus/none', 'none', 'sku'],
      ['/v1/products/mug/skus/blue', 'blue', 'sku'],
      [`/v1/products/mug/skus/${blue}`, blue, 'sku'],
    ]) {
      const missing = { status: 404, body: { key: 'not_found', resource_id: resourceId, resource_type: resourceType } }
      expect(await shop.call('PUT', path as string, { price: 'x' })).toMatchObject(missing)
      expect(await shop.call('DELETE', path as string)).toMatchObject(missing)
    }
    expect((await shop.call('GET', '/v1/skus/blue')).status).toBe(200)
  })

  test('an id takes precedence over an equal source id of another SKU of the product', async () => {
    const { shop, mug } = await mugShop()
    const first = await newSku(shop, mug, { source_id: 'first' })
    await newSku(shop, mug, { source_id: first })
    expect((await shop.call('PUT', `/v1/products/mug/skus/${first}`, { price: 1 })).body).toMatchObject({ id: first })
  })
})

describe('GET /v1/products/{productId}/skus', () => {
  test('lists the SKUs of the product, oldest first, in pages', async () => {
    const { shop, mug } = await mugShop()
    await newSku(shop, await newProduct(shop, 'cup'), { source_id: 'of the cup' })
    for (let n = 0; n < 12; n++) await newSku(shop, mug, { source_id: `s${n}` })
    const { body } = await shop.call('GET', `/v1/products/${mug}/skus`)
    expect(body).toMatchObject({ object: 'list', data_ref: 'skus', total: 12 })
    expect(Object.keys(body).sort()).toEqual(['data_ref', 'object', 'skus', 'total'])
    expect(body.skus[0]).toEqual((await shop.call('GET', '/v1/skus/s0')).body)
    expect(await listedIn(shop)).toEqual(Array.from({ length: 10 }, (_, n) => `s${n}`))
    expect(await listedIn(shop, 'page=2')).toEqual(['s10', 's11'])
    expect(await listedIn(shop, 'order=-created_at&limit=2')).toEqual(['s11', 's10'])
    expect(await shop.call('GET', '/v1/products/none/skus')).toMatchObject({
      status: 404,
      body: { resource_type: 'product' },
    })
  })

  test('paging returns each SKU exactly once in every order while others are created', async () => {
    const { shop, mug } = await mugShop()
    await expectStablePaging({
      shop,
      path: '/v1/products/mug/skus',
      orders: catalogueOrders,
      data_ref: 'skus',
      create: async (n) => {
        const id = await newSku(shop, mug, { source_id: `s${n}`, sku: `SKU ${1_000 - n}` })
        // Some are updated, in another order than they were created.
        if (n % 3 === 0) await shop.call('PUT', `/v1/products/mug/skus/s${n - (n % 2) * 3}`, { price: n })
        return id
      },
      sorted: Object.fromEntries(
        ['type', 'code', 'campaign', 'category'].map((word) => [word, ({ created_at }) => created_at]),
      ),
    })
  })

  const queries: Array<[query: string, found: string[]]> = [
    ['filters[name][conditions][$is]=Blue', ['a']],
    ['filters[sku][conditions][$starts_with]=B', ['a', 'b']],
    ['filters[source_id][conditions][$is]=c', ['c']],
    ['filters[price][conditions][$more_than]=5', ['b']],
    ['filters[price][conditions][$is_unknown]=', ['c']],
    ['filters[metadata.stock][conditions][$is]=3', ['a']],
    ['filters[updated_at][conditions][$has_value]', ['b']],
    ['filters[created_at][conditions][$before]=2025-03-02T12:00:00Z', ['a']],
    ['start_date=2025-03-02T12:00:00Z&end_date=2025-03-03T12:00:00Z', ['b', 'c']],
    ['created_at[after]=2025-03-02T12:00:00Z', ['c']],
  ]

  test('filters by every field and date', async () => {
    const { shop, mug } = await mugShop()
    const skus = [
      { source_id: 'a', sku: 'Blue', price: 5, metadata: { stock: 3 } },
      { source_id: 'b', sku: 'Black', price: 7 },
      { source_id: 'c' },
    ]
    for (const [index, sku] of skus.entries()) {
      const createdAt = `2025-03-0${index + 1}T12:00:00.000Z`
      const id = await newSku(shop, mug, sku)
      await sql`update skus set created_at = ${createdAt} where project_id = ${shop.project_id} and id = ${id}`.execute(
        shop.service.runtime.database.db,
      )
    }
    await shop.call('PUT', '/v1/products/mug/skus/b', {})
    for (const [query, found] of queries) expect(await listedIn(shop, query), query).toEqual(found)
  })

  test.each(['limit=0', 'order=sku', 'starting_after_id=sku_0', 'filters[color][conditions][$is]=x'])(
    '%s is refused',
    async (query) => {
      const { shop } = await mugShop()
      expect(await shop.call('GET', `/v1/products/mug/skus?${query}`)).toMatchObject({
        status: 400,
        body: { key: 'invalid_query_params' },
      })
    },
  )

  test('refuses a cursor of another product', async () => {
    const { shop } = await mugShop()
    const other = await newSku(shop, await newProduct(shop, 'cup'))
    expect(await shop.call('GET', `/v1/products/mug/skus?starting_after_id=${other}`)).toMatchObject({ status: 400 })
  })
})

describe('DELETE /v1/products/{productId}/skus/{skuId}', () => {
  test('deletes one SKU and keeps the others in every list', async () => {
    const { shop, mug } = await mugShop()
    const blue = await newSku(shop, mug, { source_id: 'blue' })
    await newSku(shop, mug, { source_id: 'red' })
    expect(await shop.call('DELETE', `/v1/products/${mug}/skus/${blue}`)).toMatchObject({ status: 204 })
    expect(await listedIn(shop)).toEqual(['red'])
    expect((await shop.call('GET', '/v1/products/mug')).body.skus).toMatchObject({
      data: [{ source_id: 'red' }],
      total: 1,
    })
    expect(await shop.call('DELETE', `/v1/products/${mug}/skus/${blue}`)).toMatchObject({ status: 404 })
    expect(await shop.call('DELETE', `/v1/products/${mug}/skus/red?force=2`)).toMatchObject({
      status: 400,
      body: { key: 'invalid_query_params', details: 'Property .force must be boolean' },
    })
  })
})
