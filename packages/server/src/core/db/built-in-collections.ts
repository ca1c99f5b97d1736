import type { Insertable } from 'kysely'
import type { Instant } from '../lib/instant.ts'
import type { ProductCollectionRow } from './tables.ts'

/**
 * The built-in collection that contains every item, in the catalogue or not. Every new project gets it
 * (docs/reference/products.md#ids-and-source-ids).
 */
export const allProductsId: ProductCollectionRow['id'] = 'pc_a11pr0dUc75'

export const allProductsRow = (projectId: string, now: Instant): Insertable<ProductCollectionRow> => ({
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
