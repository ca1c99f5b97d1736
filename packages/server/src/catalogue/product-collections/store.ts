import type { Selectable } from 'kysely'
import type { Ctx } from '../../core/context.ts'
import { allProductsId } from '../../core/db/built-in-collections.ts'
import { nextConfigurationVersion, recordDeletion } from '../../core/db/configuration.ts'
import type { ProductCollectionRow } from '../../core/db/tables.ts'
import { isDuplicate } from '../../core/db/transaction.ts'
import { duplicate, invalidPayload, notFound } from '../../core/http/errors.ts'
import { newId } from '../../core/lib/ids.ts'
import { limits } from '../../core/lib/limits.ts'
import { pageOf } from '../../core/query/list.ts'
import { catalogueColumns } from '../products/sorting.ts'
import type { ProductCollection, ProductCollectionQuery } from './schema.ts'

export async function getCollection({ db, project_id }: Ctx, id: string): Promise<ProductCollection> {
  const row = await db
    .selectFrom('product_collections')
    .where('project_id', '=', project_id)
    .where('id', '=', id as ProductCollectionRow['id'])
    .selectAll()
    .executeTakeFirst()
  if (row === undefined) throw notFound('products_collection', id)
  return toCollection(row)
}

export async function listCollections(
  { db, project_id }: Ctx,
  query: ProductCollectionQuery,
): Promise<{ collections: ProductCollection[]; total: number }> {
  const { rows, total } = await pageOf(
    db.selectFrom('product_collections').where('project_id', '=', project_id).selectAll(),
    query,
    { columns: catalogueColumns, default_order: '-created_at' },
  )
  return { collections: rows.map(toCollection), total }
}

export type NewCollection = Pick<ProductCollection, 'name' | 'type' | 'filter' | 'products'>

export async function insertCollection(
  { db, project_id, now, project }: Ctx,
  { name, type, filter, products }: NewCollection,
): Promise<ProductCollection> {
  // Take the version first: it locks the project, so that two concurrent creations cannot both pass the limit check.
  const configVersion = await nextConfigurationVersion(db, project_id)
  const { count } = await db
    .selectFrom('product_collections')
    .where('project_id', '=', project_id)
    .where('id', '<>', allProductsId)
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  const countMax = project.limits?.product_collections ?? limits.product_collections_max
  if (count >= countMax) throw invalidPayload(`A project must NOT have more than ${countMax} product collections`)

  const row = await db
    .insertInto('product_collections')
    .values({
      project_id,
      id: newId('products_collection', Date.parse(now)),
      name,
      type,
      filter: filter === undefined ? null : JSON.stringify(filter),
      products: products === undefined ? null : JSON.stringify(products),
      created_at: now,
      updated_at: null,
      config_version: configVersion,
    })
    .onConflict((conflict) => conflict.columns(['project_id', 'name']).doNothing())
    .returningAll()
    .executeTakeFirst()
  if (row === undefined) throw duplicate('products_collection', 'name', name)
  return toCollection(row)
}

export async function updateCollection(
  { db, project_id, now }: Ctx,
  id: string,
  { name, filter }: Partial<Pick<ProductCollection, 'name' | 'filter'>>,
): Promise<ProductCollection> {
  const configVersion = await nextConfigurationVersion(db, project_id)
  const row = await db
    .updateTable('product_collections')
    .set({
      ...(name === undefined ? {} : { name }),
      ...(filter === undefined ? {} : { filter: JSON.stringify(filter) }),
      updated_at: now,
      config_version: configVersion,
    })
    .where('project_id', '=', project_id)
    .where('id', '=', id as ProductCollectionRow['id'])
    .returningAll()
    .executeTakeFirst()
    .catch((error: unknown) => {
      throw isDuplicate(error) ? duplicate('products_collection', 'name', name as string) : error
    })
  if (row === undefined) throw notFound('products_collection', id)
  return toCollection(row)
}

export async function deleteCollection({ db, project_id }: Ctx, id: string): Promise<void> {
  await recordDeletion(db, project_id, 'products_collection', id)
  const { numDeletedRows } = await db
    .deleteFrom('product_collections')
    .where('project_id', '=', project_id)
    .where('id', '=', id as ProductCollectionRow['id'])
    .executeTakeFirst()
  if (numDeletedRows === 0n) throw notFound('products_collection', id) // a concurrent request has deleted it
}

function toCollection(row: Selectable<ProductCollectionRow>): ProductCollection {
  const { id, name, type, filter, products, created_at, updated_at } = row
  return {
    id,
    name,
    type,
    // The built-in collection of all products stores no filter; a filter without fields matches everything
    // (docs/reference/filters.md#meaning-of-the-operators).
    ...(type === 'STATIC' ? { products: products ?? [] } : { filter: filter ?? { junction: 'and' } }),
    created_at,
    ...(updated_at === null ? {} : { updated_at }),
    object: 'products_collection',
  }
}
