import { Maybe, Name } from '@guerdon/engine/schema'
import type { Ctx } from '../../core/context.ts'
import type { CategoryRow } from '../../core/db/tables.ts'
import { ApiError } from '../../core/http/errors.ts'
import { findCategoryByName, getCategory, insertCategory } from './store.ts'

/** How a body says what it belongs to: properties to be spread. Null takes it out of its category. */
export const CategoryChoice = { category: Maybe(Name), category_id: Maybe(Name) }
export interface CategoryChoice {
  category?: string | null
  category_id?: string | null
}

/**
 * The category that a body chooses (docs/reference/categories.md#assigning-a-category): by id, which must exist, or by name, and
 * a name that nobody has used yet makes a category. Null: none; undefined: the body does not say.
 */
export async function chosenCategory(
  ctx: Ctx,
  { category, category_id }: CategoryChoice,
): Promise<CategoryRow['id'] | null | undefined> {
  if (category_id != null) return (await getCategory(ctx, category_id)).id as CategoryRow['id']
  if (category != null) return (await categoryNamed(ctx, category)).id as CategoryRow['id']
  return category_id === null || category === null ? null : undefined
}

async function categoryNamed(ctx: Ctx, name: string) {
  const known = await findCategoryByName(ctx, name)
  if (known !== undefined) return known
  try {
    return await insertCategory(ctx, { name, hierarchy: 0 })
  } catch (error) {
    // Somebody else was faster, and has committed it.
    const made = error instanceof ApiError && (await findCategoryByName(ctx, name))
    if (made) return made
    throw error
  }
}
