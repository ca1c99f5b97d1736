import { sql } from 'kysely'
import type { Ctx } from '../../core/context.ts'
import type { Condition } from '../../core/query/filter/conditions.ts'
import { pageOf } from '../../core/query/list.ts'
import { catalogueColumns } from '../products/sorting.ts'
import { membershipSql } from './filter.ts'
import type { CollectionProduct, CollectionProductQuery, ParentProduct, ProductCollection } from './schema.ts'

/** A page of the current products and SKUs of a collection, in one list. */
export async function listCollectionProducts(
  ctx: Ctx,
  collection: ProductCollection,
  query: CollectionProductQuery,
): Promise<{ data: CollectionProduct[]; total: number }> {
  const { rows, total } = await pageOf(goodsOf(ctx), query, {
    columns: catalogueColumns,
    default_order: '-created_at',
    where: [await membershipSql(ctx, collection)],
    ...cursorOf(query),
  })
  return { data: rows.map(toCollectionProduct), total }
}

function cursorOf({ starting_after, order = '-created_at' }: CollectionProductQuery): { after?: Condition } {
  if (starting_after === undefined) return {}
  const comparison = order.startsWith('-') ? sql`<` : sql`>`
  return { after: sql`created_at ${comparison} ${starting_after}::timestamptz` }
}

interface Good {
  id: string
  object: 'product' | 'sku'
  source_id: string | null
  name: string | null
  price: number | null
  metadata: Record<string, unknown>
  image_url: string | null
  created_at: string
  updated_at: string | null
  attributes: string[] | Record<string, unknown>
  /** This and `currency`: only of SKUs. */
  product_id: string | null
  currency: string | null
}

/**
 * All products and SKUs of the project as rows of the same columns, including those that collection filters read. An SKU without
 * a price has the price of its product, as on an order line (docs/reference/rules.md#lines-and-references).
 */
function goodsOf({ db, project_id }: Ctx) {
  const goods = sql<Good>`(
    select id, 'product' as object, source_id, name, price, metadata, image_url, created_at, updated_at, attributes,
      null::text collate "C" as product_id, null::text as currency,
      price as line_price, attributes as attribute_values,
      (select coalesce(jsonb_agg(skus.id), '[]') from skus
        where skus.project_id = ${project_id} and skus.product_id = products.id and skus.deleted_at is null
      ) as sku_ids
    from products where project_id = ${project_id} and deleted_at is null
    union all
    select id, 'sku', source_id, sku, price, metadata, image_url, created_at, updated_at, attributes,
      product_id, currency,
      coalesce(price, (select products.price from products
        where products.project_id = ${project_id} and products.id = skus.product_id)),
      jsonb_path_query_array(attributes, '$.*'),
      null::jsonb
    from skus where project_id = ${project_id} and deleted_at is null
  )`
  // In the same statement, and so in the same snapshot: a concurrent deletion cannot leave a listed SKU without its product.
  const product = sql<ParentProduct | null>`(
    select jsonb_build_object('id', id, 'source_id', source_id, 'name', name, 'price', price, 'attributes', attributes,
      'metadata', metadata, 'object', 'product')
    from products where project_id = ${project_id} and id = goods.product_id)`
  return db
    .selectFrom(goods.as('goods'))
    .select(['id', 'object', 'source_id', 'name', 'price', 'metadata', 'image_url', 'created_at', 'updated_at'])
    .select(['attributes', 'product_id', 'currency', product.as('product')])
}

function toCollectionProduct(good: Good & { product: ParentProduct | null }): CollectionProduct {
  const { object, name, attributes, product_id, currency, product, ...shared } = good
  return object === 'product'
    ? { ...shared, name, attributes: attributes as string[], object }
    : {
        ...shared,
        product_id: product_id as string,
        sku: name,
        currency,
        attributes: attributes as Record<string, unknown>,
        object,
        product: product as ParentProduct,
      }
}
