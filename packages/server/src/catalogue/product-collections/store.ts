import type { Selectable } from 'kysely'
import type { Ctx } from '../../core/context.ts'
import { allProductsId } from '../../core/db/built-in-collections.ts'
import { nextConfigurationVersion } from '../../core/db/configuration.ts'
import type { ProductCollectionRow } from '../../core/db/tables.ts'
import { invalidPayload } from '../../core/http/errors.ts'
import { newId } from '../../core/lib/ids.ts'
import { limits } from '../../core/lib/limits.ts'
import { pageOf } from '../../core/query/list.ts'
import { deleteRow, getRow, insertRow, type RowChanges, updateRow } from '../../core/rows.ts'
import { catalogueColumns } from '../products/sorting.ts'
import type { ProductCollection, ProductCollectionQuery } from './schema.ts'

const collections = {
  table: 'product_collections',
  type: 'products_collection',
  configuration_type: 'products_collection',
  unique: 'name',
} as const

export const getCollection = async (ctx: Ctx, id: string): Promise<ProductCollection> =>
  toCollection(await getRow(ctx, collections, id))

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
  ctx: Ctx,
  { name, type, filter, products }: NewCollection,
): Promise<ProductCollection> {
  const { db, project_id, now, project } = ctx
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

  const row = await insertRow(ctx, collections, {
    id: newId('products_collection', Date.parse(now)),
    name,
    type,
    filter: filter === undefined ? null : JSON.stringify(filter),
    products: products === undefined ? null : JSON.stringify(products),
    config_version: configVersion,
  })
  return toCollection(row)
}

export const updateCollection = async (
  ctx: Ctx,
  id: string,
  changes: RowChanges<'product_collections'>,
): Promise<ProductCollection> => toCollection(await updateRow(ctx, collections, id, changes))

export const deleteCollection = (ctx: Ctx, id: string): Promise<void> => deleteRow(ctx, collections, id)

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
