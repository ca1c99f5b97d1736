import type { Instant } from '../lib/instant.ts'
import type { Db } from './database.ts'
import type { ProductCollectionRow } from './tables.ts'

/**
 * The built-in collection that contains every item, in the catalogue or not. Every new project gets it
 * (docs/reference/products.md#ids-and-source-ids).
 */
export const allProductsId: ProductCollectionRow['id'] = 'pc_a11pr0dUc75'

export async function insertAllProducts(db: Db, projectId: string, now: Instant): Promise<void> {
  await db
    .insertInto('product_collections')
    .values({
      project_id: projectId,
      id: allProductsId,
      name: 'All Products',
      type: 'AUTO_UPDATE',
      filter: null,
      products: null,
      created_at: now,
      updated_at: null,
      config_version: 0,
    })
    .execute()
}
