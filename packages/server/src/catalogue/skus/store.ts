import { type RawBuilder, type Selectable, sql } from 'kysely'
import type { Ctx } from '../../core/context.ts'
import type { SkuRow } from '../../core/db/tables.ts'
import { notFound } from '../../core/http/errors.ts'
import { newId } from '../../core/lib/ids.ts'
import { limits } from '../../core/lib/limits.ts'
import type { Condition } from '../../core/query/filter/conditions.ts'
import { listed, pageOf } from '../../core/query/list.ts'
import { catalogueColumns } from '../products/sorting.ts'
import { type GoodChange, type Sent, updateGoods } from '../products/store.ts'
import type { Sku, SkuQuery, SkusOfProduct, UpdateSku } from './schema.ts'

type SkuId = SkuRow['id']
type ProductId = SkuRow['product_id']

interface SkuOptions {
  /** Finds only SKUs of this product. */
  product_id?: string
  /** Locks the row (`for update`) until the end of the transaction, for deleting it. */
  lock?: boolean
}

/** An SKU by our id, or else by the shop's own (docs/reference/products.md#ids-and-source-ids); 404 when there is none. */
export async function getSku(ctx: Ctx, key: string, options: SkuOptions = {}): Promise<Sku> {
  const sku = await findSku(ctx, key, options)
  if (sku === undefined) throw notFound('sku', key)
  return sku
}

/** The SKUs of the project that are not in the bin. */
const skus = ({ db, project_id }: Ctx) =>
  db.selectFrom('skus').where('project_id', '=', project_id).where('deleted_at', 'is', null)

export async function findSku(
  ctx: Ctx,
  key: string,
  { product_id, lock = false }: SkuOptions = {},
): Promise<Sku | undefined> {
  const row = await skus(ctx)
    .where((is) => is.or([is('id', '=', key as SkuId), is('source_id', '=', key)]))
    .$if(product_id !== undefined, (query) => query.where('product_id', '=', product_id as ProductId))
    .orderBy((is) => is('id', '=', key as SkuId), 'desc')
    .limit(1)
    .selectAll()
    .$if(lock, (query) => query.forUpdate())
    .executeTakeFirst()
  return row === undefined ? undefined : toSku(row)
}

/** SKUs by ids or source ids; with `lock` they cannot be deleted until the end of the transaction. */
export async function listSkusByKey(
  ctx: Ctx,
  keys: readonly string[],
  { lock = false }: { lock?: boolean } = {},
): Promise<Sku[]> {
  if (keys.length === 0) return []
  const rows = await skus(ctx)
    .where(sql<boolean>`(id = any(${keys}::text[]) or source_id = any(${keys}::text[]))`)
    .orderBy('id')
    .selectAll()
    .$if(lock, (query) => query.forKeyShare())
    .execute()
  return rows.map(toSku)
}

export async function listSkus(
  ctx: Ctx,
  productId: string,
  query: SkuQuery,
  where: Condition[],
): Promise<{ skus: Sku[]; total: number }> {
  const { rows, total } = await pageOf(
    skus(ctx)
      .where('product_id', '=', productId as ProductId)
      .selectAll(),
    query,
    { columns: catalogueColumns, default_order: 'created_at', where },
  )
  return { skus: rows.map(toSku), total }
}

/** The embedded SKU lists of several products in one statement: the first SKUs of each and their total. */
export async function listSkusOf(
  { db, project_id }: Ctx,
  productIds: readonly string[],
): Promise<(productId: string) => SkusOfProduct> {
  const { rows } = await sql<Selectable<SkuRow> & { skus_count: number }>`
    select shown.*, counted.skus_count from unnest(${productIds}::text[]) as wanted (product_id)
    cross join lateral (
      select count(*) as skus_count from skus
      where project_id = ${project_id} and product_id = wanted.product_id and deleted_at is null
    ) as counted
    cross join lateral (
      select * from skus
      where project_id = ${project_id} and product_id = wanted.product_id and deleted_at is null
      order by created_at, id limit ${sql.lit(limits.embedded_skus_max)}
    ) as shown
    order by shown.created_at, shown.id`.execute(db)
  const byProduct = Map.groupBy(rows, ({ product_id }) => product_id as string)
  return (productId) => {
    const firstSkus = byProduct.get(productId) ?? []
    return listed('data', firstSkus.map(toSku), { total: firstSkus[0]?.skus_count ?? 0 })
  }
}

export async function listSkuIds(ctx: Ctx, productId: string): Promise<string[]> {
  const rows = await skus(ctx)
    .where('product_id', '=', productId as ProductId)
    .select('id')
    .execute()
  return rows.map(({ id }) => id)
}

export type NewSku = Sent<UpdateSku> & { product_id: string; source_id: string | null }

/**
 * Inserts SKUs in one statement; the caller has locked their products against deletion. An SKU with a known source id is updated
 * with `changes` instead; if it is in the bin or belongs to another product, it is neither updated nor returned. No two SKUs may
 * have the same source id.
 */
export async function insertSkus(
  { db, project_id, now }: Ctx,
  sent: readonly NewSku[],
  changes: readonly RawBuilder<unknown>[],
): Promise<Array<{ sku: Sku; isNew: boolean }>> {
  if (sent.length === 0) return []
  const created = sent.map((sku) => ({
    id: newId('sku', Date.parse(now)),
    product_id: sku.product_id,
    source_id: sku.source_id,
    sku: sku.sku ?? null,
    price: sku.price ?? null,
    currency: sku.currency ?? null,
    attributes: sku.attributes ?? {},
    metadata: sku.metadata ?? {},
    image_url: sku.image_url ?? null,
  }))
  // Sorted by source id: two transactions that write the same SKUs would otherwise deadlock.
  const { rows } = await sql<Selectable<SkuRow>>`
    insert into skus
      (project_id, id, product_id, source_id, sku, price, currency, attributes, metadata, image_url, created_at)
    select own.id, created.id, created.product_id, created.source_id, created.sku, created.price, created.currency,
      created.attributes, created.metadata, created.image_url,
      ${now}::timestamptz
    from projects own, jsonb_to_recordset(${JSON.stringify(created)}::jsonb) as created
      (id text, product_id text, source_id text, sku text, price bigint, currency text, attributes jsonb, metadata jsonb,
        image_url text)
    where own.id = ${project_id}
    order by created.source_id collate "C", created.id
    on conflict (project_id, source_id) do update set ${sql.join([...changes, sql`updated_at = ${now}::timestamptz`])}
    where skus.deleted_at is null and skus.product_id = excluded.product_id
    returning *`.execute(db)
  const ids = new Set<string>(created.map(({ id }) => id))
  return rows.map((row) => ({ sku: toSku(row), isNew: ids.has(row.id) }))
}

/** Updates the sent fields; undefined when the SKU does not exist or belongs to another product. */
export async function updateSku(
  { db, project_id, now }: Ctx,
  id: string,
  productId: string,
  { sku, price, currency, attributes, metadata, image_url }: UpdateSku,
): Promise<Sku | undefined> {
  const row = await db
    .updateTable('skus')
    .set({
      ...(sku === undefined ? {} : { sku }),
      ...(price === undefined ? {} : { price }),
      ...(currency === undefined ? {} : { currency }),
      ...(attributes === undefined ? {} : { attributes: JSON.stringify(attributes ?? {}) }),
      ...(image_url === undefined ? {} : { image_url }),
      metadata: sql`metadata || ${JSON.stringify(metadata ?? {})}::jsonb`,
      updated_at: now,
    })
    .where('project_id', '=', project_id)
    .where('id', '=', id as SkuId)
    .where('product_id', '=', productId as ProductId)
    .where('deleted_at', 'is', null)
    .returningAll()
    .executeTakeFirst()
  return row === undefined ? undefined : toSku(row)
}

/** Updates SKUs in one statement and returns them; missing SKUs are skipped. */
export async function updateSkus(ctx: Ctx, changes: readonly GoodChange[]): Promise<Sku[]> {
  const rows = await updateGoods<Selectable<SkuRow>>(ctx, { table: 'skus', name_column: 'sku' }, changes)
  return rows.map(toSku)
}

/** Soft-deletes SKUs into the bin; their source ids stay taken. */
export async function hideSkus(ctx: Ctx, selector: SkuSelector): Promise<void> {
  await ctx.db
    .updateTable('skus')
    .set({ deleted_at: ctx.now })
    .where('project_id', '=', ctx.project_id)
    .where(conditionOf(selector))
    .where('deleted_at', 'is', null)
    .execute()
}

/** Permanently deletes SKUs; for a product, also its SKUs in the bin. */
export async function deleteSkus(ctx: Ctx, selector: SkuSelector): Promise<void> {
  await ctx.db.deleteFrom('skus').where('project_id', '=', ctx.project_id).where(conditionOf(selector)).execute()
}

/** One SKU, or all SKUs of a product. */
export type SkuSelector = { id: string } | { product_id: string }

const conditionOf = (selector: SkuSelector) =>
  'id' in selector ? sql<boolean>`id = ${selector.id}` : sql<boolean>`product_id = ${selector.product_id}`

export function toSku(row: Selectable<SkuRow>): Sku {
  const { id, source_id, product_id, sku, price, currency, attributes, image_url, metadata, created_at, updated_at } =
    row
  return {
    id,
    source_id,
    product_id,
    sku,
    price,
    currency,
    attributes,
    image_url,
    metadata,
    created_at,
    updated_at,
    object: 'sku',
  }
}
