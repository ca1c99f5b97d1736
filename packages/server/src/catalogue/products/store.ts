import { type RawBuilder, type Selectable, sql } from 'kysely'
import type { Ctx } from '../../core/context.ts'
import type { ProductRow } from '../../core/db/tables.ts'
import { notFound } from '../../core/http/errors.ts'
import { newId } from '../../core/lib/ids.ts'
import { declareList } from '../../core/query/declared-list.ts'
import type { Condition } from '../../core/query/filter/conditions.ts'
import type { RowLock } from '../../core/rows.ts'
import type { Product, ProductQuery, UpdateProduct } from './schema.ts'
import { catalogueColumns } from './sorting.ts'

type ProductId = ProductRow['id']

/** A product by our id, or else by the shop's own (docs/reference/products.md#ids-and-source-ids); 404 when there is none. */
export async function getProduct(ctx: Ctx, key: string, options: { lock?: RowLock } = {}): Promise<Product> {
  const product = await findProduct(ctx, key, options)
  if (product === undefined) throw notFound('product', key)
  return product
}

/** The products of the project that are not in the bin. */
const products = ({ db, project_id }: Pick<Ctx, 'db' | 'project_id'>) =>
  db.selectFrom('products').where('project_id', '=', project_id).where('deleted_at', 'is', null)

export async function findProduct(
  ctx: Ctx,
  key: string,
  { lock }: { lock?: RowLock } = {},
): Promise<Product | undefined> {
  const row = await products(ctx)
    .where((is) => is.or([is('id', '=', key as ProductId), is('source_id', '=', key)]))
    .orderBy((is) => is('id', '=', key as ProductId), 'desc')
    .limit(1)
    .selectAll()
    .$if(lock === 'keyShare', (query) => query.forKeyShare())
    .$if(lock === 'update', (query) => query.forUpdate())
    .executeTakeFirst()
  return row === undefined ? undefined : toProduct(row)
}

/** Products by ids or source ids; with `lock` they cannot be deleted until the end of the transaction. */
export async function listProductsByKey(
  ctx: Ctx,
  keys: readonly string[],
  { lock }: { lock?: 'keyShare' } = {},
): Promise<Product[]> {
  if (keys.length === 0) return []
  const rows = await products(ctx)
    .where(sql<boolean>`(id = any(${keys}::text[]) or source_id = any(${keys}::text[]))`)
    .orderBy('id')
    .selectAll()
    .$if(lock === 'keyShare', (query) => query.forKeyShare())
    .execute()
  return rows.map(toProduct)
}

export async function listProducts(
  { db, project_id }: Ctx,
  query: ProductQuery,
  where: Condition[],
): Promise<{ products: Product[]; total: number }> {
  const { rows, total } = await allProducts(db, { project_id }, query, { where })
  return { products: rows.map(toProduct), total }
}

const allProducts = declareList((db, { project_id }: { project_id: string }) => ({
  query: products({ db, project_id }).selectAll(),
  options: { columns: catalogueColumns, default_order: 'created_at' as NonNullable<ProductQuery['order']> },
}))

/** A body whose fields may also be undefined, which means not sent. */
export type Sent<Body> = { [K in keyof Body]?: Body[K] | undefined }

export type NewProduct = Sent<UpdateProduct> & { source_id: string | null }

/**
 * Inserts products in one statement. A product with a known source id is updated with `changes` instead; if it is in the bin, it
 * is neither updated nor returned. No two products may have the same source id.
 */
export async function insertProducts(
  { db, project_id, now }: Ctx,
  sent: readonly NewProduct[],
  changes: readonly RawBuilder<unknown>[],
): Promise<Array<{ product: Product; isNew: boolean }>> {
  if (sent.length === 0) return []
  const created = sent.map((product) => ({
    id: newId('product', Date.parse(now)),
    source_id: product.source_id,
    name: product.name ?? null,
    price: product.price ?? null,
    attributes: product.attributes ?? [],
    metadata: product.metadata ?? {},
    image_url: product.image_url ?? null,
  }))
  // Sorted by source id: two transactions that write the same products would otherwise deadlock.
  const { rows } = await sql<Selectable<ProductRow>>`
    insert into products (project_id, id, source_id, name, price, attributes, metadata, image_url, created_at)
    select own.id, created.id, created.source_id, created.name, created.price, created.attributes, created.metadata,
      created.image_url, ${now}::timestamptz
    from projects own, jsonb_to_recordset(${JSON.stringify(created)}::jsonb) as created
      (id text, source_id text, name text, price bigint, attributes jsonb, metadata jsonb, image_url text)
    where own.id = ${project_id}
    order by created.source_id collate "C", created.id
    on conflict (project_id, source_id) do update set ${sql.join([...changes, sql`updated_at = ${now}::timestamptz`])}
    where products.deleted_at is null
    returning *`.execute(db)
  const ids = new Set<string>(created.map(({ id }) => id))
  return rows.map((row) => ({ product: toProduct(row), isNew: ids.has(row.id) }))
}

/** Updates the sent fields; undefined when the product does not exist. SQL merges metadata, so concurrent updates lose no key. */
export async function updateProduct(
  { db, project_id, now }: Ctx,
  id: string,
  { name, price, attributes, metadata, image_url }: Sent<UpdateProduct>,
): Promise<Product | undefined> {
  const row = await db
    .updateTable('products')
    .set({
      ...(name === undefined ? {} : { name }),
      ...(price === undefined ? {} : { price }),
      ...(attributes === undefined ? {} : { attributes: JSON.stringify(attributes ?? []) }),
      ...(image_url === undefined ? {} : { image_url }),
      metadata: sql`metadata || ${JSON.stringify(metadata ?? {})}::jsonb`,
      updated_at: now,
    })
    .where('project_id', '=', project_id)
    .where('id', '=', id as ProductId)
    .where('deleted_at', 'is', null)
    .returningAll()
    .executeTakeFirst()
  return row === undefined ? undefined : toProduct(row)
}

/** An update of an existing product or SKU; null leaves a column unchanged. */
export interface GoodChange {
  id: string
  name: string | null
  price: number | null
  metadata: Record<string, unknown>
}

/** Updates products in one statement and returns them; missing products are skipped. */
export async function updateProducts(ctx: Ctx, changes: readonly GoodChange[]): Promise<Product[]> {
  const rows = await updateGoods<Selectable<ProductRow>>(ctx, { table: 'products', name_column: 'name' }, changes)
  return rows.map(toProduct)
}

/** Updates rows of `products` or `skus` in one statement and returns them; missing ones are skipped. */
export async function updateGoods<Row>(
  { db, project_id, now }: Ctx,
  { table, name_column }: { table: 'products'; name_column: 'name' } | { table: 'skus'; name_column: 'sku' },
  changes: readonly GoodChange[],
): Promise<Row[]> {
  if (changes.length === 0) return []
  // Locks in the order of ids: two transactions that update the same goods would otherwise deadlock.
  const { rows } = await sql<Row>`
    with held as materialized (
      select good.id, sent.name, sent.price, sent.metadata
      from jsonb_to_recordset(${JSON.stringify(changes)}::jsonb) as sent (id text, name text, price bigint, metadata jsonb)
      join ${sql.table(table)} good on good.id = sent.id
      where good.project_id = ${project_id} and good.deleted_at is null
      order by good.id for no key update of good
    )
    update ${sql.table(table)} good set ${sql.ref(name_column)} = coalesce(held.name, good.${sql.ref(name_column)}),
      price = coalesce(held.price, good.price), metadata = good.metadata || held.metadata,
      updated_at = ${now}::timestamptz
    from held where good.project_id = ${project_id} and good.id = held.id
    returning good.*`.execute(db)
  return rows
}

/** Soft-deletes a product into the bin; its source id stays taken. */
export async function hideProduct({ db, project_id, now }: Ctx, id: string): Promise<void> {
  await db
    .updateTable('products')
    .set({ deleted_at: now })
    .where('project_id', '=', project_id)
    .where('id', '=', id as ProductId)
    .execute()
}

export async function deleteProduct({ db, project_id }: Ctx, id: string): Promise<void> {
  await db
    .deleteFrom('products')
    .where('project_id', '=', project_id)
    .where('id', '=', id as ProductId)
    .execute()
}

export function toProduct(row: Selectable<ProductRow>): Product {
  const { id, source_id, name, price, attributes, metadata, image_url, created_at, updated_at } = row
  return { id, source_id, name, price, attributes, metadata, image_url, created_at, updated_at, object: 'product' }
}
