import type { Instant } from '../lib/instant.ts'
import type { Db } from './database.ts'
import type { ProductRow } from './tables.ts'

/**
 * The product that shipping costs are sent as. Every project has it from birth and none may change it
 * (docs/reference/products.md#ids-and-source-ids).
 */
export const shipping_id: ProductRow['id'] = 'prod_5h1pp1ng'
export const shipping_source_id = '5h1pp1ng'

export async function insertShipping(db: Db, project_id: string, now: Instant): Promise<void> {
  await db
    .insertInto('products')
    .values({
      project_id,
      id: shipping_id,
      source_id: shipping_source_id,
      name: 'Shipping',
      price: null,
      attributes: '[]',
      metadata: '{}',
      image_url: null,
      created_at: now,
      updated_at: null,
      deleted_at: null,
    })
    .execute()
}
