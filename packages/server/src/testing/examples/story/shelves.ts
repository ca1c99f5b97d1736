import type { Teller } from './teller.ts'

const firstPage = { query: { limit: 10 } }

/** What the shop sells, and who buys. */
export async function tellShelves({ tell, catchUp }: Teller): Promise<void> {
  await tell('createProduct', {
    body: {
      source_id: 'mug',
      name: 'Mug',
      price: 1450,
      attributes: ['size'],
      image_url: 'https://shop.example/mug.png',
      metadata: { material: 'porcelain' },
    },
  })
  await tell('createProduct', { body: { source_id: 'shirt', name: 'Shirt', price: 1999 } })
  await tell('getProduct', { path: { productId: 'mug' } })
  await tell('listProducts', firstPage)
  await tell('updateProduct', {
    path: { productId: 'mug' },
    body: { name: 'Coffee mug', metadata: { dishwasher_safe: true } },
  })
  await tell('createSku', {
    path: { productId: 'mug' },
    body: { source_id: 'mug-large', sku: 'Large mug', price: 1750, attributes: { size: 'large' } },
  })
  await tell('getSku', { path: { skuId: 'mug-large' } })
  await tell('listSkus', { path: { productId: 'mug' }, ...firstPage })
  await tell('updateProductsInBulk', {
    body: [
      { source_id: 'mug', price: 1450 },
      { source_id: 'shirt', price: 1999, metadata: { season: 'summer' } },
    ],
  })
  const collection = await tell('createProductCollection', {
    body: { name: 'Kitchen', type: 'STATIC', products: [{ id: 'mug', object: 'product' }] },
  })
  const inCollection = { path: { productCollectionId: collection.id } }
  await tell('getProductCollection', inCollection)
  await tell('listProductsInCollection', { ...inCollection, ...firstPage })
  await tell('listProductCollections', firstPage)

  await tell('createMetadataSchema', {
    body: { related_object: 'customer', properties: { newsletter: { type: 'boolean', array: false, optional: true } } },
  })
  await tell('getMetadataSchema', { path: { resource: 'customer' } })
  await tell('listMetadataSchemas')

  const customer = { path: { customerId: 'customer-1' } }
  await tell('createCustomer', {
    body: {
      source_id: 'customer-1',
      name: 'Ada Rossi',
      email: 'ada@example.com',
      address: { city: 'Rome', country: 'Italy' },
      metadata: { newsletter: true },
    },
  })
  await tell('getCustomer', customer)
  await tell('updateCustomer', { ...customer, body: { phone: '+39 06 5550 0100', metadata: { shirt_size: 'L' } } })
  await tell('listCustomers', firstPage)
  await tell('listCustomerActivities', { ...customer, ...firstPage })
  await tell('updateCustomersInBulk', {
    body: [
      { source_id: 'customer-1', metadata: { newsletter: true } },
      { source_id: 'customer-2', name: 'Bruno Conti', metadata: { newsletter: false } },
    ],
  })
  const { async_action_id: asyncActionId } = await tell('updateCustomersMetadataInBulk', {
    body: { source_ids: ['customer-1', 'customer-2'], metadata: { newsletter: true } },
  })
  await catchUp()
  await tell('getAsyncAction', { path: { asyncActionId } })
  await tell('listAsyncActions', firstPage)

  const segment = await tell('createSegment', {
    body: {
      name: 'Newsletter',
      type: 'auto-update',
      filter: { junction: 'and', 'metadata.newsletter': { conditions: { $is: [true] } } },
    },
  })
  await catchUp()
  await tell('getSegment', { path: { segmentId: segment.id } })
  await tell('listSegments', firstPage)
  await tell('listCustomerSegments', customer)
}
