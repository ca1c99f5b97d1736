import type { Ctx } from '../../core/context.ts'
import { allProductsId } from '../../core/db/built-in-collections.ts'
import type { ProductCollectionRow } from '../../core/db/tables.ts'
import { emit } from '../../core/events/emit.ts'
import { isProtected } from '../../core/http/errors.ts'
import { readCollectionFilter } from './filter.ts'
import type { ProductCollection, UpdateProductCollection } from './schema.ts'
import { updateCollection } from './store.ts'

/**
 * Renames a collection or changes its filter. The members of a static collection never change
 * (docs/reference/product-collections.md#endpoints).
 */
export async function changeCollection(
  ctx: Ctx,
  { id, type }: ProductCollection,
  { name, filter }: UpdateProductCollection,
): Promise<ProductCollection> {
  if (id === allProductsId) throw isProtected('products_collection', id)
  const changesFilter = filter !== undefined && type !== 'STATIC'
  const collection = await updateCollection(ctx, id, {
    name,
    filter: changesFilter ? JSON.stringify(await readCollectionFilter(ctx, filter)) : undefined,
  })
  await emit(ctx, 'products_collection.updated', collection.id as ProductCollectionRow['id'], collection)
  return collection
}
