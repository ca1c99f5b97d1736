import { describe, expect, test } from 'vitest'
import { type Item, openCart } from './cart.ts'
import { allProducts, attributeOf, isInCollection, matches, metadataOf, type Reference, valueAt } from './goods.ts'
import type { Catalogue, ItemFacts } from './schema/index.ts'
import { clockAt } from './time/index.ts'
import { WorkMeter } from './work.ts'

const clock = clockAt('2025-02-26T12:00:00.000Z', 'UTC')
const work = new WorkMeter()
const item = (facts: ItemFacts): Item => openCart({ items: [facts] }).lines[0]!.item

const tea = {
  id: 'prod_tea',
  source_id: 'tea',
  name: 'Tea',
  price: 800,
  attributes: ['sort'],
  metadata: { kind: 'hot' },
}
const green = {
  id: 'sku_green',
  source_id: 'tea-green',
  product_id: 'prod_tea',
  sku: 'Green tea',
  price: 900,
  attributes: { sort: 'green', leaf: 'whole' },
  metadata: { kind: 'green' },
  created_at: '2025-02-01T00:00:00.000Z',
}
const productLine = item({ product_id: 'prod_tea', catalogue: { product: { ...tea, skus: ['sku_green'] } } })
const skuLine = item({ sku_id: 'sku_green', catalogue: { product: tea, sku: green } })
const unknownLine = item({ source_id: 'gadget', related_object: 'product' })

describe('a reference matches', () => {
  const is = (line: Item, reference: Reference, catalogue: Catalogue = {}) =>
    matches(line, reference, { catalogue, clock, work })
  test.each<[reference: Reference, product: boolean, sku: boolean, unknown: boolean]>([
    [{ object: 'product', id: 'prod_tea' }, true, true, false], // an SKU is also its product
    [{ object: 'product', id: 'prod_tea', strict: true }, true, false, false],
    [{ object: 'product', source_id: 'tea' }, true, true, false],
    [{ object: 'product', id: 'tea' }, true, true, false], // a source id given as id
    [{ object: 'product', id: 'gadget' }, false, false, true], // goods that are not in the catalogue
    [{ object: 'product', id: 'sku_green' }, false, false, false],
    [{ object: 'sku', id: 'sku_green' }, false, true, false],
    [{ object: 'sku', id: 'tea-green' }, false, true, false],
    [{ object: 'sku', source_id: 'sku_green' }, false, true, false],
    [{ object: 'sku', id: 'prod_tea' }, false, false, false],
    [{ object: 'product' }, false, false, false],
    [{ object: 'products_collection', id: allProducts }, true, true, true],
    [{ object: 'products_collection', id: 'pc_none' }, false, false, false],
    [{ object: 'products_collection', id: 'constructor' }, false, false, false],
    [{ object: 'products_collection', id: '__proto__' }, false, false, false],
  ])('%j: product line %s, SKU line %s, uncatalogued %s', (reference, ...expected) => {
    expect([productLine, skuLine, unknownLine].map((line) => is(line, reference, { collections: {} }))).toEqual(
      expected,
    )
  })
})

describe('collections', () => {
  const collections: Catalogue['collections'] = {
    pc_products: { type: 'STATIC', products: [{ id: 'prod_tea', object: 'product' }] },
    pc_skus: { type: 'STATIC', products: [{ id: 'sku_green', object: 'sku' }] },
    pc_sources: { type: 'STATIC', products: [{ id: 'gadget', object: 'product' }] },
    pc_named: { type: 'AUTO_UPDATE', filter: { junction: 'and', name: { conditions: { $is: ['Tea'] } } } },
    pc_leaf: { type: 'AUTO_UPDATE', filter: { junction: 'and', attributes: { conditions: { $is: ['whole'] } } } },
    pc_dear: { type: 'AUTO_UPDATE', filter: { junction: 'and', price: { conditions: { $more_than: [800] } } } },
  }
  test.each<[id: string, product: boolean, sku: boolean, unknown: boolean]>([
    ['pc_products', true, true, false], // a product includes its SKUs
    ['pc_skus', false, true, false],
    ['pc_sources', false, false, true],
    ['pc_named', true, false, false], // an SKU is matched by its own name
    ['pc_leaf', false, true, false],
    ['pc_dear', false, true, false], // 8.00 and 9.00
  ])('%s: product line %s, SKU line %s, uncatalogued %s', (id, ...expected) => {
    const lines = [productLine, skuLine, unknownLine]
    expect(lines.map((line) => isInCollection(line, id, { catalogue: { collections }, clock, work }))).toEqual(expected)
  })

  test('sent data take precedence over stored data', () => {
    const cheap = item({ sku_id: 'sku_green', price: 700, catalogue: { product: tea, sku: green } })
    expect(isInCollection(cheap, 'pc_dear', { catalogue: { collections }, clock, work })).toBe(false)
  })
})

test('filter fields of a line', () => {
  const seen = (line: Item) => (field: string) => attributeOf(line, field)
  const fields = ['id', 'source_id', 'product_id', 'object', 'name', 'price', 'attributes', 'skus', 'created_at']
  expect(fields.map(seen(productLine))).toEqual([
    'prod_tea',
    'tea',
    undefined,
    'product',
    'Tea',
    800,
    ['sort'],
    ['sku_green'],
    undefined,
  ])
  expect(fields.map(seen(skuLine))).toEqual([
    'sku_green',
    'tea-green',
    'prod_tea',
    'sku',
    'Green tea',
    900,
    ['green', 'whole'],
    undefined,
    '2025-02-01T00:00:00.000Z',
  ])
  expect(fields.map(seen(unknownLine)).slice(0, 4)).toEqual([null, 'gadget', undefined, 'product'])
  expect(attributeOf(skuLine, 'metadata.kind')).toBe('green')
  expect(attributeOf(skuLine, 'toString')).toBeUndefined()
})

test('metadata: stored, then sent for the product or SKU, then of the line; an SKU does not inherit from its product', () => {
  const stored = {
    product: { ...tea, metadata: { a: 1, b: 1, c: 1, p: 1 } },
    sku: { ...green, metadata: { a: 2, b: 2, c: 2 } },
  }
  const ofProduct = item({
    product: { metadata: { b: 3 } },
    metadata: { c: 4 },
    catalogue: { product: stored.product },
  })
  const ofSku = item({
    sku: { metadata: { b: 5 } },
    product: { metadata: { b: 3 } },
    metadata: { c: 6 },
    catalogue: stored,
  })
  expect(metadataOf(ofProduct)).toEqual({ a: 1, b: 3, c: 4, p: 1 })
  expect(metadataOf(ofSku)).toEqual({ a: 2, b: 5, c: 6 })
  expect(metadataOf(item({}))).toEqual({})
})

test.each<[metadata: unknown, path: string, expected: unknown]>([
  [{ a: { b: { c: 1 } } }, 'a.b.c', 1],
  [{ 'a.b': 2, a: { b: 1 } }, 'a.b', 2], // a key that contains the dot
  [{ a: [1] }, 'a.0', undefined],
  [{ a: 'text' }, 'a.length', undefined],
  [{ a: 1 }, 'toString', undefined],
  [null, 'a', undefined],
  [{ a: null }, 'a', null],
])('in %j, %s is %j', (metadata, path, expected) => {
  expect(valueAt(metadata, path)).toEqual(expected)
})
