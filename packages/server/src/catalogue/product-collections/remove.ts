import type { Ctx } from '../../core/context.ts'
import { allProductsId } from '../../core/db/built-in-collections.ts'
import { isProtected } from '../../core/http/errors.ts'
import { type FindReferences, refuseInUse } from '../../core/in-use.ts'
import { deleteCollection } from './store.ts'

declare module '../../core/reactions.ts' {
  interface References {
    products_collection: ReadonlyArray<FindReferences<{ collection_id: string }>>
  }
}

/** Deletes a collection, unless a validation rule references it. */
export async function removeCollection(ctx: Ctx, id: string): Promise<void> {
  if (id === allProductsId) throw isProtected('products_collection', id)
  // Delete first, since that locks the project: no rule that references the collection can be saved during the check.
  await deleteCollection(ctx, id)
  await refuseInUse(ctx, 'products_collection', id, ctx.references.products_collection, { collection_id: id })
}
