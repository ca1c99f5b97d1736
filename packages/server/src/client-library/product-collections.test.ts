import { expect, test } from 'vitest'
import { clientOf } from './client.ts'

const client = clientOf('product-collections')

test('a collection is created from products or a filter, read, listed and deleted', async () => {
  const { productCollections, products } = (await client()).library
  const shirt = await products.create({ source_id: 'shirt', name: 'Shirt', price: 1_999 })
  const socks = await products.create({ source_id: 'socks', name: 'Socks', price: 500 })
  const size = await products.createSku('shirt', { source_id: 'shirt-m', sku: 'M' })

  const fixed = await productCollections.create({
    name: 'Shirts',
    type: 'STATIC',
    products: [
      { id: socks.id, object: 'product' },
      { id: size.id, product_id: shirt.id, object: 'sku' },
    ],
  })
  expect(fixed).toMatchObject({
    id: expect.stringMatching(/^pc_/),
    name: 'Shirts',
    type: 'STATIC',
    object: 'products_collection',
  })
  const cheap = await productCollections.create({
    name: 'Cheap',
    type: 'AUTO_UPDATE',
    filter: { junction: 'and', price: { conditions: { $less_than: [1_000] } } },
  })
  expect(await productCollections.get(cheap.id)).toMatchObject({
    name: 'Cheap',
    filter: { price: { conditions: { $less_than: [1_000] } } },
  })
  const ofFixed = await productCollections.listProducts(fixed.id, { limit: 10 })
  expect(ofFixed).toMatchObject({ object: 'list', data_ref: 'data', total: 2 })
  expect(ofFixed.data.map(({ id }) => id).toSorted()).toEqual([socks.id, size.id].toSorted())
  expect((await productCollections.listProducts(cheap.id)).data.map(({ id }) => id)).toContain(socks.id)

  const list = await productCollections.list({ order: '-created_at', limit: 2, page: 1 })
  expect(list).toMatchObject({ object: 'list', data_ref: 'data', data: [{ id: cheap.id }, { id: fixed.id }] })
  await productCollections.delete(fixed.id)
  await expect(productCollections.get(fixed.id)).rejects.toMatchObject({ code: 404, resource_id: fixed.id })
})

test('every method of these objects was called', async () => (await client()).expectAllMethodsCalled())
