import type { Ctx } from '../../core/context.ts'
import { all_products_id } from '../../core/db/built-in-collections.ts'
import { inUse, isProtected } from '../../core/http/errors.ts'
import { rulesNaming } from '../../rules/validation-rules/naming.ts'
import { deleteCollection } from './store.ts'

/** Deletes a collection, unless a validation rule names it. */
export async function removeCollection(ctx: Ctx, id: string): Promise<void> {
  if (id === all_products_id) throw isProtected('products_collection', id)
  // First, since it locks the project: no rule that names the collection can be saved while we look for one.
  await deleteCollection(ctx, id)
  const rules = await rulesNaming(ctx, 'products_collection', [id])
  if (rules.total > 0) throw inUse('products_collection', id, { type: 'validation_rules', ...rules })
}
