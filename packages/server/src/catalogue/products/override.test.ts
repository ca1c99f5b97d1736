import type { CatalogueProduct, CatalogueSku } from '@guerdon/engine/schema'
import type { KyselyPlugin } from 'kysely'
import { describe, expect, test } from 'vitest'
import { findProject } from '../../core/db/project.ts'
import type { Project } from '../../core/db/project-row.ts'
import type { ApiError } from '../../core/http/errors.ts'
import { newProject, type Shop } from '../../testing/app.ts'
import { asRequest } from '../../testing/background.ts'
import { findGoods, type GoodKeys } from './goods.ts'
import { type Overrides, overrideGoods } from './override.ts'

const noKeys: GoodKeys = { products: [], skus: [] }

/** Applies overrides as an order does. */
async function override(shop: Shop, overrides: Partial<Overrides>, keys: GoodKeys = noKeys) {
  const { runtime } = shop.service
  const project = (await findProject(runtime.database.db, shop.project_id)) as Project
  return asRequest(runtime, project, (ctx) => overrideGoods(ctx, keys, { products: [], skus: [], ...overrides }))
}

/** The kinds of statements that the overrides of an order execute. */
async function statementsOf(shop: Shop, overrides: Overrides): Promise<string[]> {
  const kinds: string[] = []
  const listener: KyselyPlugin = {
    transformQuery({ node }) {
      kinds.push(node.kind)
      return node
    },
    transformResult: async ({ result }) => result,
  }
  const { runtime } = shop.service
  const project = (await findProject(runtime.database.db, shop.project_id)) as Project
  await asRequest(runtime, project, (ctx) =>
    overrideGoods({ ...ctx, db: ctx.db.withPlugin(listener) }, noKeys, overrides),
  )
  return kinds
}

async function find(shop: Shop, keys: Partial<GoodKeys>) {
  const { runtime } = shop.service
  const project = (await findProject(runtime.database.db, shop.project_id)) as Project
  return asRequest(runtime, project, (ctx) => findGoods(ctx, { ...noKeys, ...keys }))
}

const refusal = (promise: Promise<unknown>) =>
  promise.then(
    () => null,
    ({ key, message }: ApiError) => ({ key, message }),
  )

async function post(shop: Shop, path: string, body: object) {
  const answer = await shop.call('POST', path, body)
  expect(answer, JSON.stringify(answer.body)).toMatchObject({ status: 200 })
  return answer.body
}

const product = async (shop: Shop, key: string) => (await shop.call('GET', `/v1/products/${key}?hide=sku`)).body
const sku = async (shop: Shop, key: string) => (await shop.call('GET', `/v1/skus/${key}`)).body
const sourceIds = async (shop: Shop) =>
  (await shop.call('GET', '/v1/products')).body.products.map((product: { source_id: string }) => product.source_id)

describe('findGoods', () => {
  test('finds goods by ids and source ids, including the products of SKUs, in the form that the engine uses', async () => {
    const shop = await newProject()
    const mug = await post(shop, '/v1/products', { source_id: 'mug', price: 5, attributes: ['a'], metadata: { x: 1 } })
    const cup = await post(shop, '/v1/products', { source_id: 'cup' })
    const blue = await post(shop, '/v1/products/mug/skus', { source_id: 'blue', attributes: { color: 'blue' } })
    const red = await post(shop, '/v1/products/mug/skus', { source_id: 'red' })
    await post(shop, '/v1/products', { source_id: 'gone' })
    await shop.call('DELETE', '/v1/products/gone')

    const goods = await find(shop, { products: [cup.id, 'gone', 'none'], skus: ['blue', red.id, 'mug'] })
    expect(goods.products).toEqual([mug, cup])
    expect(goods.skus).toEqual([blue, red])
    const [first]: CatalogueProduct[] = goods.products
    const [second]: CatalogueSku[] = goods.skus
    expect([first?.id, second?.product_id]).toEqual([mug.id, mug.id])

    expect(await find(shop, {})).toEqual({ products: [], skus: [] })
    expect(await find(await newProject(), { products: [mug.id, 'mug'], skus: ['blue'] })).toEqual({
      products: [],
      skus: [],
    })
  })
})

describe('an order with `override`', () => {
  test('creates unknown goods with the sent key as source id', async () => {
    const shop = await newProject()
    const goods = await override(shop, {
      products: [
        { key: 'mug', name: 'Mug', price: 500, metadata: { a: 1 } },
        { key: 'prod_unknown', name: null },
      ],
      skus: [{ key: 'mug-blue', product_key: 'mug', name: 'Blue', price: 550, metadata: { b: 2 } }],
    })
    const mug = await product(shop, 'mug')
    expect(mug).toMatchObject({ name: 'Mug', price: 500, attributes: [], metadata: { a: 1 }, updated_at: null })
    expect(await product(shop, 'prod_unknown')).toMatchObject({ source_id: 'prod_unknown', name: null, price: null })
    const blue = await sku(shop, 'mug-blue')
    expect(blue).toMatchObject({ product_id: mug.id, sku: 'Blue', price: 550, metadata: { b: 2 }, updated_at: null })
    expect(goods.products).toContainEqual(mug)
    expect(goods.skus).toEqual([blue])
  })

  test('overwrites name and price of known goods, merges metadata by key and keeps fields that are not sent', async () => {
    const shop = await newProject()
    const mug = await post(shop, '/v1/products', {
      source_id: 'mug',
      name: 'Mug',
      price: 5,
      attributes: ['color'],
      image_url: 'i',
      metadata: { a: 1, b: { x: 1 } },
    })
    const blue = await post(shop, '/v1/products/mug/skus', {
      source_id: 'blue',
      sku: 'Blue',
      price: 6,
      currency: 'EUR',
      attributes: { color: 'blue' },
      metadata: { a: 1 },
    })
    const goods = await override(shop, {
      products: [{ key: 'mug', price: 7, metadata: { b: { y: 2 } } }],
      skus: [{ key: blue.id, name: 'Navy', price: null, metadata: { c: 3 } }],
    })
    const changed = { updated_at: expect.any(String) }
    const mugNow = { ...mug, price: 7, metadata: { a: 1, b: { y: 2 } }, ...changed }
    const blueNow = { ...blue, sku: 'Navy', metadata: { a: 1, c: 3 }, ...changed }
    expect(goods).toEqual({ products: [mugNow], skus: [blueNow] })
    expect(await product(shop, 'mug')).toEqual(mugNow)
    expect(await sku(shop, 'blue')).toEqual(blueNow)
  })

  test('of several lines about one good, under any of its keys, the last value wins', async () => {
    const shop = await newProject()
    const mug = await post(shop, '/v1/products', { source_id: 'mug', name: 'Mug', price: 5 })
    await override(shop, {
      products: [
        { key: 'mug', name: 'First', price: 1, metadata: { a: 1, b: 1 } },
        { key: mug.id, name: 'Second', metadata: { b: 2 } },
        { key: 'new', name: 'First', price: 1, metadata: { a: 1 } },
        { key: 'new', price: 2, name: null, metadata: { b: 2 } },
      ],
    })
    expect(await product(shop, 'mug')).toMatchObject({ name: 'Second', price: 1, metadata: { a: 1, b: 2 } })
    expect(await product(shop, 'new')).toMatchObject({ name: 'First', price: 2, metadata: { a: 1, b: 2 } })
  })

  test('writes nothing when the catalogue has the same values already', async () => {
    const shop = await newProject()
    const fields = { name: 'Mug', price: 5, metadata: { a: [1, { b: 2 }] } }
    await post(shop, '/v1/products', { source_id: 'mug', ...fields, metadata: { ...fields.metadata, more: 1 } })
    await post(shop, '/v1/products/mug/skus', { source_id: 'blue', sku: 'Blue', price: 6 })
    const goods = await override(shop, {
      products: [{ key: 'mug', ...fields }],
      skus: [{ key: 'blue', name: 'Blue', price: 6, metadata: {} }],
    })
    expect([goods.products[0]?.updated_at, goods.skus[0]?.updated_at]).toEqual([null, null])
    expect((await product(shop, 'mug')).updated_at).toBeNull()
    for (const different of [{ a: [1] }, { a: [1, { b: 2, c: 3 }] }, { a: null }])
      expect((await override(shop, { products: [{ key: 'mug', metadata: different }] })).products).toMatchObject([
        { metadata: { ...different, more: 1 }, updated_at: expect.any(String) },
      ])
  })

  test('returns all requested goods, changed or not', async () => {
    const shop = await newProject()
    const cup = await post(shop, '/v1/products', { source_id: 'cup' })
    const red = await post(shop, '/v1/products/cup/skus', { source_id: 'red' })
    const goods = await override(shop, { products: [{ key: 'mug' }] }, { products: [], skus: ['red', 'none'] })
    expect(goods.skus).toEqual([red])
    expect(goods.products).toEqual([cup, await product(shop, 'mug')])
  })

  test('a new SKU requires a product that exists or is created by the same order', async () => {
    const shop = await newProject()
    await post(shop, '/v1/products', { source_id: 'gone' })
    await shop.call('DELETE', '/v1/products/gone')
    for (const productKey of [undefined, null, 'none', 'gone'])
      expect(
        await refusal(override(shop, { products: [{ key: 'mug' }], skus: [{ key: 'blue', product_key: productKey }] })),
      ).toEqual({
        key: 'invalid_order',
        message: 'SKU blue can be created only with its product',
      })
    expect(await product(shop, 'mug')).toMatchObject({ key: 'not_found' })
    const { id } = await post(shop, '/v1/products', { source_id: 'mug' })
    await override(shop, { skus: [{ key: 'blue', product_key: id }] })
    expect(await sku(shop, 'blue')).toMatchObject({ product_id: id })
  })

  test('a known SKU keeps its product even if the line names another', async () => {
    const shop = await newProject()
    const mug = await post(shop, '/v1/products', { source_id: 'mug' })
    await post(shop, '/v1/products', { source_id: 'cup' })
    await post(shop, '/v1/products/mug/skus', { source_id: 'blue' })
    for (const productKey of ['cup', 'none', null])
      await override(shop, { skus: [{ key: 'blue', product_key: productKey, price: 7 }] })
    expect(await sku(shop, 'blue')).toMatchObject({ product_id: mug.id, price: 7 })
  })

  test('does not change the built-in product or goods in the bin, and is not refused because of them', async () => {
    const shop = await newProject()
    await post(shop, '/v1/products', { source_id: 'gone' })
    await post(shop, '/v1/products/gone/skus', { source_id: 'gone-blue' })
    await shop.call('DELETE', '/v1/products/gone')
    await post(shop, '/v1/products', { source_id: 'mug' })
    const goods = await override(shop, {
      products: [
        { key: '5h1pp1ng', price: 500 },
        { key: 'prod_5h1pp1ng', price: 500 },
        { key: 'gone', price: 1 },
        { key: 'mug', price: 2 },
      ],
      skus: [
        { key: 'gone-blue', product_key: 'mug', price: 1 },
        { key: 'express', product_key: '5h1pp1ng', price: 1 },
      ],
    })
    expect(goods.products.map(({ source_id, price }) => [source_id, price])).toEqual([
      ['mug', 2],
      ['5h1pp1ng', null],
    ])
    expect(goods.skus).toEqual([])
    expect(await sourceIds(shop)).toEqual(['5h1pp1ng', 'mug'])
    expect(await product(shop, '5h1pp1ng')).toMatchObject({ price: null, updated_at: null })
  })

  test('500 lines take as many statements as two, and no write when sent again', async () => {
    const shop = await newProject()
    for (const sourceId of ['p0', 'p7']) await post(shop, '/v1/products', { source_id: sourceId })
    const lines = (count: number, price: number): Overrides => {
      const keys = Array.from({ length: count }, (_, index) => `p${index}`)
      return {
        products: keys.map((key, index) => ({ key, price: price + index })),
        skus: keys.map((key, index) => ({ key: `${key}-sku`, product_key: key, price: price + index })),
      }
    }
    await override(shop, { skus: [{ key: 'p0-sku', product_key: 'p0' }] })
    const few = await statementsOf(shop, lines(2, 1))
    const many = await statementsOf(shop, lines(250, 2))
    expect(many).toEqual(few)
    expect(many.length).toBeLessThan(10)
    expect(await statementsOf(shop, lines(250, 2))).toEqual(['SelectQueryNode', 'SelectQueryNode'])

    const { skus, products } = await find(shop, { skus: lines(250, 2).skus.map(({ key }) => key) })
    const sum = (prices: Array<number | null>) => prices.reduce<number>((total, price) => total + (price ?? 0), 0)
    expect(sum(products.map(({ price }) => price))).toBe(250 * 2 + (249 * 250) / 2)
    expect(sum(skus.map(({ price }) => price))).toBe(250 * 2 + (249 * 250) / 2)
    expect(new Set(skus.map(({ product_id }) => product_id)).size).toBe(250)
  })

  test('merged metadata is limited in size', async () => {
    const shop = await newProject()
    const half = 'x'.repeat(40_000)
    await post(shop, '/v1/products', { source_id: 'mug', metadata: { a: half } })
    expect(await refusal(override(shop, { products: [{ key: 'mug', metadata: { b: half } }] }))).toEqual({
      key: 'invalid_payload',
      message: 'Property .metadata must NOT be larger than 65536 bytes',
    })
  })
})
