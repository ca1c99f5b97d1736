import type { Ctx } from '../../core/context.ts'
import { defineBulkUpdate, defineMetadataUpdate } from '../../core/jobs/bulk-update.ts'
import { loadMetadataRules, type MetadataRules } from '../../definitions/metadata-schemas/rules.ts'
import type { BulkProduct } from './schema.ts'
import { listProductsByKey } from './store.ts'
import { upsertProduct } from './upsert.ts'

/** Upserts each product by its source id and merges its metadata (docs/reference/products.md#product-endpoints). */
const eachProduct = {
  key: ({ source_id }: BulkProduct) => source_id,
  prepare: (ctx: Ctx) => loadMetadataRules(ctx, 'product'),
  async item(ctx: Ctx, { source_id, name, price, attributes, metadata, image_url }: BulkProduct, rules: MetadataRules) {
    // Only these fields: a sent `id` must not select another product.
    const sent = { source_id, name, price, attributes, metadata, image_url }
    const { isNew } = await upsertProduct(ctx, sent, rules)
    return { found: !isNew }
  },
  async existing(ctx: Ctx, sourceIds: string[]) {
    const products = await listProductsByKey(ctx, sourceIds)
    return new Set(products.map(({ source_id }) => source_id ?? ''))
  },
}

export const bulkUpdateProducts = defineBulkUpdate<BulkProduct, MetadataRules>({
  ...eachProduct,
  type: 'PRODUCTS.BULK_UPDATE',
  names_source: true,
})

export const bulkUpdateProductMetadata = defineMetadataUpdate<MetadataRules>({
  ...eachProduct,
  type: 'PRODUCTS.METADATA_UPDATE',
  names_source: false,
})
