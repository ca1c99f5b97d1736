import type { Ctx } from '../../core/context.ts'
import type { ProductCollectionRow } from '../../core/db/tables.ts'
import { emit } from '../../core/events/emit.ts'
import { readCollectionFilter } from './filter.ts'
import { readMembers } from './members.ts'
import type { CreateProductCollection, ProductCollection } from './schema.ts'
import { insertCollection, type NewCollection } from './store.ts'

/** Creates a collection: of chosen members, or of all that fits a filter. */
export async function createCollection(ctx: Ctx, body: CreateProductCollection): Promise<ProductCollection> {
  const collection = await insertCollection(ctx, await defined(ctx, body))
  await emit(ctx, 'products_collection.created', collection.id as ProductCollectionRow['id'], collection)
  return collection
}

async function defined(ctx: Ctx, body: CreateProductCollection): Promise<NewCollection> {
  const { name, type } = body
  return type === 'STATIC'
    ? { name, type, products: await readMembers(ctx, body.products ?? []) }
    : { name, type, filter: await readCollectionFilter(ctx, body.filter) }
}
