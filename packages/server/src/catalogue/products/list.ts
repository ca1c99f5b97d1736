import type { Ctx } from '../../core/context.ts'
import { dateBounds, listed } from '../../core/query/list.ts'
import { listSkusOf } from '../skus/store.ts'
import { catalogueFilterSql } from './filter.ts'
import type { Product, ProductQuery, ProductWithSkus } from './schema.ts'
import { listProducts } from './store.ts'

/** A page of the products that match a query, each with its SKUs (docs/reference/products.md#product-endpoints). */
export async function pageOfProducts(ctx: Ctx, query: ProductQuery) {
  const where = dateBounds(query)
  if (query.filters !== undefined) where.push(await catalogueFilterSql(ctx, 'products', query.filters))
  const { products, total } = await listProducts(ctx, query, where)
  return listed('products', await withSkus(ctx, products), { total })
}

export async function withSkus(ctx: Ctx, products: Product[]): Promise<ProductWithSkus[]> {
  if (products.length === 0) return []
  const skusOf = await listSkusOf(
    ctx,
    products.map(({ id }) => id),
  )
  return products.map((product) => ({ ...product, skus: skusOf(product.id) }))
}
