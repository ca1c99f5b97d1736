import type { Filter, Shape } from '@guerdon/engine/schema'
import { sql } from 'kysely'
import type { Segment } from '../../audience/segments/schema.ts'
import type { Ctx } from '../../core/context.ts'
import type { TemplateCollection, TemplateLocation } from './content.ts'

/*
 * Queries for the resources that templates copy: many at once, by id, without project-specific columns. Unknown ids are
 * skipped.
 */

export async function listCollectionsById(
  { db, project_id }: Ctx,
  ids: readonly string[],
): Promise<TemplateCollection[]> {
  if (ids.length === 0) return []
  const rows = await db
    .selectFrom('product_collections')
    .where('project_id', '=', project_id)
    .where(sql<boolean>`id = any(${ids}::text[])`)
    .orderBy('id')
    .select(['id', 'name', 'type', 'filter', 'products'])
    .execute()
  return rows.map(({ id, name, type, filter, products }) =>
    type === 'STATIC' ? { id, name, type, products: products ?? [] } : { id, name, type, filter: filter ?? {} },
  )
}

export async function isCollectionNameTaken({ db, project_id }: Ctx, name: string): Promise<boolean> {
  const row = await db
    .selectFrom('product_collections')
    .where('project_id', '=', project_id)
    .where('name', '=', name)
    .select('id')
    .executeTakeFirst()
  return row !== undefined
}

/** Includes static segments, which have no filter. */
export async function listSegmentsById(
  { db, project_id }: Ctx,
  ids: readonly string[],
): Promise<Array<{ id: string; name: string; type: Segment['type']; filter: Filter | null }>> {
  if (ids.length === 0) return []
  return db
    .selectFrom('segments')
    .where('project_id', '=', project_id)
    .where(sql<boolean>`id = any(${ids}::text[])`)
    .where('deleted_at', 'is', null)
    .orderBy('id')
    .select(['id', 'name', 'type', 'filter'])
    .execute()
}

export async function listLocationsById({ db, project_id }: Ctx, ids: readonly string[]): Promise<TemplateLocation[]> {
  if (ids.length === 0) return []
  const rows = await db
    .selectFrom('locations')
    .where('project_id', '=', project_id)
    .where(sql<boolean>`id = any(${ids}::text[])`)
    .orderBy('id')
    .select(['id', 'name', 'shape'])
    .execute()
  return rows.map(({ id, name, shape }) => ({ id, name, shape: shape as Shape }))
}

/** Ids and source ids of products or SKUs in the bin that have one of these ids or source ids. */
export async function listBinnedNames(
  { db, project_id }: Ctx,
  table: 'products' | 'skus',
  names: readonly string[],
): Promise<ReadonlySet<string>> {
  if (names.length === 0) return new Set()
  const rows = await db
    .selectFrom(table)
    .where('project_id', '=', project_id)
    .where(sql<boolean>`(id = any(${names}::text[]) or source_id = any(${names}::text[]))`)
    .where('deleted_at', 'is not', null)
    .select(['id', 'source_id'])
    .execute()
  return new Set(rows.flatMap(({ id, source_id }) => (source_id === null ? [id] : [id, source_id])))
}
