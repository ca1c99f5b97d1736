import { defaultStackingRules, evaluate, filterOperators } from '@guerdon/engine'
import type { Catalogue, Facts, ItemFacts, Shape } from '@guerdon/engine/schema'
import fc from 'fast-check'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { newProject, type Shop } from '../../testing/app.ts'
import { scaled } from '../../testing/scale.ts'

// SQL lists a collection, and the engine matches order lines against it. Both must select the same goods.

const square = (west: number, south: number, east: number, north: number): number[][] => [
  [west, south],
  [east, south],
  [east, north],
  [west, north],
  [west, south],
]
const shapes: Shape[] = [
  { type: 'circle', distance: { center: 'geo:52.2297,21.0122', radius: '2 km' } },
  { type: 'polygon', geojson: { type: 'Polygon', coordinates: [square(0, 0, 4, 4), square(1, 1, 3, 3)] } },
  { type: 'polygon', geojson: { type: 'MultiPolygon', coordinates: [[square(-2, -2, 0, 0)], [square(4, 4, 5, 5)]] } },
]

const words = fc.constantFrom('', 'a', 'ab', 'b', '5', 'red', 'L', 'true', '2025-02-26')
const numbers = fc.constantFrom(0, 1, 5, 30, 100, 1_000)
const moments = fc.constantFrom(
  '2025-02-25T23:30:00.000Z',
  '2025-02-26T11:00:00.000Z',
  '2025-01-27T12:00:00.000Z',
  '2024-02-29T00:00:00.000Z',
)
const points = fc.constantFrom(
  'geo:52.24,21.03',
  'geo:52.255,21.05',
  'geo:0,0',
  '0.5, 0.5',
  'geo:2,2',
  'geo:4,4',
  'there',
)
const scalars = fc.oneof(words, numbers, fc.boolean(), moments, points)
const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { freq: 4 })

const metadata = fc.record(
  {
    k: fc.oneof(scalars, fc.array(scalars, { maxLength: 2 }), fc.constant(null)),
    place: points,
    size: fc.oneof(numbers, numbers.map(String)),
    box: fc.oneof(fc.record({ w: scalars }, { requiredKeys: [] }), fc.array(numbers, { maxLength: 1 }), words),
    'box.w': scalars,
  },
  { requiredKeys: [] },
)
const sharedFields = {
  price: maybe(numbers),
  metadata,
  image_url: maybe(fc.constantFrom('https://a.example/a.png', 'https://b.example/b.png')),
  created_at: moments,
  updated_at: maybe(moments),
}
const product = fc.record({ ...sharedFields, name: maybe(words), attributes: fc.array(words, { maxLength: 3 }) })
const sku = fc.record({
  ...sharedFields,
  sku: maybe(words),
  attributes: fc.dictionary(fc.constantFrom('color', 'size', 'wash'), scalars, { maxKeys: 3, noNullPrototype: true }),
  parent: fc.nat(),
})
type Product = typeof product extends fc.Arbitrary<infer T> ? T & { id: string; source_id: string | null } : never
type Sku =
  typeof sku extends fc.Arbitrary<infer T>
    ? Omit<T, 'parent'> & { id: string; source_id: string | null; product_id: string }
    : never

interface Goods {
  products: Product[]
  skus: Sku[]
}

function randomGoods(): Goods {
  const source = (index: number, word: string) => (index % 3 === 0 ? null : `${word}-${index}`)
  const products = fc
    .sample(product, { numRuns: 25, seed: 11 })
    .map((good, index) => ({ ...good, id: `prod_${index}`, source_id: source(index, 'p') }))
  const skus = fc.sample(sku, { numRuns: 45, seed: 12 }).map(({ parent, ...good }, index) => ({
    ...good,
    id: `sku_${index}`,
    source_id: source(index, 's'),
    product_id: `prod_${parent % 15}`, // the other products have no SKUs
  }))
  return { products, skus }
}

async function insertGoods({ service, project_id }: Shop, { products, skus }: Goods): Promise<void> {
  const { db } = service.runtime.database
  const rows = (goods: object[]) => JSON.stringify(goods.map((good) => ({ ...good, project_id })))
  await sql`insert into products select * from jsonb_populate_recordset(null::products, ${rows(products)}::jsonb)`.execute(
    db,
  )
  await sql`insert into skus select * from jsonb_populate_recordset(null::skus, ${rows(skus)}::jsonb)`.execute(db)
}

/** Every product and SKU as an order line that has only its id and catalogue data. */
function linesOf({ products, skus }: Goods): Array<{ id: string; item: ItemFacts }> {
  const catalogueProduct = (id: string) => {
    const { attributes, ...productFields } = products.find((product) => product.id === id) as Product
    return {
      ...productFields,
      attributes,
      skus: skus.filter(({ product_id }) => product_id === id).map((sku) => sku.id),
    }
  }
  return [
    ...products.map(({ id }) => ({ id, item: { product_id: id, catalogue: { product: catalogueProduct(id) } } })),
    ...skus.map((sku) => ({
      id: sku.id,
      item: { sku_id: sku.id, catalogue: { sku, product: catalogueProduct(sku.product_id) } },
    })),
  ]
}

const now = '2025-02-26T12:00:00.000Z'
const timezone = 'Europe/Warsaw'

/** Whether the engine accepts a rule that requires an item of the collection, for an order of this item. */
function isMatched(item: ItemFacts, collection: string, catalogue: Catalogue): boolean {
  const rule = {
    id: 'val_1',
    rules: {
      '1': {
        name: 'order.items.any',
        conditions: { $is: [{ id: collection, object: 'products_collection' }] },
        rules: {},
      },
      logic: '1',
    },
  }
  const facts = {
    now,
    timezone,
    order: { amount: 1_000, items: [{ quantity: 1, ...item }] },
    catalogue,
    stacking_rules: defaultStackingRules,
    redeemables: [
      {
        kind: 'promotion_tier',
        object: 'promotion_tier',
        id: 'promo_1',
        resource_id: 'promo_1',
        active: true,
        discount: { type: 'AMOUNT', amount_off: 100 },
        rules: [rule],
      },
    ],
  } as unknown as Facts
  return evaluate(facts).redeemables[0]?.status === 'APPLICABLE'
}

async function listIds(shop: Shop, collection: string): Promise<string[]> {
  const { status, body } = await shop.call('GET', `/v1/product-collections/${collection}/products?limit=100`)
  expect(status, JSON.stringify(body)).toBe(200)
  expect(body.data).toHaveLength(body.total)
  return body.data.map(({ id }: { id: string }) => id).sort()
}

test('the engine matches exactly the goods that SQL lists for a collection', async () => {
  const shop = await newProject({ project: { timezone } })
  shop.service.clock.set(now)
  const goods = randomGoods()
  await insertGoods(shop, goods)
  await shop.call('POST', '/v1/metadata-schemas', {
    related_object: 'product',
    properties: {
      place: { type: 'geopoint', array: false, optional: true },
      size: { type: 'number', array: false, optional: true },
    },
  })
  const locations: Record<string, Shape> = {}
  for (const shape of shapes)
    locations[(await shop.call('POST', '/v1/locations', { name: 'Zone', shape })).body.id] = shape
  const metadataTypes = { product: { place: 'geopoint', size: 'number' } } as const

  const shipping = {
    id: 'prod_5h1pp1ng',
    source_id: '5h1pp1ng',
    name: 'Shipping',
    attributes: [],
    skus: [],
    metadata: {},
  }
  const builtIn = (await shop.call('GET', '/v1/products/prod_5h1pp1ng')).body
  const lines = [
    ...linesOf(goods),
    {
      id: shipping.id,
      item: { product_id: shipping.id, catalogue: { product: { ...shipping, created_at: builtIn.created_at } } },
    },
  ]
  const { body: collection } = await shop.call('POST', '/v1/product-collections', {
    name: 'Changing',
    type: 'AUTO_UPDATE',
    filter: { junction: 'and', price: { conditions: { $has_value: true } } },
  })

  const operands: Record<string, fc.Arbitrary<unknown>> = {
    id: fc.constantFrom('prod_1', 'sku_1', 'prod_'),
    product_id: fc.constantFrom('prod_1', 'prod_2', 'sku_1'),
    source_id: fc.constantFrom('p-1', 's-2', 'p-', 's-4'),
    name: words,
    price: numbers,
    object: fc.constantFrom('product', 'sku', 'pro'),
    attributes: fc.oneof(words, numbers),
    image_url: fc.constantFrom('https://a.example/a.png', 'https://', '.png'),
    skus: fc.oneof(fc.constantFrom('sku_1', 'sku_2', 'sku_3'), fc.constantFrom(0, 1, 2, 3)),
    created_at: fc.oneof(moments, fc.constantFrom(0, 1, 5, 30)),
    updated_at: fc.oneof(moments, fc.constantFrom(0, 1, 5, 30)),
    'metadata.k': scalars,
    'metadata.size': fc.oneof(numbers, words),
    'metadata.place': points,
    'metadata.box.w': scalars,
  }
  const set = fc
    .tuple(fc.constantFrom(...Object.keys(operands)), fc.constantFrom(...Object.keys(filterOperators)))
    .chain(([field, operator]) => {
      const given = operator.endsWith('_location')
        ? fc.constantFrom(...Object.keys(locations), 'loc_0')
        : operands[field]!
      return fc.array(given, { minLength: 1, maxLength: 2 }).map((values) => [field, operator, values] as const)
    })
  const filters = fc
    .tuple(fc.constantFrom('and', 'or', 'AND', 'Or'), fc.array(set, { minLength: 1, maxLength: 2 }))
    .map(([junction, sets]) => ({
      junction,
      ...Object.fromEntries(sets.map(([field, operator, values]) => [field, { conditions: { [operator]: values } }])),
    }))

  let filtersCompared = 0
  let matched = 0
  await fc.assert(
    fc.asyncProperty(filters, async (filter) => {
      const { status, body } = await shop.call('PUT', `/v1/product-collections/${collection.id}`, { filter })
      expect([200, 400], JSON.stringify(body)).toContain(status)
      if (status === 400) return // the value cannot be compared with the field
      const catalogue = {
        collections: { [body.id]: { type: 'AUTO_UPDATE', filter: body.filter } },
        locations,
        metadata_types: metadataTypes,
      }
      const matchedIds = lines
        .filter(({ item }) => isMatched(item, body.id, catalogue as Catalogue))
        .map(({ id }) => id)
      expect(await listIds(shop, body.id)).toEqual(matchedIds.sort())
      filtersCompared += 1
      matched += matchedIds.length
    }),
    { numRuns: scaled(200, 70) }, // enough runs that the two minimum counts below are not missed by chance
  )
  expect(filtersCompared).toBeGreaterThan(scaled(60, 15))
  expect(matched).toBeGreaterThan(scaled(300, 60))
}, 120_000)
