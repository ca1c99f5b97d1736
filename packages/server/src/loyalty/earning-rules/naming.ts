import { sql } from 'kysely'
import type { GoodIds } from '../../catalogue/products/goods.ts'
import type { Ctx } from '../../core/context.ts'
import { type ReferencedBy, referencedBy } from '../../core/in-use.ts'
import type { Condition } from '../../core/query/filter/conditions.ts'

/** What an earning rule can name: a segment, the schema of its event, or goods. */
type Named = { segment_id: string } | { schema_id: string } | GoodIds

/**
 * The earning rules that name something, of programs that are not in the bin: some of them by id, and how many there are.
 * Null: there are none.
 */
export async function earningRulesNaming({ db, project_id }: Ctx, named: Named): Promise<ReferencedBy | null> {
  const { rows } = await sql<{ id: string; total: number }>`
    select r.id, count(*) over () as total
    from earning_rules r join campaigns c on c.project_id = r.project_id and c.id = r.campaign_id
    where r.project_id = ${project_id} and c.deleted_at is null and ${names(project_id, named)}
    order by r.id limit 20`.execute(db)
  return referencedBy('earning_rule', rows)
}

function names(projectId: string, named: Named): Condition {
  if ('segment_id' in named) return sql`r.segment_id = ${named.segment_id}`
  if ('schema_id' in named) return sql`r.schema_id = ${named.schema_id}`
  // What it counts: `{ quantity: { object, id, applicable_to: [{ object, id }] } }`, each by its id or its source id.
  return sql`exists (
    select from jsonb_path_query(r.loyalty, '$.order_items.*.**') as good
    where good ->> 'object' = 'product' and good ->> 'id' in (${known(projectId, 'products', named.products)})
      or good ->> 'object' = 'sku' and good ->> 'id' in (${known(projectId, 'skus', named.skus)}))`
}

const known = (projectId: string, table: 'products' | 'skus', ids: readonly string[]) => sql`
  select unnest(array[id, source_id]) from ${sql.table(table)}
  where project_id = ${projectId} and id = any(${ids}::text[])`
