import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { limits } from '../../core/lib/limits.ts'
import { newProject, type Shop } from '../../testing/app.ts'
import { expectStablePaging } from '../../testing/paging.ts'

const instant = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
const path = '/v1/product-collections'
const everything = 'pc_a11pr0dUc75'

const filter = (field: string, operator: string, given: unknown, junction = 'and') => ({
  junction,
  [field]: { conditions: { [operator]: given } },
})

// biome-ignore lint/suspicious/noExplicitAny: an answer in a test is whatever the test expects of it
async function succeed(answer: Promise<{ status: number; body: any }>): Promise<any> {
  const { status, body } = await answer
  expect(status, JSON.stringify(body)).toBe(200)
  return body
}

const newProduct = async (shop: Shop, body: object): Promise<string> =>
  (await succeed(shop.call('POST', '/v1/products', body))).id
const newSku = async (shop: Shop, product: string, body: object): Promise<string> =>
  (await succeed(shop.call('POST', `/v1/products/${product}/skus`, body))).id

const newCollection = (shop: Shop, body: object) => succeed(shop.call('POST', path, { name: 'Teas', ...body }))
const dynamic = (shop: Shop, field: string, operator: string, given: unknown) =>
  newCollection(shop, { type: 'AUTO_UPDATE', filter: filter(field, operator, given) })

/** The ids in a collection, in the order of its list. */
const idsIn = async (shop: Shop, collection: string, query = ''): Promise<string[]> =>
  (await succeed(shop.call('GET', `${path}/${collection}/products?limit=100&${query}`))).data.map(
    ({ id }: { id: string }) => id,
  )

describe('a static collection', () => {
  test('can be created, read, renamed and deleted', async () => {
    const shop = await newProject()
    const product = await newProduct(shop, { source_id: 'tea' })
    const sku = await newSku(shop, product, { source_id: 'tea-green' })
    const created = await newCollection(shop, {
      type: 'STATIC',
      products: [
        { id: product, object: 'product' },
        { id: sku, object: 'sku', product_id: product },
      ],
    })
    expect(created).toEqual({
      id: expect.stringMatching(/^pc_[0-9A-Za-z]{24}$/),
      name: 'Teas',
      type: 'STATIC',
      products: [
        { id: product, object: 'product' },
        { id: sku, object: 'sku', product_id: product },
      ],
      created_at: instant,
      object: 'products_collection',
    })
    expect((await shop.call('GET', `${path}/${created.id}`)).body).toEqual(created)

    const updated = await succeed(shop.call('PUT', `${path}/${created.id}`, { name: 'All teas' }))
    expect(updated).toEqual({ ...created, name: 'All teas', updated_at: instant })
    expect((await shop.call('GET', `${path}/${created.id}`)).body).toEqual(updated)

    expect(await shop.call('DELETE', `${path}/${created.id}`)).toMatchObject({ status: 204, body: null })
    for (const [method, rest, body] of [
      ['GET', ''],
      ['PUT', '', { name: 7 }],
      ['DELETE', ''],
      ['GET', '/products'],
      ['GET', '/activities'],
    ] as const)
      expect(await shop.call(method, `${path}/${created.id}${rest}`, body)).toMatchObject({
        status: 404,
        body: {
          key: 'not_found',
          details: `Cannot find products_collection with id ${created.id}`,
          resource_id: created.id,
          resource_type: 'products_collection',
        },
      })
  })

  test('an update cannot change its type and members', async () => {
    const shop = await newProject()
    const product = await newProduct(shop, {})
    const { id } = await newCollection(shop, { type: 'STATIC', products: [{ id: product, object: 'product' }] })
    const body = { type: 'AUTO_UPDATE', products: [], filter: filter('price', '$like', 1), colour: 'red' }
    const updated = await succeed(shop.call('PUT', `${path}/${id}`, body))
    expect(updated).toMatchObject({ name: 'Teas', type: 'STATIC', products: [{ id: product }], updated_at: instant })
    expect(updated).not.toHaveProperty('filter')
  })

  test('may be empty and ignores a filter', async () => {
    const shop = await newProject()
    const plain = await newCollection(shop, { type: 'STATIC', name: 'A', filter: { junction: 'x' } })
    expect(plain.products).toEqual([])
    expect(plain).not.toHaveProperty('filter')
    expect((await newCollection(shop, { type: 'STATIC', name: 'B', products: null })).products).toEqual([])
    expect(await idsIn(shop, plain.id)).toEqual([])
  })

  test('members can be sent by id or source id and are stored by id, without duplicates', async () => {
    const shop = await newProject()
    const product = await newProduct(shop, { source_id: 'tea' })
    const sku = await newSku(shop, product, { source_id: 'tea' }) // products and SKUs have separate source ids
    const { products } = await newCollection(shop, {
      type: 'STATIC',
      products: [
        { id: 'tea', object: 'product' },
        { id: product, object: 'product', product_id: 'ignored' },
        { id: 'tea', object: 'sku', product_id: 'tea' },
        { id: sku, object: 'sku' },
      ],
    })
    expect(products).toEqual([
      { id: product, object: 'product' },
      { id: sku, object: 'sku', product_id: product },
    ])
  })

  test('an unknown member answers 404 and nothing is created', async () => {
    const [shop, other] = [await newProject(), await newProject()]
    const [tea, cup] = [await newProduct(shop, {}), await newProduct(shop, {})]
    const sku = await newSku(shop, tea, {})
    const [gone, foreign] = [await newProduct(shop, {}), await newProduct(other, {})]
    await shop.call('DELETE', `/v1/products/${gone}`)
    for (const member of [
      { id: 'prod_0', object: 'product' },
      { id: 'sku_0', object: 'sku' },
      { id: sku, object: 'product' }, // not a product
      { id: tea, object: 'sku' },
      { id: gone, object: 'product' }, // in the bin
      { id: foreign, object: 'product' }, // another project's
      { id: sku, object: 'sku', product_id: cup }, // an SKU of another product
    ])
      expect(
        await shop.call('POST', path, {
          name: 'Teas',
          type: 'STATIC',
          products: [{ id: tea, object: 'product' }, member],
        }),
      ).toMatchObject({
        status: 404,
        body: { key: 'not_found', resource_id: member.id, resource_type: member.object },
      })
    expect((await shop.call('GET', path)).body.total).toBe(1)
  })

  test('lists exactly its members: a product does not include its SKUs', async () => {
    const shop = await newProject()
    const [tea, cup] = [await newProduct(shop, { name: 'Tea' }), await newProduct(shop, { name: 'Cup', price: 500 })]
    await newSku(shop, tea, { sku: 'Green' })
    const blue = await newSku(shop, cup, { sku: 'Blue', price: 600, currency: 'EUR', attributes: { color: 'blue' } })
    const { id } = await newCollection(shop, {
      type: 'STATIC',
      products: [
        { id: tea, object: 'product' },
        { id: blue, object: 'sku' },
      ],
    })
    const { data, total } = await succeed(shop.call('GET', `${path}/${id}/products?order=created_at`))
    expect(total).toBe(2)
    const { skus: _, ...product } = (await shop.call('GET', `/v1/products/${tea}`)).body
    const {
      skus: _skus,
      image_url: _image,
      created_at: _at,
      updated_at: _up,
      ...parent
    } = (await shop.call('GET', `/v1/products/${cup}`)).body
    expect(data).toEqual([product, { ...(await shop.call('GET', `/v1/skus/${blue}`)).body, product: parent }])
  })

  test('has at most 20 members, or as many as the limit of the project', async () => {
    const shop = await newProject()
    const ids: string[] = []
    for (let n = 0; n <= limits.collection_products_max; n += 1) ids.push(await newProduct(shop, {}))
    const members = (count: number) => ids.slice(0, count).map((id) => ({ id, object: 'product' }))
    const full = [...members(20), ...members(20)] // duplicates count once
    await newCollection(shop, { name: 'Full', type: 'STATIC', products: full })
    const tooMany = { name: 'Fuller', type: 'STATIC', products: members(21) }
    expect(await shop.call('POST', path, tooMany)).toMatchObject({
      status: 400,
      body: { key: 'invalid_payload', details: 'Property .products must NOT have more than 20 items' },
    })
    expect(await shop.manage('PUT', '/limits', { collection_products: 21 })).toMatchObject({ status: 200 })
    expect(await shop.call('POST', path, tooMany)).toMatchObject({ status: 200 })
  })
})

describe('an AUTO_UPDATE collection', () => {
  test('stores its filter as sent, with the junction in lower case', async () => {
    const shop = await newProject()
    const sent = {
      ...filter('price', '$more_than', 100, 'OR'),
      'metadata.color': { conditions: { $in: ['red', 'blue'] } },
    }
    const created = await newCollection(shop, { type: 'AUTO_UPDATE', filter: sent, products: [{ id: 'nothing' }] })
    expect(created).toEqual({
      id: expect.stringMatching(/^pc_[0-9A-Za-z]{24}$/),
      name: 'Teas',
      type: 'AUTO_UPDATE',
      filter: { ...sent, junction: 'or' },
      created_at: instant,
      object: 'products_collection',
    })
    expect((await shop.call('GET', `${path}/${created.id}`)).body).toEqual(created)

    const replaced = await succeed(
      shop.call('PUT', `${path}/${created.id}`, { name: 'Other', filter: filter('name', '$is', 'Cup', 'AND') }),
    )
    expect(replaced).toEqual({
      ...created,
      name: 'Other',
      filter: filter('name', '$is', 'Cup'),
      updated_at: instant,
    })
    expect(await succeed(shop.call('PUT', `${path}/${created.id}`, {}))).toMatchObject({
      name: 'Other',
      filter: replaced.filter,
    })
  })

  const incomplete = "'AUTO_UPDATE' collection must contain valid filter with 'junction' property"
  const junction = 'Property .filter has wrong junction property. It must be one of: and, or'
  const format =
    /^Property \.filter should match either filter\[\$\{field\}\]\[conditions\]\[\$\{condition\}\]\[\$\{index\}\] or filter\[\$\{field\}\]\[conditions\]\[\$\{condition\}\] format and condition must be one of: \$is, \$is_not, /

  test.each<[filter: unknown, details: string | RegExp]>([
    [null, incomplete],
    [{}, incomplete],
    [{ price: { conditions: { $is: [1] } } }, incomplete],
    [{ junction: null, price: { conditions: { $is: [1] } } }, incomplete],
    [{ junction: 'and' }, incomplete],
    [{ junction: 'and', created_at: { conditions: { $today: false } } }, incomplete], // no condition is active
    [filter('price', '$is', [1], 'xor'), junction],
    [{ ...filter('price', '$is', [1]), junction: 1 }, junction],
    [filter('price', '$like', [1]), format],
    [filter('colour', '$is', ['red']), 'Property .filter.colour is not a known field'],
    [filter('metadata', '$is', ['red']), 'Property .filter.metadata is not a known field'],
    [filter('price', '$is', []), format],
    [{ junction: 'and', price: { $is: [1] } }, format],
    [{ junction: 'and', price: [1] }, format],
    [filter('price', '$more_than', ['much']), 'Property .filter.price.conditions.$more_than must be number'],
    [
      filter('created_at', '$after', ['soon']),
      'Property .filter.created_at.conditions.$after cannot be recognized as a ISO-8601 compliant date',
    ],
    [filter('skus', '$count', [-1]), 'Property .filter.skus.conditions.$count must be >= 0'],
    [filter('id', '$in', Array(1_001).fill('a')), 'Property .filter must NOT have more than 1000 values'],
    [filter('name', '$has_value', 'x'.repeat(300_000)), 'Property .filter must NOT be larger than 262144 bytes'],
    ['price > 5', 'Property .filter must be object,null'],
  ])('is neither created nor updated with the filter %.100j', async (sent, details) => {
    const shop = await newProject()
    const { id } = await newCollection(shop, { type: 'AUTO_UPDATE', filter: filter('price', '$is', 1) })
    const refusal = {
      status: 400,
      body: { key: 'invalid_payload', details: typeof details === 'string' ? details : expect.stringMatching(details) },
    }
    expect(await shop.call('POST', path, { name: 'Bad', type: 'AUTO_UPDATE', filter: sent })).toMatchObject(refusal)
    expect(await shop.call('PUT', `${path}/${id}`, { name: 'Bad', filter: sent })).toMatchObject(refusal)
    expect((await shop.call('GET', `${path}/${id}`)).body).toMatchObject({
      name: 'Teas',
      filter: filter('price', '$is', 1),
    })
  })

  test('cannot be created without a filter', async () => {
    const shop = await newProject()
    expect(await shop.call('POST', path, { name: 'Teas', type: 'AUTO_UPDATE' })).toMatchObject({
      status: 400,
      body: { key: 'invalid_payload', details: incomplete },
    })
  })

  test('always lists the goods that match its filter now', async () => {
    const shop = await newProject()
    const { id } = await dynamic(shop, 'price', '$less_than', [1000])
    expect(await idsIn(shop, id)).toEqual([])
    const tea = await newProduct(shop, { price: 800 })
    const lamp = await newProduct(shop, { price: 7000 })
    const cheap = await newSku(shop, lamp, { price: 900 })
    expect(await idsIn(shop, id)).toEqual([cheap, tea])
    await shop.call('PUT', `/v1/products/${tea}`, { price: 1000 })
    await shop.call('PUT', `/v1/products/${lamp}`, { price: 999 })
    expect(await idsIn(shop, id)).toEqual([cheap, lamp])
    await shop.call('DELETE', `/v1/products/${lamp}`)
    expect(await idsIn(shop, id)).toEqual([])
    await shop.call('PUT', `${path}/${id}`, { filter: filter('price', '$more_than_equal', '1000') })
    expect(await idsIn(shop, id)).toEqual([tea])
  })

  test('matches products and SKUs separately, each by its own fields', async () => {
    const shop = await newProject()
    const tea = await newProduct(shop, {
      source_id: 'tea',
      name: 'Tea',
      price: 800,
      attributes: ['kind', 'weight'],
      metadata: { organic: true, box: { width: 12 } },
      image_url: 'https://shop.example/tea.png',
    })
    const green = await newSku(shop, tea, {
      source_id: 'tea-green',
      sku: 'Green',
      attributes: { kind: 'sencha', weight: 100 },
    })
    const black = await newSku(shop, tea, { sku: 'Black', price: 900, metadata: { organic: false } })
    await shop.call('PUT', `/v1/products/${tea}/skus/${black}`, { sku: 'Black' })
    const cup = await newProduct(shop, { name: 'Cup' })
    const shipping = 'prod_5h1pp1ng'
    const names: Record<string, string> = {}
    for (const [name, id] of Object.entries({ tea, green, black, cup, shipping })) names[id] = name
    const collection = await dynamic(shop, 'price', '$is', [1])

    const cases: Array<[field: string, operator: string, given: unknown, found: string]> = [
      ['id', '$is', [green], 'green'],
      ['id', '$starts_with', ['prod_'], 'cup tea shipping'],
      ['product_id', '$is', [tea], 'black green'], // products have no product_id
      ['product_id', '$is_unknown', true, 'cup tea shipping'],
      ['source_id', '$contains', ['tea'], 'green tea'],
      ['name', '$is', ['Tea'], 'tea'],
      ['name', '$in', ['Green', 'Cup'], 'cup green'], // the name of an SKU is its `sku`
      ['price', '$is', [800], 'green tea'], // an SKU without a price has the price of its product
      ['price', '$more_than', [800], 'black'],
      ['price', '$is_unknown', true, 'cup shipping'],
      ['object', '$is', ['sku'], 'black green'],
      ['object', '$is_not', ['sku'], 'cup tea shipping'],
      ['attributes', '$is', ['kind'], 'tea'], // attributes of a product are names
      ['attributes', '$contains', ['sencha', '100'], 'green'], // attributes of an SKU match by value
      ['attributes', '$count', [0], 'cup black shipping'],
      ['image_url', '$ends_with', ['.png'], 'tea'],
      ['skus', '$contains', [black], 'tea'],
      ['skus', '$count', [2], 'tea'],
      ['skus', '$count_less', [1], 'cup black green shipping'],
      ['created_at', '$today', true, 'cup black green tea shipping'],
      ['updated_at', '$has_value', true, 'black'],
      ['metadata.organic', '$is', [true], 'tea'],
      ['metadata.organic', '$is_not', [true], 'cup black green shipping'],
      ['metadata.box.width', '$more_than', [10], 'tea'],
      ['metadata.box.height', '$is_unknown', true, 'cup black green tea shipping'],
    ]
    for (const [field, operator, given, found] of cases) {
      await succeed(shop.call('PUT', `${path}/${collection.id}`, { filter: filter(field, operator, given) }))
      const ids = await idsIn(shop, collection.id)
      expect(ids.map((id) => names[id]).join(' '), `${field} ${operator} ${JSON.stringify(given)}`).toBe(found)
    }
  })

  test('E19 a product in a location, by its metadata', async () => {
    const shop = await newProject()
    await shop.call('POST', '/v1/metadata-schemas', {
      related_object: 'product',
      properties: { store: { type: 'geopoint', array: false, optional: true } },
    })
    const shape = { type: 'circle', distance: { center: 'geo:52.2297,21.0122', radius: '2 km' } }
    const { id: location } = await succeed(shop.call('POST', '/v1/locations', { name: 'Centre', shape }))
    const inside = await newProduct(shop, { metadata: { store: 'geo:52.2400,21.0300' } })
    const outside = await newProduct(shop, { metadata: { store: 'geo:52.2550,21.0500' } })
    const nowhere = await newProduct(shop, {})
    const near = await dynamic(shop, 'metadata.store', '$in_location', [location])
    expect(await idsIn(shop, near.id)).toEqual([inside])
    await shop.call('PUT', `${path}/${near.id}`, { filter: filter('metadata.store', '$not_in_location', [location]) })
    expect(await idsIn(shop, near.id)).toEqual([nowhere, outside, 'prod_5h1pp1ng'])
    await shop.call('PUT', `/v1/locations/${location}`, {
      shape: { ...shape, distance: { ...shape.distance, radius: '4 km' } },
    })
    expect(await idsIn(shop, near.id)).toEqual([nowhere, 'prod_5h1pp1ng'])
  })

  test('a filter keeps working after a metadata schema that conflicts with it is created', async () => {
    const shop = await newProject()
    const red = await newProduct(shop, { metadata: { color: 'red' } })
    const { id } = await dynamic(shop, 'metadata.color', '$is', ['red'])
    expect(await idsIn(shop, id)).toEqual([red])
    await shop.call('POST', '/v1/metadata-schemas', {
      related_object: 'product',
      properties: { color: { type: 'number', array: false, optional: true } },
    })
    expect(await shop.call('GET', `${path}/${id}/products`)).toMatchObject({ status: 200 })
  })
})

describe('the collection of all products', () => {
  test('contains all products and SKUs and has a filter that matches everything', async () => {
    const shop = await newProject()
    const tea = await newProduct(shop, {})
    const sku = await newSku(shop, tea, {})
    expect((await shop.call('GET', `${path}/${everything}`)).body).toEqual({
      id: everything,
      name: 'All Products',
      type: 'AUTO_UPDATE',
      filter: { junction: 'and' },
      created_at: instant,
      object: 'products_collection',
    })
    expect(await idsIn(shop, everything)).toEqual([sku, tea, 'prod_5h1pp1ng'])
    expect((await shop.call('GET', path)).body).toMatchObject({ total: 1, data: [{ id: everything }] })
  })

  test('cannot be changed or deleted, and its name is taken', async () => {
    const shop = await newProject()
    for (const [method, body] of [['PUT', { name: 'Mine' }], ['PUT', {}], ['DELETE']] as const)
      expect(await shop.call(method, `${path}/${everything}`, body)).toMatchObject({
        status: 400,
        body: { key: 'resource_protected', resource_id: everything, resource_type: 'products_collection' },
      })
    expect(await shop.call('POST', path, { name: 'All Products', type: 'STATIC' })).toMatchObject({ status: 409 })
    expect((await shop.call('GET', `${path}/${everything}`)).body.name).toBe('All Products')
  })
})

describe('POST /v1/product-collections', () => {
  test.each<[body: unknown, details: string]>([
    [undefined, "Payload should have required property 'type'"],
    [{ name: 'A' }, "Payload should have required property 'type'"],
    [
      { name: 'A', type: 'DYNAMIC' },
      'Property .type must be equal to one of the allowed values [ STATIC, AUTO_UPDATE ]',
    ],
    [{ type: 'STATIC' }, "Payload should have required property 'name'"],
    [{ type: 'STATIC', name: '' }, 'Property .name must NOT have fewer than 1 characters'],
    [{ type: 'STATIC', name: 'n'.repeat(256) }, 'Property .name must NOT have more than 255 characters'],
    [{ type: 'STATIC', name: 'A', products: {} }, 'Property .products must be array,null'],
    [
      { type: 'STATIC', name: 'A', products: [{ id: 'p' }] },
      "Property .products[0] should have required property 'object'",
    ],
    [
      { type: 'STATIC', name: 'A', products: [{ object: 'sku' }] },
      "Property .products[0] should have required property 'id'",
    ],
    [
      { type: 'STATIC', name: 'A', products: [{ id: 'p', object: 'thing' }] },
      'Property .products[0].object must be equal to one of the allowed values [ product, sku ]',
    ],
  ])('refuses %j', async (body, details) => {
    const shop = await newProject()
    expect(await shop.call('POST', path, body)).toMatchObject({
      status: 400,
      body: { key: 'invalid_payload', details },
    })
  })

  test('a name is unique per project; of ten concurrent creations with one name, one succeeds', async () => {
    const [shop, other] = [await newProject(), await newProject()]
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => shop.call('POST', path, { name: 'Teas', type: 'STATIC' })),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(9).fill(409)])
    expect(answers.find(({ status }) => status === 409)!.body).toMatchObject({
      key: 'duplicate_found',
      details: 'Duplicated products_collection exists with name Teas',
      resource_id: 'Teas',
      resource_type: 'products_collection',
    })
    await newCollection(other, { type: 'STATIC' })

    const { id } = await newCollection(shop, { name: 'Cups', type: 'STATIC' })
    expect(await shop.call('PUT', `${path}/${id}`, { name: 'Teas' })).toMatchObject({
      status: 409,
      body: { key: 'duplicate_found', details: 'Duplicated products_collection exists with name Teas' },
    })
    expect(await shop.call('PUT', `${path}/${id}`, { name: 'Cups' })).toMatchObject({ status: 200 })
  })

  test('the project limit bounds the number of collections, not counting the built-in one', async () => {
    const shop = await newProject()
    expect(await shop.manage('PUT', '/limits', { product_collections: 2 })).toMatchObject({ status: 200 })
    const answers = await Promise.all(
      ['A', 'B', 'C', 'D'].map((name) => shop.call('POST', path, { name, type: 'STATIC' })),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 400, 400])
    expect(answers.find(({ status }) => status === 400)!.body).toMatchObject({
      key: 'invalid_payload',
      details: 'A project must NOT have more than 2 product collections',
    })
  })

  test('the default limit is 100 collections', async () => {
    const shop = await newProject()
    await newCollection(shop, { name: 'first', type: 'STATIC' })
    await sql`
      insert into product_collections
      select (jsonb_populate_record(c, jsonb_build_object('id', 'pc_' || n, 'name', n::text))).*
      from product_collections c cross join generate_series(3, ${sql.lit(limits.product_collections_max)}) n
      where c.project_id = ${shop.project_id} and c.name = 'first'`.execute(shop.service.runtime.database.db)
    await newCollection(shop, { name: 'hundredth', type: 'STATIC' })
    expect(await shop.call('POST', path, { name: '100', type: 'STATIC' })).toMatchObject({
      status: 400,
      body: { key: 'invalid_payload', details: 'A project must NOT have more than 100 product collections' },
    })
  })
})

describe('DELETE /v1/product-collections/{productCollectionId}', () => {
  test('is refused while a validation rule references it', async () => {
    const shop = await newProject()
    const [used, free] = [
      await newCollection(shop, { name: 'Used', type: 'STATIC' }),
      await newCollection(shop, { name: 'Free', type: 'STATIC' }),
    ]
    const rule = await succeed(
      shop.call('POST', '/v1/validation-rules', {
        name: 'Teas only',
        applicable_to: {
          included: [{ object: 'products_collection', id: used.id }],
          excluded: [],
          included_all: false,
        },
      }),
    )
    expect(await shop.call('DELETE', `${path}/${used.id}`)).toMatchObject({
      status: 400,
      body: {
        key: 'resource_in_use',
        resource_id: used.id,
        resource_type: 'products_collection',
        related_object_ids: [rule.id],
        related_object_type: 'validation_rules',
        related_object_total: 1,
      },
    })
    expect(await shop.call('GET', `${path}/${used.id}`)).toMatchObject({ status: 200 })
    expect(await shop.call('DELETE', `${path}/${free.id}`)).toMatchObject({ status: 204 })
    await shop.call('DELETE', `/v1/validation-rules/${rule.id}`)
    expect(await shop.call('DELETE', `${path}/${used.id}`)).toMatchObject({ status: 204 })
  })

  test('a member of a static collection cannot be deleted, nor can the product of a member', async () => {
    const shop = await newProject()
    const [tea, cup] = [await newProduct(shop, { source_id: 'tea' }), await newProduct(shop, {})]
    const green = await newSku(shop, tea, {})
    const { id } = await newCollection(shop, {
      type: 'STATIC',
      products: [
        { id: green, object: 'sku' },
        { id: cup, object: 'product' },
      ],
    })
    const inUse = {
      status: 400,
      body: { key: 'resource_in_use', related_object_type: 'products_collection', related_object_ids: [id] },
    }
    expect(await shop.call('DELETE', `/v1/products/${cup}`)).toMatchObject(inUse)
    expect(await shop.call('DELETE', `/v1/products/${tea}`)).toMatchObject(inUse)
    expect(await shop.call('DELETE', `/v1/products/${tea}/skus/${green}`)).toMatchObject(inUse)
    await shop.call('DELETE', `${path}/${id}`)
    expect(await shop.call('DELETE', `/v1/products/${tea}`)).toMatchObject({ status: 204 })
  })

  test('the error lists 20 referencing collections and counts all of them', async () => {
    const shop = await newProject()
    const id = await newProduct(shop, {})
    const products = [{ id, object: 'product' }]
    for (let n = 0; n < 22; n += 1) await newCollection(shop, { name: `${n}`, type: 'STATIC', products })
    await newCollection(shop, { name: 'Empty', type: 'STATIC' })
    expect(await shop.call('DELETE', `/v1/products/${id}`)).toMatchObject({
      status: 400,
      body: { related_object_ids: { length: 20 }, related_object_total: 22 },
    })
  })
})

const orders = ['created_at', 'updated_at', 'type', 'code', 'campaign', 'category'].flatMap((name) => [
  name,
  `-${name}`,
])
/** Sort orders of other resources sort by creation time. */
const sorted = Object.fromEntries(
  ['type', 'code', 'campaign', 'category'].map((name) => [
    name,
    ({ created_at }: { created_at: string }) => created_at,
  ]),
)

describe('GET /v1/product-collections', () => {
  test('lists newest first, in pages, with the total', async () => {
    const shop = await newProject()
    for (const name of ['A', 'B', 'C']) await newCollection(shop, { name, type: 'STATIC' })
    const namesOf = async (query: string) => {
      const { data, ...list } = await succeed(shop.call('GET', `${path}?${query}`))
      expect(list).toEqual({ object: 'list', data_ref: 'data', total: 4 })
      return data.map(({ name }: { name: string }) => name)
    }
    expect(await namesOf('')).toEqual(['C', 'B', 'A', 'All Products'])
    expect(await namesOf('limit=3&page=2')).toEqual(['All Products'])
    expect(await namesOf('limit=3&page=3')).toEqual([])
    expect(await namesOf('order=created_at')).toEqual(['All Products', 'A', 'B', 'C'])
    expect(await namesOf('order=-code&limit=2')).toEqual(['C', 'B'])
  })

  test.each([
    ['page=101', 'Property .page must be <= 100'],
    ['page=0', 'Property .page must be >= 1'],
    ['limit=0', 'Property .limit must be >= 1'],
    ['limit=101', 'Property .limit must be <= 100'],
    ['order=name', /^Property \.order must be equal to one of the allowed values/],
  ])('?%s is refused, also by the list of products of a collection', async (query, details) => {
    const shop = await newProject()
    for (const list of [path, `${path}/${everything}/products`])
      expect(await shop.call('GET', `${list}?${query}`)).toMatchObject({
        status: 400,
        body: {
          key: 'invalid_query_params',
          details: typeof details === 'string' ? details : expect.stringMatching(details),
        },
      })
  })

  test('paging returns each collection exactly once in every order while others are created', async () => {
    const shop = await newProject()
    await expectStablePaging({
      shop,
      path,
      orders,
      sorted,
      data_ref: 'data',
      async create(n) {
        const { id } = await newCollection(shop, { name: `Collection ${n}`, type: 'STATIC' })
        if (n % 3 === 0) await shop.call('PUT', `${path}/${id}`, {})
        return id
      },
    })
  })
})

describe('GET /v1/product-collections/{productCollectionId}/products', () => {
  /** A product and an SKU of it on each of three days, and the built-in product before them. */
  async function threeDays(): Promise<Shop> {
    const shop = await newProject()
    const { db } = shop.service.runtime.database
    for (const day of [1, 2, 3]) {
      const row = { project_id: shop.project_id, metadata: '{}', attributes: '[]' }
      const at = {
        created_at: `2030-01-0${day}T12:00:00.000Z`,
        updated_at: day === 2 ? '2030-02-01T00:00:00.000Z' : null,
      }
      const [productId, skuId] = [`prod_${day}`, `sku_${day}`] as const
      await db
        .insertInto('products')
        .values({ ...row, ...at, id: productId, source_id: null })
        .execute()
      await db
        .insertInto('skus')
        .values({ ...row, ...at, attributes: '{}', id: skuId, product_id: productId, source_id: null })
        .execute()
    }
    return shop
  }

  test.each<[query: string, ids: string, total?: number]>([
    ['', 'sku_3 prod_3 sku_2 prod_2 sku_1 prod_1 prod_5h1pp1ng'],
    ['order=created_at', 'prod_5h1pp1ng prod_1 sku_1 prod_2 sku_2 prod_3 sku_3'],
    ['order=-campaign', 'sku_3 prod_3 sku_2 prod_2 sku_1 prod_1 prod_5h1pp1ng'],
    ['order=updated_at', 'prod_2 sku_2 prod_1 prod_3 prod_5h1pp1ng sku_1 sku_3'],
    ['limit=2&page=2', 'sku_2 prod_2'],
    ['limit=2&page=5', ''],
    ['starting_after=2030-01-03T12:00:00Z', 'sku_2 prod_2 sku_1 prod_1 prod_5h1pp1ng'],
    ['starting_after=2030-01-02T12:00:00Z&page=2', 'sku_1 prod_1 prod_5h1pp1ng'], // `page` is ignored next to `starting_after`
    ['starting_after=2030-01-02T12:00:00Z&order=created_at', 'prod_3 sku_3'],
    ['starting_after_id=prod_2', 'sku_1 prod_1 prod_5h1pp1ng'],
    ['starting_after_id=prod_2&order=created_at', 'sku_2 prod_3 sku_3'],
  ])('?%s', async (query, ids) => {
    const shop = await threeDays()
    const { data, total } = await succeed(shop.call('GET', `${path}/${everything}/products?${query}`))
    expect(data.map(({ id }: { id: string }) => id).join(' ')).toBe(ids)
    expect(total).toBe(7)
  })

  test('the cursor works after its product has left the collection', async () => {
    const shop = await threeDays()
    const { id } = await dynamic(shop, 'name', '$is_unknown', true)
    await shop.call('PUT', '/v1/products/prod_2', { name: 'Named' })
    expect(await idsIn(shop, id, 'starting_after_id=prod_2')).toEqual(['sku_1', 'prod_1'])
    expect(await shop.call('GET', `${path}/${id}/products?starting_after_id=prod_0`)).toMatchObject({ status: 400 })
  })

  test('paging returns each product and SKU exactly once in every order while others are created', async () => {
    const shop = await newProject()
    const product = await newProduct(shop, {})
    const { id } = await dynamic(shop, 'metadata.listed', '$is', [true])
    await expectStablePaging({
      shop,
      path: `${path}/${id}/products`,
      orders,
      sorted,
      data_ref: 'data',
      async create(n) {
        const body = { metadata: { listed: true } }
        const made = n % 2 === 0 ? await newProduct(shop, body) : await newSku(shop, product, body)
        const at = n % 2 === 0 ? `/v1/products/${made}` : `/v1/products/${product}/skus/${made}`
        if (n % 3 === 0) await succeed(shop.call('PUT', at, { price: n }))
        return made
      },
    })
  })
})

describe('GET /v1/product-collections/{productCollectionId}/activities', () => {
  test('lists creation and updates, each with the collection at that time', async () => {
    const shop = await newProject()
    const created = await newCollection(shop, { type: 'STATIC' })
    const updated = await succeed(shop.call('PUT', `${path}/${created.id}`, { name: 'Cups' }))
    await newCollection(shop, { name: 'Another', type: 'STATIC' })
    const { data, ...list } = await succeed(shop.call('GET', `${path}/${created.id}/activities`))
    expect(list).toEqual({ object: 'list', data_ref: 'data', has_more: false })
    const shared = {
      id: expect.stringMatching(/^evpc_[0-9a-f]{18}$/),
      created_at: instant,
      group_id: expect.stringMatching(/^v-[0-9a-f]{18}$/),
      category: 'EFFECT',
      event_source: { channel: 'API', api_key: { name: 'Server key', app_id: shop.app_id } },
    }
    expect(data).toEqual([
      { ...shared, type: 'products_collection.updated', data: updated },
      { ...shared, type: 'products_collection.created', data: created },
    ])
  })

  test('a refused update emits no event', async () => {
    const shop = await newProject()
    const { id } = await newCollection(shop, { type: 'STATIC' })
    await shop.call('PUT', `${path}/${id}`, { name: 'All Products' })
    expect((await succeed(shop.call('GET', `${path}/${id}/activities`))).data).toHaveLength(1)
  })
})
