import { expect, test } from 'vitest'
import { bulkUpdateProductMetadata, bulkUpdateProducts } from '../catalogue/products/bulk.ts'
import { importProducts } from '../catalogue/products/import.ts'
import { importSkus } from '../catalogue/skus/import.ts'
import { clientOf } from './client.ts'
import { csvFile } from './csv-file.ts'

const client = clientOf('products')

test('a product and its SKUs are created, read, changed and deleted', async () => {
  const { products } = (await client()).library
  const shirt = await products.create({
    source_id: 'shirt/1',
    name: 'Shirt',
    price: 1_999,
    attributes: ['size'],
    metadata: { brand: 'Acme' },
  })
  expect(shirt).toMatchObject({
    id: expect.stringMatching(/^prod_/),
    source_id: 'shirt/1',
    price: 1_999,
    attributes: ['size'],
    object: 'product',
  })
  // The id is sent in the path only.
  expect(await products.update({ id: shirt.id, price: 2_499, metadata: { new: true } })).toMatchObject({
    id: shirt.id,
    price: 2_499,
    metadata: { brand: 'Acme', new: true },
  })
  expect(await products.update({ source_id: 'shirt/1', name: 'Blouse' })).toMatchObject({
    id: shirt.id,
    name: 'Blouse',
  })

  const medium = await products.createSku('shirt/1', { source_id: 'shirt-m', sku: 'M', attributes: { size: 'm' } })
  expect(medium).toMatchObject({
    id: expect.stringMatching(/^sku_/),
    sku: 'M',
    attributes: { size: 'm' },
    object: 'sku',
  })
  expect(await products.getSku('shirt-m')).toMatchObject({ id: medium.id, sku: 'M' })
  expect(await products.updateSku(shirt.id, { id: medium.id, sku: 'Medium', price: 100 })).toMatchObject({
    id: medium.id,
    sku: 'Medium',
    price: 100,
  })
  expect(await products.updateSku(shirt.id, { source_id: 'shirt-m', sku: 'MM' })).toMatchObject({ id: medium.id })
  expect(await products.listSkus(shirt.id)).toMatchObject({
    object: 'list',
    total: 1,
    skus: [{ id: medium.id, sku: 'MM' }],
  })
  expect(await products.get(shirt.id)).toMatchObject({ name: 'Blouse', skus: { total: 1, data: [{ id: medium.id }] } })

  await products.deleteSku(shirt.id, medium.id, { force: true })
  await expect(products.getSku(medium.id)).rejects.toMatchObject({ code: 404, resource_type: 'sku' })
  await products.delete('shirt/1', { force: true })
  await expect(products.get(shirt.id)).rejects.toMatchObject({ code: 404, resource_type: 'product' })
})

test('products are changed in bulk, imported from files, and listed', async () => {
  const { library, work } = await client()
  const { products, asyncActions } = library
  await products.create({ source_id: 'bulk-1', name: 'Before', metadata: { a: 1 } })
  const started = [
    await products.bulkUpdate([{ source_id: 'bulk-1', name: 'After', metadata: { b: 2 } }, { source_id: 'bulk-2' }]),
    await products.bulkUpdateMetadata({ source_ids: ['bulk-1', 'bulk-2'], metadata: { c: 3 } }),
    await products.importCSV(csvFile('name,source_id,price,color', 'Cap,file-1,900,red')),
  ]
  await work(bulkUpdateProducts, bulkUpdateProductMetadata, importProducts)
  started.push(await products.importSkusCSV(csvFile('product_id,source_id,sku,price', 'file-1,cap-s,Small,800')))
  await work(importSkus)
  for (const { async_action_id } of started)
    expect(await asyncActions.get(async_action_id)).toMatchObject({ status: 'DONE', result: { failed_count: 0 } })
  expect(await products.get('bulk-1')).toMatchObject({ name: 'After', metadata: { a: 1, b: 2, c: 3 } })
  expect(await products.get('file-1')).toMatchObject({ name: 'Cap', price: 900, metadata: { color: 'red' } })
  expect(await products.getSku('cap-s')).toMatchObject({ sku: 'Small', price: 800 })

  const list = await products.list({ limit: 2, page: 1 })
  expect(list).toMatchObject({ object: 'list', data_ref: 'products', total: 4 }) // including the shipping product that every project has
  expect(list.products).toHaveLength(2)
})

test('every method of these objects was called', async () => (await client()).expectAllMethodsCalled())
