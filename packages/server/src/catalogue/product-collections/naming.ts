import { sql } from 'kysely'
import type { Ctx } from '../../core/context.ts'
import type { Condition } from '../../core/query/filter/conditions.ts'
import { namesLocation } from '../../definitions/locations/naming.ts'

/** Some of the objects that name something, and how many there are. */
export interface Naming {
  ids: string[]
  total: number
}

export const names_max = 100

/** Static collections of which one of some products or SKUs is a member. */
export const collectionsNaming = (ctx: Ctx, ids: readonly string[]): Promise<Naming> =>
  collectionsWhere(
    ctx,
    sql`exists (select from jsonb_array_elements(products) as member where member ->> 'id' = any(${ids}::text[]))`,
  )

/** Collections whose filter asks for a location. */
export const collectionsNamingLocation = (ctx: Ctx, location_id: string): Promise<Naming> =>
  collectionsWhere(ctx, namesLocation(sql.ref('filter'), location_id))

async function collectionsWhere({ db, project_id }: Ctx, condition: Condition): Promise<Naming> {
  const rows = await db
    .selectFrom('product_collections')
    .where('project_id', '=', project_id)
    .where(condition)
    .orderBy('id')
    .limit(names_max)
    .select(['id', sql<number>`count(*) over ()`.as('total')])
    .execute()
  return { ids: rows.map(({ id }) => id), total: rows[0]?.total ?? 0 }
}
