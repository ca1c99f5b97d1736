import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { newProject, type Shop } from '../../testing/app.ts'
import { expectStablePaging } from '../../testing/paging.ts'
import { catalogueOrders } from './sorting.ts'

const instant = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
const shipping = 'prod_5h1pp1ng'

async function newProduct(shop: Shop, body: object = {}): Promise<string> {
  const answer = await shop.call('POST', '/v1/products', body)
  expect(answer, JSON.stringify(answer.body)).toMatchObject({ status: 200 })
  return answer.body.id
}

async function newSku(shop: Shop, product: string, body: object = {}): Promise<string> {
  const answer = await shop.call('POST', `/v1/products/${product}/skus`, body)
  expect(answer, JSON.stringify(answer.body)).toMatchObject({ status: 200 })
  return answer.body.id
}

/** The source ids of a list, without the built-in product. */
async function listedIn(shop: Shop, query: string): Promise<string[]> {
  const { status, body } = await shop.call('GET', `/v1/products?${query}`)
  expect(status, JSON.stringify(body)).toBe(200)
  return body.products
    .map((product: { source_id: string }) => product.source_id)
    .filter((id: string) => id !== '5h1pp1ng')
}

test('a product can be created, read, updated and deleted', async () => {
  const shop = await newProject()
  const created = await shop.call('POST', '/v1/products', {
    source_id: 'mug',
    name: 'Mug',
    price: 1250,
    attributes: ['color', 'size'],
    metadata: { dishwasher: true, tags: ['a'] },
    image_url: 'https://shop.example/mug.png',
  })
  expect(created.status).toBe(200)
  expect(created.body).toEqual({
    id: expect.stringMatching(/^prod_[0-9a-f]{18}$/),
    source_id: 'mug',
    name: 'Mug',
    price: 1250,
    attributes: ['color', 'size'],
    metadata: { dishwasher: true, tags: ['a'] },
    image_url: 'https://shop.example/mug.png',
    created_at: instant,
    updated_at: null,
    object: 'product',
  })
  const noSkus = { object: 'list', data_ref: 'data', data: [], total: 0 }
  const path = `/v1/products/${created.body.id}`
  expect((await shop.call('GET', path)).body).toEqual({ ...created.body, skus: noSkus })

  const updated = await shop.call('PUT', path, { price: 990 })
  expect(updated).toMatchObject({ status: 200 })
  expect(updated.body).toEqual({ ...created.body, price: 990, updated_at: instant })
  expect((await shop.call('GET', path)).body).toEqual({ ...updated.body, skus: noSkus })

  expect(await shop.call('DELETE', path)).toMatchObject({ status: 204, body: null })
  for (const key of [created.body.id, 'mug'])
    expect(await shop.call('GET', `/v1/products/${key}`)).toMatchObject({
      status: 404,
      body: {
        key: 'not_found',
        details: `Cannot find product with id ${key}`,
        resource_id: key,
        resource_type: 'product',
      },
    })
})

test('an empty body creates a product with all default fields', async () => {
  const shop = await newProject()
  expect((await shop.call('POST', '/v1/products', {})).body).toEqual({
    id: expect.stringMatching(/^prod_/),
    source_id: null,
    name: null,
    price: null,
    attributes: [],
    metadata: {},
    image_url: null,
    created_at: instant,
    updated_at: null,
    object: 'product',
  })
  // Two products without a source id are distinct.
  await newProduct(shop)
  expect((await shop.call('GET', '/v1/products')).body.total).toBe(3)
})

describe('the key of a product in a request', () => {
  test('is its id or else its source id, case-sensitive', async () => {
    const shop = await newProject()
    const mug = await newProduct(shop, { source_id: 'mug', name: 'Mug' })
    const namedLikeIt = await newProduct(shop, { source_id: mug, name: 'Impostor' })
    expect((await shop.call('GET', '/v1/products/mug')).body).toMatchObject({ id: mug })
    expect((await shop.call('GET', `/v1/products/${mug}`)).body).toMatchObject({ name: 'Mug' })
    expect((await shop.call('GET', `/v1/products/${namedLikeIt}`)).body).toMatchObject({ name: 'Impostor' })
    expect(await shop.call('GET', '/v1/products/Mug')).toMatchObject({ status: 404 })

    await newProduct(shop, { source_id: 'tea/green 50%', name: 'Tea' })
    const path = `/v1/products/${encodeURIComponent('tea/green 50%')}`
    expect((await shop.call('PUT', path, { name: 'Green tea' })).body).toMatchObject({ name: 'Green tea' })
    expect(await shop.call('DELETE', path)).toMatchObject({ status: 204 })
  })
})

describe('POST /v1/products', () => {
  test('a known source id or id updates that product with the sent fields and merges metadata by key', async () => {
    const shop = await newProject()
    const id = await newProduct(shop, {
      source_id: 'mug',
      name: 'Mug',
      price: 1250,
      attributes: ['color'],
      metadata: { a: 1, b: { x: 1 }, list: [1, 2] },
      image_url: 'https://shop.example/mug.png',
    })
    const first = await shop.call('POST', '/v1/products', {
      source_id: 'mug',
      price: null,
      metadata: { b: { y: 2 }, list: [3], c: null },
    })
    expect(first).toMatchObject({
      status: 200,
      body: { id, name: 'Mug', price: null, attributes: ['color'], updated_at: instant },
    })
    expect(first.body.metadata).toEqual({ a: 1, b: { y: 2 }, list: [3], c: null })

    // Each field sent alone changes, and no other field does.
    let now = first.body
    for (const sent of [{ name: 'Pot' }, { price: 7 }, { attributes: ['x'] }, { image_url: 'i' }, { name: null }]) {
      const { body } = await shop.call('POST', '/v1/products', { source_id: 'mug', ...sent })
      expect(body).toEqual({ ...now, ...sent, updated_at: instant })
      now = body
    }

    const second = await shop.call('POST', '/v1/products', {
      id,
      source_id: 'other',
      name: 'Cup',
      attributes: null,
      image_url: null,
      metadata: null,
    })
    expect(second.body).toEqual({ ...now, name: 'Cup', attributes: [], image_url: null, updated_at: instant })
    expect(await listedIn(shop, '')).toEqual(['mug'])
  })

  test('a price may be sent as text of a whole number, of products and of SKUs', async () => {
    const shop = await newProject()
    const { body: mug } = await shop.call('POST', '/v1/products', { source_id: 'mug', price: '2699.00' })
    expect(mug.price).toBe(2_699)
    expect((await shop.call('PUT', '/v1/products/mug', { price: '2700' })).body.price).toBe(2_700)
    const path = '/v1/products/mug/skus'
    const { body: sku } = await shop.call('POST', path, { source_id: 'blue', price: '12.0', attributes: { size: '7' } })
    expect(sku).toMatchObject({ price: 12, attributes: { size: '7' } })
    expect((await shop.call('PUT', `${path}/blue`, { price: '13.00' })).body.price).toBe(13)
  })

  test('sets `updated_at` even if nothing changes', async () => {
    const shop = await newProject()
    await newProduct(shop, { source_id: 'mug' })
    expect((await shop.call('POST', '/v1/products', { source_id: 'mug' })).body).toMatchObject({ updated_at: instant })
  })

  test('an unknown id, an SKU id or a source id sent as id answers 404 and creates nothing', async () => {
    const shop = await newProject()
    const mug = await newProduct(shop, { source_id: 'mug' })
    const blue = await newSku(shop, mug, { source_id: 'mug-blue' })
    for (const id of ['prod_0', blue, 'mug'])
      expect(await shop.call('POST', '/v1/products', { id, source_id: 'new', price: 1 })).toMatchObject({
        status: 404,
        body: { key: 'not_found', resource_id: id, resource_type: 'product' },
      })
    expect(await listedIn(shop, '')).toEqual(['mug'])
  })

  test('a product and an SKU may share a source id, and so may two projects', async () => {
    const [shop, other] = [await newProject(), await newProject()]
    const mug = await newProduct(shop, { source_id: 'mug' })
    await newSku(shop, mug, { source_id: 'mug' })
    expect(await newProduct(other, { source_id: 'mug' })).not.toBe(mug)
    expect((await shop.call('GET', '/v1/skus/mug')).body).toMatchObject({ object: 'sku', product_id: mug })
  })

  test('ignores unknown and read-only fields', async () => {
    const shop = await newProject()
    const { body } = await shop.call('POST', '/v1/products', {
      source_id: 'mug',
      color: 'red',
      object: 'voucher',
      created_at: '2001-01-01T00:00:00Z',
      deleted_at: '2001-01-01T00:00:00Z',
      skus: { data: [{ source_id: 'x' }] },
    })
    expect(body).toMatchObject({ object: 'product' })
    expect(body.created_at > '2020').toBe(true)
    expect(Object.keys(body)).not.toContain('color')
    expect((await shop.call('GET', '/v1/products/mug')).body.skus.total).toBe(0)
  })

  test('stores all characters exactly as sent', async () => {
    const shop = await newProject()
    const name = `"quoted" \\ back, 'single' ${'🎁'.repeat(200)}`
    const metadata = { 'a.b': 'c"d', "it's": [true, null, 1.5], deep: { k: '\u2028' } }
    const { body } = await shop.call('POST', '/v1/products', {
      source_id: 'ü/ß',
      name,
      metadata,
      price: Number.MAX_SAFE_INTEGER,
    })
    expect(body).toMatchObject({ source_id: 'ü/ß', name, metadata, price: Number.MAX_SAFE_INTEGER })
    expect((await shop.call('GET', `/v1/products/${body.id}`)).body).toMatchObject({ name, metadata })
  })
})

const refused: Array<[body: unknown, key: string, details: string]> = [
  [[], 'invalid_payload', 'Payload must be object'],
  [{ name: 7 }, 'invalid_payload', 'Property .name must be string,null'],
  [{ name: '' }, 'invalid_payload', 'Property .name must NOT have fewer than 1 characters'],
  [{ name: 'n'.repeat(256) }, 'invalid_payload', 'Property .name must NOT have more than 255 characters'],
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

  [{ price: 2 ** 53 }, 'invalid_payload', 'Property .price must be <= 9007199254740991'],
  [{ price: -1 }, 'invalid_product', 'Property .price must be >= 0'],
  [{ attributes: 'color' }, 'invalid_payload', 'Property .attributes must be array,null'],
  [{ attributes: ['color', 3] }, 'invalid_payload', 'Property .attributes[1] must be string'],
  [{ attributes: Array(1001).fill('a') }, 'invalid_payload', 'Property .attributes must NOT have more than 1000 items'],
  [{ metadata: ['a'] }, 'invalid_payload', 'Property .metadata must be object,null'],
  [{ image_url: 1 }, 'invalid_payload', 'Property .image_url must be string,null'],
]

test.each(refused)('creation and update refuse %j: %s, %s', async (body, key, details) => {
  const shop = await newProject()
  const before = await newProduct(shop, { source_id: 'mug', name: 'Mug', price: 5, metadata: { a: 1 } })
  const refusal = { status: 400, body: { key, details } }
  expect(await shop.call('POST', '/v1/products', body)).toMatchObject(refusal)
  expect(await shop.call('PUT', '/v1/products/mug', body)).toMatchObject(refusal)
  if (!Array.isArray(body)) {
    const named = { ...(body as object), source_id: 'mug' }
    expect(await shop.call('POST', '/v1/products', named)).toMatchObject(refusal)
    expect(await shop.call('POST', '/v1/products', { ...named, id: before })).toMatchObject(refusal)
  }
  expect((await shop.call('GET', '/v1/products/mug')).body).toMatchObject({ name: 'Mug', price: 5, metadata: { a: 1 } })
  expect(await listedIn(shop, '')).toEqual(['mug'])
})

test('an update whose merged metadata is too large is refused and changes nothing', async () => {
  const shop = await newProject()
  const half = 'x'.repeat(40_000)
  await newProduct(shop, { source_id: 'mug', metadata: { a: half } })
  for (const [method, path] of [
    ['POST', '/v1/products'],
    ['PUT', '/v1/products/mug'],
  ] as const)
    expect(await shop.call(method, path, { source_id: 'mug', metadata: { b: half } })).toMatchObject({
      status: 400,
      body: { key: 'invalid_payload', details: 'Property .metadata must NOT be larger than 65536 bytes' },
    })
  expect((await shop.call('GET', '/v1/products/mug')).body.metadata).toEqual({ a: half })
})

describe('PUT /v1/products/{productId}', () => {
  test('updates only the sent fields; null clears a field; id and source id never change', async () => {
    const shop = await newProject()
    const id = await newProduct(shop, {
      source_id: 'mug',
      name: 'Mug',
      price: 5,
      attributes: ['a'],
      metadata: { a: 1 },
    })
    const {
      body: { warnings, ...body },
    } = await shop.call('PUT', '/v1/products/mug', {
      id: 'prod_other',
      source_id: 'cup',
      name: null,
      metadata: { b: 2 },
    })
    expect(body).toMatchObject({ id, source_id: 'mug', name: null, price: 5, attributes: ['a'] })
    expect(body.metadata).toEqual({ a: 1, b: 2 })
    expect(warnings).toHaveLength(2)
    expect((await shop.call('PUT', '/v1/products/mug', {})).body).toEqual({ ...body, updated_at: instant })
  })

  test('an unknown product answers 404 before the body is validated', async () => {
    const shop = await newProject()
    expect(await shop.call('PUT', '/v1/products/none', { price: 'x' })).toMatchObject({
      status: 404,
      body: { resource_id: 'none', resource_type: 'product' },
    })
  })
})

describe('GET /v1/products/{productId}', () => {
  test('includes the SKUs, oldest first, unless hidden by the query', async () => {
    const shop = await newProject()
    const mug = await newProduct(shop, { source_id: 'mug' })
    const ids = [await newSku(shop, mug), await newSku(shop, mug, { source_id: 'blue', price: 7 })]
    await newSku(shop, await newProduct(shop), { source_id: 'of another' })
    const { body } = await shop.call('GET', '/v1/products/mug')
    expect(body.skus).toMatchObject({ object: 'list', data_ref: 'data', total: 2 })
    expect(body.skus.data.map(({ id }: { id: string }) => id)).toEqual(ids)
    expect(body.skus.data[1]).toEqual((await shop.call('GET', '/v1/skus/blue')).body)
    expect((await shop.call('GET', '/v1/products/mug?hide=sku')).body.skus).toBeUndefined()
    expect((await shop.call('GET', '/v1/products/mug?hide=else')).body.skus.total).toBe(2)
  })

  test('includes the first 100 SKUs and the total', async () => {
    const shop = await newProject()
    const mug = await newProduct(shop, { source_id: 'mug' })
    const { database } = shop.service.runtime
    await database.db
      .insertInto('skus')
      .values(
        Array.from({ length: 105 }, (_, index) => ({
          project_id: shop.project_id,
          id: `sku_${index}` as const,
          product_id: mug as `prod_${string}`,
          source_id: null,
          sku: null,
          price: index,
          currency: null,
          attributes: '{}',
          metadata: '{}',
          image_url: null,
          created_at: new Date(1_700_000_000_000 + index).toISOString(),
          updated_at: null,
          deleted_at: null,
        })),
      )
      .execute()
    for (const { skus } of [
      (await shop.call('GET', '/v1/products/mug')).body,
      (await shop.call('GET', '/v1/products?order=-created_at')).body.products[0],
    ]) {
      expect(skus.total).toBe(105)
      expect(skus.data.map(({ price }: { price: number }) => price)).toEqual(Array.from({ length: 100 }, (_, at) => at))
    }
  })
})

describe('the built-in product', () => {
  test('exists in every new project and can be read', async () => {
    const shop = await newProject()
    const { body } = await shop.call('GET', '/v1/products')
    expect(body).toMatchObject({ object: 'list', data_ref: 'products', total: 1 })
    expect(body.products).toMatchObject([{ id: shipping, source_id: '5h1pp1ng', name: 'Shipping', price: null }])
    expect((await shop.call('GET', '/v1/products/5h1pp1ng')).body).toMatchObject({ id: shipping })
  })

  const attempts: Array<[method: string, path: string, body?: object]> = [
    ['POST', '/v1/products', { id: shipping, price: 500 }],
    ['POST', '/v1/products', { source_id: '5h1pp1ng', price: 500 }],
    ['PUT', `/v1/products/${shipping}`, { price: 500 }],
    ['PUT', '/v1/products/5h1pp1ng', { price: 500 }],
    ['DELETE', `/v1/products/${shipping}`],
    ['DELETE', '/v1/products/5h1pp1ng?force=true'],
    ['POST', '/v1/products/5h1pp1ng/skus', { source_id: 'express' }],
  ]
  test.each(attempts)('cannot be changed: %s %s %j', async (method, path, body) => {
    const shop = await newProject()
    expect(await shop.call(method, path, body)).toMatchObject({
      status: 400,
      body: { key: 'resource_protected', message: 'Resource is protected', resource_type: 'product' },
    })
    expect((await shop.call('GET', `/v1/products/${shipping}`)).body).toMatchObject({ price: null, skus: { total: 0 } })
  })
})

describe('DELETE /v1/products/{productId}', () => {
  async function mugWithSku(shop: Shop): Promise<{ mug: string; blue: string }> {
    const mug = await newProduct(shop, { source_id: 'mug' })
    return { mug, blue: await newSku(shop, mug, { source_id: 'mug-blue' }) }
  }

  test.each(['', '?force=false'])(
    '%j moves the product and its SKUs to the bin: they are hidden and their source ids stay taken',
    async (query) => {
      const shop = await newProject()
      const { mug, blue } = await mugWithSku(shop)
      const cup = await newProduct(shop, { source_id: 'cup' })
      expect(await shop.call('DELETE', `/v1/products/mug${query}`)).toMatchObject({ status: 204 })

      for (const path of [mug, 'mug', `${mug}/skus`, 'mug/skus'].map((name) => `/v1/products/${name}`))
        expect(await shop.call('GET', path)).toMatchObject({ status: 404, body: { resource_type: 'product' } })
      for (const key of [blue, 'mug-blue'])
        expect(await shop.call('GET', `/v1/skus/${key}`)).toMatchObject({ status: 404, body: { resource_type: 'sku' } })
      expect(await listedIn(shop, '')).toEqual(['cup'])
      for (const [method, path, body] of [
        ['PUT', `/v1/products/${mug}`, { price: 1 }],
        ['DELETE', `/v1/products/${mug}?force=true`],
        ['POST', '/v1/products', { id: mug }],
        ['POST', `/v1/products/${mug}/skus`, {}],
        ['PUT', `/v1/products/${cup}/skus/${blue}`, {}],
        ['POST', `/v1/products/${cup}/skus`, { id: blue }],
      ] as const)
        expect(await shop.call(method, path, body), path).toMatchObject({ status: 404 })

      expect(await shop.call('POST', '/v1/products', { source_id: 'mug', name: 'New' })).toMatchObject({
        status: 409,
        body: {
          key: 'duplicate_found',
          message: 'Duplicated resource found',
          details: 'Duplicated product exists with source_id mug',
          resource_id: 'mug',
          resource_type: 'product',
        },
      })
      expect(await shop.call('POST', '/v1/products/cup/skus', { source_id: 'mug-blue' })).toMatchObject({
        status: 409,
        body: {
          key: 'duplicate_found',
          details: 'Duplicated sku exists with source_id mug-blue',
          resource_type: 'sku',
        },
      })
    },
  )

  test('with force it is permanently deleted, including SKUs already in the bin', async () => {
    const shop = await newProject()
    const { mug, blue } = await mugWithSku(shop)
    await newSku(shop, mug, { source_id: 'mug-red' })
    await shop.call('DELETE', '/v1/products/mug/skus/mug-red')
    const cup = await newProduct(shop, { source_id: 'cup' })
    await newSku(shop, cup, { source_id: 'cup-blue' })
    expect(await shop.call('DELETE', '/v1/products/mug?force=true')).toMatchObject({ status: 204 })

    expect(await shop.call('GET', `/v1/products/${mug}`)).toMatchObject({ status: 404 })
    expect(await shop.call('GET', `/v1/skus/${blue}`)).toMatchObject({ status: 404 })
    const again = await newProduct(shop, { source_id: 'mug' })
    expect(again).not.toBe(mug)
    expect((await shop.call('GET', '/v1/products/mug')).body.skus.total).toBe(0)
    expect(await newSku(shop, cup, { source_id: 'mug-blue' })).not.toBe(blue)
    await newSku(shop, again, { source_id: 'mug-red' })
    expect((await shop.call('GET', '/v1/skus/cup-blue')).status).toBe(200)
  })

  test('an unknown product answers 404; an invalid boolean is refused before the lookup', async () => {
    const shop = await newProject()
    expect(await shop.call('DELETE', '/v1/products/none')).toMatchObject({ status: 404 })
    expect(await shop.call('DELETE', '/v1/products/none?force=perhaps')).toMatchObject({
      status: 400,
      body: { key: 'invalid_query_params', details: 'Property .force must be boolean' },
    })
  })

  /** Each way to reference a product or an SKU, by id or by source id. */
  const namings: Array<[how: string, type: string, path: string, body: (object: string, id: string) => object]> = [
    [
      'a condition of a rule',
      'validation_rules',
      '/v1/validation-rules',
      (object, id) => ({ rules: { 1: { name: 'order.items.any', conditions: { $is: [{ id, object }] } } } }),
    ],
    [
      'what a rule applies to',
      'validation_rules',
      '/v1/validation-rules',
      (object, id) => ({ applicable_to: { excluded: [{ id, object }] } }),
    ],
    [
      'the bundle of a rule',
      'validation_rules',
      '/v1/validation-rules',
      (object, id) => ({
        bundle_rules: { logic: '1', 1: { name: 'order.items.any', conditions: { $is: [{ id, object }] } } },
      }),
    ],
    [
      'a static collection',
      'products_collection',
      '/v1/product-collections',
      (object, id) => ({
        type: 'STATIC',
        products: [{ id, object, ...(object === 'sku' ? { product_id: 'mug' } : {}) }],
      }),
    ],
  ]

  describe.each(namings)('is refused while %s', (_, relatedObjectType, path, body) => {
    test.each([
      ['product', 'mug'],
      ['sku', 'mug-blue'],
    ])('references it or one of its SKUs: %s %s', async (object, sourceId) => {
      const shop = await newProject()
      const { mug, blue } = await mugWithSku(shop)
      for (const id of [object === 'product' ? mug : blue, sourceId]) {
        const stored = await shop.call('POST', path, { name: 'Mugs', ...body(object, id) })
        expect(stored, JSON.stringify(stored.body)).toMatchObject({ status: 200 })
        const related = {
          related_object_ids: [stored.body.id],
          related_object_type: relatedObjectType,
          related_object_total: 1,
        }
        const details = `is in use by ${relatedObjectType} with ids [${stored.body.id}]`
        for (const query of ['', '?force=true'])
          expect((await shop.call('DELETE', `/v1/products/mug${query}`)).body).toEqual({
            code: 400,
            key: 'resource_in_use',
            message: 'Resource in use',
            details: `Resource product with id ${mug} ${details}`,
            resource_id: mug,
            resource_type: 'product',
            ...related,
            request_id: expect.any(String),
          })
        if (object === 'sku')
          for (const query of ['', '?force=true'])
            expect(await shop.call('DELETE', `/v1/products/mug/skus/mug-blue${query}`)).toMatchObject({
              status: 400,
              body: {
                key: 'resource_in_use',
                details: `Resource sku with id ${blue} ${details}`,
                resource_id: blue,
                resource_type: 'sku',
                ...related,
              },
            })
        expect(await shop.call('DELETE', `${path}/${stored.body.id}`)).toMatchObject({ status: 204 })
      }
      expect(await shop.call('DELETE', '/v1/products/mug/skus/mug-blue')).toMatchObject({ status: 204 })
      expect(await shop.call('DELETE', '/v1/products/mug')).toMatchObject({ status: 204 })
    })
  })

  test('is not blocked by rules and collections that reference other goods', async () => {
    const shop = await newProject()
    await mugWithSku(shop)
    const cup = await newProduct(shop, { source_id: 'cup' })
    for (const [, , path, body] of namings)
      expect(await shop.call('POST', path, { name: 'Cups', ...body('product', cup) })).toMatchObject({ status: 200 })
    // A product with the source id of an SKU is not that SKU.
    const namedAlike = { included: [{ id: 'mug-blue', object: 'product' }] }
    expect(await shop.call('POST', '/v1/validation-rules', { applicable_to: namedAlike })).toMatchObject({
      status: 200,
    })
    expect(await shop.call('DELETE', '/v1/products/mug')).toMatchObject({ status: 204 })
  })
})

describe('GET /v1/products', () => {
  test('lists oldest first, in pages, each product with its SKUs', async () => {
    const shop = await newProject()
    for (let n = 0; n < 12; n++) await newProduct(shop, { source_id: `p${n}` })
    await newSku(shop, 'p1', { source_id: 'p1-a' })
    await newSku(shop, 'p1', { source_id: 'p1-b' })
    const first = await shop.call('GET', '/v1/products')
    expect(first.body).toMatchObject({ object: 'list', data_ref: 'products', total: 13 })
    expect(first.body.products.map((product: { source_id: string }) => product.source_id)).toEqual([
      '5h1pp1ng',
      ...Array.from({ length: 9 }, (_, n) => `p${n}`),
    ])
    expect(first.body.products.map((product: { skus: { total: number } }) => product.skus.total)).toEqual([
      0, 0, 2, 0, 0, 0, 0, 0, 0, 0,
    ])
    expect(first.body.products[2]).toEqual((await shop.call('GET', '/v1/products/p1')).body)
    expect(await listedIn(shop, 'page=2')).toEqual(['p9', 'p10', 'p11'])
    expect((await shop.call('GET', '/v1/products?page=3')).body).toMatchObject({ products: [], total: 13 })
    expect(await listedIn(shop, 'order=-created_at&limit=2&page=2')).toEqual(['p9', 'p8'])
  })

  test('paging returns each product exactly once in every order while others are created', async () => {
    const shop = await newProject()
    await expectStablePaging({
      shop,
      path: '/v1/products',
      orders: catalogueOrders,
      data_ref: 'products',
      create: async (n) => {
        const id = await newProduct(shop, { source_id: `p${n}`, name: `Product ${1_000 - n}` })
        // Some are updated, in another order than they were created.
        if (n % 3 === 0) await shop.call('PUT', `/v1/products/p${n - (n % 2) * 3}`, { price: n })
        return id
      },
      sorted: Object.fromEntries(
        ['type', 'code', 'campaign', 'category'].map((word) => [word, ({ created_at }) => created_at]),
      ),
    })
  })

  const queries: Array<[query: string, found: string[]]> = [
    ['filters[name][conditions][$is]=Tea', ['tea']],
    ['filters[name][conditions][$starts_with]=T', ['tea', 'tee']],
    ['filters[source_id][conditions][$in][0]=mug&filters[source_id][conditions][$in][1]=tee', ['mug', 'tee']],
    ['filters[price][conditions][$more_than]=500', ['mug']],
    ['filters[price][conditions][$less_than_equal]=500', ['tea', 'tee']],
    ['filters[price][conditions][$is_unknown]=', ['gift']],
    ['filters[metadata.color][conditions][$is]=red', ['tee']],
    ['filters[metadata.stock][conditions][$more_than]=5', ['mug']],
    ['filters[metadata.color][conditions][$has_value]', ['mug', 'tee']],
    ['filters[junction]=or&filters[name][conditions][$is]=Tea&filters[price][conditions][$is]=1250', ['mug', 'tea']],
    ['filters[updated_at][conditions][$has_value]', ['tea']],
    ['filters[created_at][conditions][$after]=2025-03-02T12:00:00Z', ['tee', 'gift']],
    ['start_date=2025-03-02T12:00:00.000Z&end_date=2025-03-03T12:00:00Z', ['tea', 'tee']],
    ['start_date=2025-03-03', ['tee', 'gift']],
    ['created_at[before]=2025-03-02T12:00:00Z', ['mug']],
  ]

  test('filters by every field and date', async () => {
    const shop = await newProject()
    const goods = [
      { source_id: 'mug', name: 'Mug', price: 1250, metadata: { color: 'blue', stock: 7 } },
      { source_id: 'tea', name: 'Tea', price: 500, metadata: { stock: '12' } },
      { source_id: 'tee', name: 'Tee shirt', price: 0, metadata: { color: 'red' } },
      { source_id: 'gift', metadata: { color: '' } },
    ]
    for (const [index, good] of goods.entries()) {
      const id = await newProduct(shop, good)
      const createdAt = `2025-03-0${index + 1}T12:00:00.000Z`
      await sql`update products set created_at = ${createdAt} where project_id = ${shop.project_id} and id = ${id}`.execute(
        shop.service.runtime.database.db,
      )
    }
    await shop.call('PUT', '/v1/products/tea', {})
    for (const [query, found] of queries) expect(await listedIn(shop, query), query).toEqual(found)
  })

  const bad: Array<[query: string, details: string | RegExp]> = [
    ['limit=0', 'Property .limit must be >= 1'],
    ['limit=101', 'Property .limit must be <= 100'],
    ['page=101', 'Property .page must be <= 100'],
    ['order=name', /^Property \.order must be equal to one of the allowed values/],
    ['starting_after_id=prod_0', 'Property .starting_after_id must be the id of an object in this list'],
    ['filters[name][conditions][$like]=x', /^Property \.filters should match either/],
    ['filters[color][conditions][$is]=x', /^Property \.filters\.color is not a known field$/],
    ['start_date=yesterday', 'Property .start_date cannot be recognized as a ISO-8601 compliant date'],
  ]
  test.each(bad)('%s is refused', async (query, details) => {
    const shop = await newProject()
    const { status, body } = await shop.call('GET', `/v1/products?${query}`)
    expect({ status, key: body.key }).toEqual({ status: 400, key: 'invalid_query_params' })
    expect(body.details).toMatch(details)
  })
})
