import { Maybe, Name } from '@guerdon/engine/schema'
import type { Ctx } from '../../core/context.ts'
import type { CategoryRow } from '../../core/db/tables.ts'
import { ApiError } from '../../core/http/errors.ts'
import { findCategoryByName, getCategory, insertCategory } from './store.ts'

/** The category members of a body, to be spread. Null removes the category. */
export const CategoryChoice = { category: Maybe(Name), category_id: Maybe(Name) }
export interface CategoryChoice {
  category?: string | null
  category_id?: string | null
}

/**
 * The category in a body (docs/reference/categories.md#assigning-a-category): by id, which must exist, or by name; an
 * unknown name creates a category. Null: no category; undefined: the body does not mention it.
 */
export async function chosenCategory(
  ctx: Ctx,
  { category, category_id }: CategoryChoice,
): Promise<CategoryRow['id'] | null | undefined> {
  if (category_id != null) return (await getCategory(ctx, category_id)).id as CategoryRow['id']
  if (category != null) return (await findOrCreateCategory(ctx, category)).id as CategoryRow['id']
  return category_id === null || category === null ? null : undefined
}

async function findOrCreateCategory(ctx: Ctx, name: string) {
  const existing = await findCategoryByName(ctx, name)
  if (existing !== undefined) return existing
  try {
    return await insertCategory(ctx, { name, hierarchy: 0 })
  } catch (error) {
    // A concurrent request created and committed the category first.
    const concurrent = error instanceof ApiError && (await findCategoryByName(ctx, name))
    if (concurrent) return concurrent
    throw error
  }
}
