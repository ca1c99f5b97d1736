import { type Selectable, sql } from 'kysely'
import type { Ctx } from '../../core/context.ts'
import type { CategoryRow } from '../../core/db/tables.ts'
import { newId } from '../../core/lib/ids.ts'
import { deleteRow, findRow, getRow, insertRow, listRows, updateRow } from '../../core/rows.ts'
import type { Category, CategoryBody } from './schema.ts'

const categories = { table: 'categories', type: 'category', configuration_type: 'category', unique: 'name' } as const

export const getCategory = async (ctx: Ctx, id: string): Promise<Category> =>
  toCategory(await getRow(ctx, categories, id))

export async function findCategoryByName(ctx: Ctx, name: string): Promise<Category | undefined> {
  const row = await findRow(ctx, categories, { name })
  return row && toCategory(row)
}

/** All categories, newest first; a project has only a few. */
export const listCategories = async (ctx: Ctx): Promise<Category[]> =>
  (await listRows(ctx, categories, {}, 'desc')).map(toCategory)

export async function insertCategory(ctx: Ctx, { name, hierarchy }: CategoryBody): Promise<Category> {
  const id = newId('category', Date.parse(ctx.now))
  return toCategory(await insertRow(ctx, categories, { id, name, hierarchy }))
}

export const updateCategory = async (ctx: Ctx, id: string, { name, hierarchy }: CategoryBody): Promise<Category> =>
  toCategory(await updateRow(ctx, categories, id, { name, hierarchy }))

export const deleteCategory = (ctx: Ctx, id: string): Promise<void> => deleteRow(ctx, categories, id)

/** Selects the joined category as JSON, null once it is deleted; to be read with `readCategory`. */
export const categoryJson = sql<Selectable<CategoryRow> | null>`to_jsonb(categories)`.as('category')

/** Converts the dates of a JSON row, which are in the format of PostgreSQL. */
export function readCategory(category: Selectable<CategoryRow> | null): Selectable<CategoryRow> | null {
  if (category === null) return null
  const { created_at, updated_at } = category
  return {
    ...category,
    created_at: new Date(created_at).toISOString(),
    updated_at: updated_at === null ? null : new Date(updated_at).toISOString(),
  }
}

export function toCategory({ id, name, hierarchy, created_at, updated_at }: Selectable<CategoryRow>): Category {
  return { id, name, hierarchy, created_at, ...(updated_at === null ? {} : { updated_at }), object: 'category' }
}
