import type { Insertable } from 'kysely'
import type { Instant } from '../lib/instant.ts'
import type { ProductRow } from './tables.ts'

/**
 * The built-in product for shipping costs in orders. Every new project gets it; it cannot be changed
 * (docs/reference/products.md#ids-and-source-ids).
 */
export const shippingId: ProductRow['id'] = 'prod_5h1pp1ng'
export const shippingSourceId = '5h1pp1ng'

export const shippingRow = (projectId: string, now: Instant): Insertable<ProductRow> => ({
  project_id: projectId,
  id: shippingId,
  source_id: shippingSourceId,
  name: 'Shipping',
  price: null,
  attributes: '[]',
  metadata: '{}',
  image_url: null,
  created_at: now,
  updated_at: null,
  deleted_at: null,
})
