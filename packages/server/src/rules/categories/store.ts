import { type Selectable, sql } from 'kysely'
import type { Ctx } from '../../core/context.ts'
import { nextConfigurationVersion, recordDeletion } from '../../core/db/configuration.ts'
import type { CategoryRow } from '../../core/db/tables.ts'
import { isDuplicate } from '../../core/db/transaction.ts'
import { duplicate, notFound } from '../../core/http/errors.ts'
import { newId } from '../../core/lib/ids.ts'
import type { Category, CategoryBody } from './schema.ts'

export async function getCategory({ db, project_id }: Ctx, id: string): Promise<Category> {
  const row = await db
    .selectFrom('categories')
    .where('project_id', '=', project_id)
    .where('id', '=', id as CategoryRow['id'])
    .selectAll()
    .executeTakeFirst()
  if (row === undefined) throw notFound('category', id)
  return toCategory(row)
}

export async function findCategoryByName({ db, project_id }: Ctx, name: string): Promise<Category | undefined> {
  const row = await db
    .selectFrom('categories')
    .where('project_id', '=', project_id)
    .where('name', '=', name)
    .selectAll()
    .executeTakeFirst()
  return row && toCategory(row)
}

/** All categories, newest first; a project has only a few. */
export async function listCategories({ db, project_id }: Ctx): Promise<Category[]> {
  const rows = await db
    .selectFrom('categories')
    .where('project_id', '=', project_id)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .selectAll()
    .execute()
  return rows.map(toCategory)
}

export async function insertCategory(
  { db, project_id, now }: Ctx,
  { name, hierarchy }: CategoryBody,
): Promise<Category> {
  const configVersion = await nextConfigurationVersion(db, project_id)
  const row = await db
    .insertInto('categories')
    .values({
      project_id,
      id: newId('category', Date.parse(now)),
      name,
      hierarchy,
      created_at: now,
      updated_at: null,
      config_version: configVersion,
    })
    .onConflict((conflict) => conflict.columns(['project_id', 'name']).doNothing())
    .returningAll()
    .executeTakeFirst()
  if (row === undefined) throw duplicate('category', 'name', name)
  return toCategory(row)
}

export async function updateCategory(
  { db, project_id, now }: Ctx,
  id: string,
  { name, hierarchy }: CategoryBody,
): Promise<Category> {
  const configVersion = await nextConfigurationVersion(db, project_id)
  const row = await db
    .updateTable('categories')
    .set({ name, hierarchy, updated_at: now, config_version: configVersion })
    .where('project_id', '=', project_id)
    .where('id', '=', id as CategoryRow['id'])
    .returningAll()
    .executeTakeFirst()
    .catch((error: unknown) => {
      throw isDuplicate(error) ? duplicate('category', 'name', name) : error
    })
  if (row === undefined) throw notFound('category', id)
  return toCategory(row)
}

export async function deleteCategory({ db, project_id }: Ctx, id: string): Promise<void> {
  await recordDeletion(db, project_id, 'category', id)
  const { numDeletedRows } = await db
    .deleteFrom('categories')
    .where('project_id', '=', project_id)
    .where('id', '=', id as CategoryRow['id'])
    .executeTakeFirst()
  if (numDeletedRows === 0n) throw notFound('category', id) // deleted by a concurrent request
}

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
