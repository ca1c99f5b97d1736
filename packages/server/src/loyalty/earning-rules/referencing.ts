import { sql } from 'kysely'
import type { GoodIds } from '../../catalogue/products/goods.ts'
import type { Ctx } from '../../core/context.ts'
import { type ReferencedBy, referencedBy } from '../../core/in-use.ts'
import type { Condition } from '../../core/query/filter/conditions.ts'

/** What an earning rule can refer to: a segment, the schema of its event, or goods. */
type Reference = { segment_id: string } | { schema_id: string } | GoodIds

/**
 * The earning rules that refer to an object, of programs that are not in the bin: the first 20 ids and the total number; null
 * if there are none.
 */
export async function earningRulesReferencing(
  { db, project_id }: Ctx,
  reference: Reference,
): Promise<ReferencedBy | null> {
  const { rows } = await sql<{ id: string; total: number }>`
    select r.id, count(*) over () as total
    from earning_rules r join campaigns c on c.project_id = r.project_id and c.id = r.campaign_id
    where r.project_id = ${project_id} and c.deleted_at is null and ${refersTo(project_id, reference)}
    order by r.id limit 20`.execute(db)
  return referencedBy('earning_rule', rows)
}

function refersTo(projectId: string, reference: Reference): Condition {
  if ('segment_id' in reference) return sql`r.segment_id = ${reference.segment_id}`
  if ('schema_id' in reference) return sql`r.schema_id = ${reference.schema_id}`
  // The goods of a calculation: `{ quantity: { object, id, applicable_to: [{ object, id }] } }`, each by its id or its source
  // id.
  return sql`exists (
    select from jsonb_path_query(r.loyalty, '$.order_items.*.**') as good
    where good ->> 'object' = 'product' and good ->> 'id' in (${keysOfGoods(projectId, 'products', reference.products)})
      or good ->> 'object' = 'sku' and good ->> 'id' in (${keysOfGoods(projectId, 'skus', reference.skus)}))`
}

const keysOfGoods = (projectId: string, table: 'products' | 'skus', ids: readonly string[]) => sql`
  select unnest(array[id, source_id]) from ${sql.table(table)}
  where project_id = ${projectId} and id = any(${ids}::text[])`
