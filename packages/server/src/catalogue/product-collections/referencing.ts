import { sql } from 'kysely'
import type { Ctx } from '../../core/context.ts'
import { type ReferencedBy, referencedBy, referencesMax } from '../../core/in-use.ts'
import type { Condition } from '../../core/query/filter/conditions.ts'
import { namesLocation } from '../../definitions/locations/naming.ts'
import type { GoodIds } from '../products/goods.ts'

/** Static collections that have one of these products or SKUs as a member. */
export const collectionsReferencingGoods = (ctx: Ctx, { products, skus }: GoodIds): Promise<ReferencedBy | null> =>
  collectionsWhere(
    ctx,
    sql`exists (select from jsonb_array_elements(products) as member
      where member ->> 'id' = any(${[...products, ...skus]}::text[]))`,
  )

/** Collections whose filter uses a location. */
export const collectionsReferencingLocation = (
  ctx: Ctx,
  { location_id }: { location_id: string },
): Promise<ReferencedBy | null> => collectionsWhere(ctx, namesLocation(sql.ref('filter'), location_id))

async function collectionsWhere({ db, project_id }: Ctx, condition: Condition): Promise<ReferencedBy | null> {
  const rows = await db
    .selectFrom('product_collections')
    .where('project_id', '=', project_id)
    .where(condition)
    .orderBy('id')
    .limit(referencesMax)
    .select(['id', sql<number>`count(*) over ()`.as('total')])
    .execute()
  return referencedBy('products_collection', rows)
}
