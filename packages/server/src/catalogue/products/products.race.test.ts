import { describe, expect, test } from 'vitest'
import { findProject } from '../../core/db/project.ts'
import type { Project } from '../../core/db/project-row.ts'
import { newProject, type Shop } from '../../testing/app.ts'
import { asRequest } from '../../testing/background.ts'
import { overrideGoods } from './override.ts'

const times = <T>(count: number, work: (index: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, index) => work(index)))

const statuses = (answers: Array<{ status: number }>): number[] =>
  [...new Set(answers.map(({ status }) => status))].sort()

async function mugShop(): Promise<Shop> {
  const shop = await newProject()
  await shop.call('POST', '/v1/products', { source_id: 'mug' })
  return shop
}

describe('50 concurrent creations with one source id', () => {
  test('a product: one row is created and every response returns it', async () => {
    const shop = await newProject()
    const answers = await times(50, (index) =>
      shop.call('POST', '/v1/products', { source_id: 'mug', metadata: { [`k${index}`]: index } }),
    )
    expect(statuses(answers)).toEqual([200])
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1)
    const { body } = await shop.call('GET', '/v1/products')
    expect(body.total).toBe(2)
    expect(body.products[1].metadata).toEqual(Object.fromEntries(Array.from({ length: 50 }, (_, n) => [`k${n}`, n])))
  })

  test('an SKU: one row is created and every response returns it', async () => {
    const shop = await mugShop()
    const answers = await times(50, (index) =>
      shop.call('POST', '/v1/products/mug/skus', { source_id: 'blue', metadata: { [`k${index}`]: index } }),
    )
    expect(statuses(answers)).toEqual([200])
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1)
    const { body } = await shop.call('GET', '/v1/products/mug/skus')
    expect(body.total).toBe(1)
    expect(Object.keys(body.skus[0].metadata)).toHaveLength(50)
  })

  test('an SKU for two products: only one product gets it', async () => {
    const shop = await mugShop()
    await shop.call('POST', '/v1/products', { source_id: 'cup' })
    const answers = await times(50, async (index) => {
      const product = index % 2 === 0 ? 'mug' : 'cup'
      return { product, ...(await shop.call('POST', `/v1/products/${product}/skus`, { source_id: 'blue' })) }
    })
    expect(statuses(answers)).toEqual([200, 409])
    const owners = new Set(answers.filter(({ status }) => status === 200).map(({ product }) => product))
    expect(owners.size).toBe(1)
  })
})

describe('two concurrent updates of one product', () => {
  test.each(['PUT', 'POST'])('%s: both metadata keys are kept', async (method) => {
    const shop = await mugShop()
    await shop.call('POST', '/v1/products/mug/skus', { source_id: 'blue' })
    for (let round = 0; round < 10; round++) {
      const [product, sku] = method === 'PUT' ? ['/mug', '/mug/skus/blue'] : ['', '/mug/skus']
      const answers = await times(2, (index) => {
        const metadata = { [`${round}-${index}`]: true }
        return shop.call(method, `/v1/products${product}`, { source_id: 'mug', metadata })
      })
      const more = await times(2, (index) => {
        const metadata = { [`${round}-${index}`]: true }
        return shop.call(method, `/v1/products${sku}`, { source_id: 'blue', metadata })
      })
      expect(statuses([...answers, ...more])).toEqual([200])
    }
    const { body } = await shop.call('GET', '/v1/products/mug')
    expect(Object.keys(body.metadata)).toHaveLength(20)
    expect(Object.keys(body.skus.data[0].metadata)).toHaveLength(20)
  })
})

describe('concurrent creation and deletion', () => {
  test.each([
    ['', [200, 204, 404, 409]],
    ['?force=true', [200, 204, 404]],
  ])('of a product, DELETE%s: every response has an expected status', async (query, allowed) => {
    const shop = await newProject()
    const answers = await times(60, (index) =>
      index % 2 === 0
        ? shop.call('POST', '/v1/products', { source_id: 'mug', price: index })
        : shop.call('DELETE', `/v1/products/mug${query}`),
    )
    for (const { status } of answers) expect(allowed).toContain(status)
    const deleted = answers.filter(({ status }) => status === 204).length
    const ids = new Set(answers.filter(({ status }) => status === 200).map(({ body }) => body.id))
    const { status } = await shop.call('GET', '/v1/products/mug')
    // Each product ever created still exists or was deleted exactly once.
    expect(ids.size).toBe(deleted + (status === 200 ? 1 : 0))
  })

  test.each(['', '?force=true'])('no SKU outlives its product, DELETE%s', async (query) => {
    const shop = await newProject()
    const { db } = shop.service.runtime.database
    for (let round = 0; round < 5; round++) {
      const sourceId = `mug-${round}`
      await shop.call('POST', '/v1/products', { source_id: sourceId })
      const [removed, ...answers] = await Promise.all([
        shop.call('DELETE', `/v1/products/${sourceId}${query}`),
        ...Array.from({ length: 20 }, (_, index) =>
          shop.call('POST', `/v1/products/${sourceId}/skus`, { source_id: `${sourceId}-${index}` }),
        ),
      ])
      expect(removed).toMatchObject({ status: 204 })
      for (const { status } of answers) expect([200, 404]).toContain(status)
    }
    const alive = await db
      .selectFrom('skus')
      .where('project_id', '=', shop.project_id)
      .where('deleted_at', 'is', null)
      .select('source_id')
      .execute()
    expect(alive).toEqual([])
  })

  test('of 20 concurrent deletions of a product, one succeeds', async () => {
    const shop = await mugShop()
    const answers = await times(20, () => shop.call('DELETE', '/v1/products/mug'))
    expect(answers.filter(({ status }) => status === 204)).toHaveLength(1)
    expect(statuses(answers)).toEqual([204, 404])
  })
})

test('30 concurrent orders that override the same goods in different sequences do not deadlock, and no value is lost', async () => {
  const shop = await newProject()
  const { runtime } = shop.service
  const project = (await findProject(runtime.database.db, shop.project_id)) as Project
  const keys = Array.from({ length: 10 }, (_, index) => `p${index}`)
  for (const key of keys.slice(0, 5)) await shop.call('POST', '/v1/products', { source_id: key })
  const results = await times(30, (index) => {
    const ordered = index % 2 === 0 ? keys : keys.toReversed()
    const metadata = { [`order-${index}`]: true }
    return asRequest(runtime, project, (ctx) =>
      overrideGoods(
        ctx,
        { products: [], skus: [] },
        {
          products: ordered.map((key) => ({ key, metadata })),
          skus: ordered.map((key) => ({ key: `${key}-sku`, product_key: key, metadata })),
        },
      ),
    )
  })
  for (const { products, skus } of results) expect([products.length, skus.length]).toEqual([10, 10])
  const { body } = await shop.call('GET', '/v1/products?limit=100')
  expect(body.total).toBe(11)
  for (const { metadata, skus } of body.products.slice(1)) {
    expect(Object.keys(metadata)).toHaveLength(30)
    expect(skus.data.map((sku: { metadata: object }) => Object.keys(sku.metadata).length)).toEqual([30])
  }
})
