import type { Ctx } from '../../core/context.ts'
import type { ProductCollectionRow } from '../../core/db/tables.ts'
import { emit } from '../../core/events/emit.ts'
import { readCollectionFilter } from './filter.ts'
import { readMembers } from './members.ts'
import type { CreateProductCollection, ProductCollection } from './schema.ts'
import { insertCollection, type NewCollection } from './store.ts'

/** Creates a static collection with the given members, or a dynamic one with a filter. */
export async function createCollection(ctx: Ctx, body: CreateProductCollection): Promise<ProductCollection> {
  const collection = await insertCollection(ctx, await readDefinition(ctx, body))
  await emit(ctx, 'products_collection.created', collection.id as ProductCollectionRow['id'], collection)
  return collection
}

async function readDefinition(ctx: Ctx, body: CreateProductCollection): Promise<NewCollection> {
  const { name, type } = body
  return type === 'STATIC'
    ? { name, type, products: await readMembers(ctx, body.products ?? []) }
    : { name, type, filter: await readCollectionFilter(ctx, body.filter) }
}
