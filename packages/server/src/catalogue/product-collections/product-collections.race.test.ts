import { expect, test } from 'vitest'
import { newProject, type Shop } from '../../testing/app.ts'

const rounds = 8

async function newGood(shop: Shop): Promise<{ product: string; sku: string }> {
  const product = (await shop.call('POST', '/v1/products', {})).body.id
  const sku = (await shop.call('POST', `/v1/products/${product}/skus`, {})).body.id
  return { product, sku }
}

test.each(['product', 'sku'] as const)(
  'a %s that is concurrently added to a collection and deleted is either a member or deleted, never both',
  async (object) => {
    const shop = await newProject()
    for (let round = 0; round < rounds; round += 1) {
      const { product, sku } = await newGood(shop)
      const member = { id: object === 'product' ? product : sku, object }
      const deletedPath = round % 2 === 0 ? `/v1/products/${product}` : `/v1/products/${product}/skus/${sku}`
      const [created, deleted] = await Promise.all([
        shop.call('POST', '/v1/product-collections', { name: `${round}`, type: 'STATIC', products: [member] }),
        shop.call('DELETE', `${deletedPath}?force=${round % 4 < 2}`),
      ])
      const isReferenced = object === 'sku' || round % 2 === 0
      if (!isReferenced) {
        expect([created.status, deleted.status]).toEqual([200, 204])
        continue
      }
      expect([
        [200, 400],
        [404, 204],
      ]).toContainEqual([created.status, deleted.status])
      if (created.status === 200) {
        expect(deleted.body).toMatchObject({ key: 'resource_in_use', related_object_ids: [created.body.id] })
        const { body } = await shop.call('GET', `/v1/product-collections/${created.body.id}/products`)
        expect(body.total).toBe(1)
      }
    }
  },
)

test('deleting a location while a filter that references it is created is refused, or precedes the filter', async () => {
  const shop = await newProject()
  const shape = { type: 'circle', distance: { center: 'geo:52,21', radius: '2 km' } }
  for (let round = 0; round < rounds; round += 1) {
    const { id } = (await shop.call('POST', '/v1/locations', { name: 'Zone', shape })).body
    const filter = { junction: 'and', 'metadata.store': { conditions: { $in_location: [id] } } }
    const [created, deleted] = await Promise.all([
      shop.call('POST', '/v1/product-collections', { name: `${round}`, type: 'AUTO_UPDATE', filter }),
      shop.call('DELETE', `/v1/locations/${id}`),
    ])
    expect(created.status).toBe(200) // a filter may reference an unknown location
    if (deleted.status === 400) expect(deleted.body.related_object_ids).toEqual([created.body.id])
    else expect(deleted.status).toBe(204)
    expect((await shop.call('GET', `/v1/locations/${id}`)).status).toBe(deleted.status === 400 ? 200 : 404)
  }
})

test('concurrent creations do not exceed the collection limit of the project', async () => {
  const shop = await newProject()
  await shop.manage('PUT', '/limits', { product_collections: 3 })
  const answers = await Promise.all(
    Array.from({ length: 12 }, (_, n) =>
      shop.call('POST', '/v1/product-collections', { name: `${n}`, type: 'STATIC' }),
    ),
  )
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 200, ...Array(9).fill(400)])
})

test('of concurrent renames to one name, one succeeds', async () => {
  const shop = await newProject()
  const ids: string[] = []
  for (let n = 0; n < 8; n += 1)
    ids.push((await shop.call('POST', '/v1/product-collections', { name: `${n}`, type: 'STATIC' })).body.id)
  const answers = await Promise.all(
    ids.map((id) => shop.call('PUT', `/v1/product-collections/${id}`, { name: 'Teas' })),
  )
  expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(7).fill(409)])
})
