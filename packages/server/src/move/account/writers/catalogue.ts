import type { Filter } from '@guerdon/engine/schema'
import { readCollectionFilter } from '../../../catalogue/product-collections/filter.ts'
import { allProductsId } from '../../../core/db/built-in-collections.ts'
import { shippingId } from '../../../core/db/built-in-products.ts'
import { forEach, insertMain, ownId, reference, type Writer } from '../batch.ts'
import {
  amount,
  type Foreign,
  isForeign,
  LeftOut,
  list,
  moments,
  oneOf,
  part,
  requiredText,
  shape,
  text,
} from '../foreign.ts'
import { present } from '../insert-rows.ts'
import { keptId } from '../kept-id.ts'
import { insertConfiguration } from './definitions.ts'

export const products: Writer = {
  list: 'products',
  size: 1_000,
  async write(batch) {
    const rows = await forEach(batch, (product) => ({
      id: ownId(batch, 'product', product),
      source_id: text(product, 'source_id'),
      name: text(product, 'name'),
      price: product.price == null ? null : amount(product, 'price'),
      attributes: list(product, 'attributes').filter((name) => typeof name === 'string'),
      metadata: part(product, 'metadata'),
      image_url: text(product, 'image_url'),
      ...moments(product, batch.copied_at),
    }))
    // Every project has the built-in product for shipping, and the built-in collection below.
    batch.report.written += rows.filter(({ id }) => id === shippingId).length
    await insertMain(
      batch,
      'products',
      rows.filter(({ id }) => id !== shippingId),
    )
  },
}

export const skus: Writer = {
  list: 'skus',
  size: 1_000,
  async write(batch) {
    const productIds = await present(
      batch.ctx,
      'products',
      batch.objects.map((sku) => productOf(sku)),
    )
    const rows = await forEach(batch, (sku) => {
      const productId = productOf(sku)
      if (productId === null || !productIds.has(productId)) throw new LeftOut('its product was not carried over')
      return {
        id: ownId(batch, 'sku', sku),
        product_id: productId,
        source_id: text(sku, 'source_id'),
        sku: text(sku, 'sku'),
        price: sku.price == null ? null : amount(sku, 'price'),
        currency: text(sku, 'currency'),
        attributes: part(sku, 'attributes'),
        metadata: part(sku, 'metadata'),
        image_url: text(sku, 'image_url'),
        ...moments(sku, batch.copied_at),
      }
    })
    await insertMain(batch, 'skus', rows)
  },
}

const productOf = (sku: Foreign) => reference('product', sku, 'product_id') ?? reference('product', sku, 'parent_id')

export const collections: Writer = {
  list: 'collections',
  size: 100,
  async write(batch) {
    const isBuiltIn = ({ id }: Foreign) => id === allProductsId
    batch.report.written += batch.objects.filter(isBuiltIn).length
    const objects = batch.objects.filter((collection) => !isBuiltIn(collection))
    const rows = await forEach({ ...batch, objects }, async (collection) => {
      const type = oneOf(collection, 'type', ['STATIC', 'AUTO_UPDATE'])
      return {
        id: ownId(batch, 'products_collection', collection),
        name: requiredText(collection, 'name'),
        type,
        filter:
          type === 'AUTO_UPDATE'
            ? await readCollectionFilter(batch.ctx, shape(collection, 'filter') as Filter | null)
            : null,
        products: type === 'STATIC' ? list(collection, 'products').flatMap(memberOf) : null,
        ...moments(collection, batch.copied_at),
      }
    })
    await insertConfiguration(batch, 'product_collections', rows)
  },
}

function memberOf(member: unknown): object[] {
  if (!isForeign(member) || typeof member.id !== 'string') return []
  if (member.object === 'product') return [{ id: keptId('product', member.id), object: 'product' }]
  const productId = reference('product', member, 'product_id')
  return [{ id: keptId('sku', member.id), object: 'sku', ...(productId === null ? {} : { product_id: productId }) }]
}
