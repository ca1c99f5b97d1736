import type { Ctx } from '../../core/context.ts'
import { dateBounds, listed } from '../../core/query/list.ts'
import { catalogueFilterSql } from '../products/filter.ts'
import type { SkuQuery } from './schema.ts'
import { listSkus } from './store.ts'

/** A page of the SKUs of a product that match a query (docs/reference/products.md#sku-endpoints). */
export async function pageOfSkus(ctx: Ctx, productId: string, query: SkuQuery) {
  const where = dateBounds(query)
  if (query.filters !== undefined) where.push(await catalogueFilterSql(ctx, 'skus', query.filters))
  const { skus, total } = await listSkus(ctx, productId, query, where)
  return listed('skus', skus, { total })
}
