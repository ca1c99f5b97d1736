import { sql } from 'kysely'
import { collectionsNamingLocation, type Naming, names_max } from '../../catalogue/product-collections/naming.ts'
import type { Ctx } from '../../core/context.ts'
import { inUse } from '../../core/http/errors.ts'
import { namesLocation } from './naming.ts'
import { deleteLocation } from './store.ts'

/** Deletes a location, unless a segment or a collection asks for it. */
export async function removeLocation(ctx: Ctx, id: string): Promise<void> {
  // First, since it locks the project: no filter that names the location can be saved while we look for one.
  await deleteLocation(ctx, id)
  const segments = await segmentsNamingLocation(ctx, id)
  if (segments.total > 0) throw inUse('location', id, { type: 'segment', ...segments })
  const collections = await collectionsNamingLocation(ctx, id)
  if (collections.total > 0) throw inUse('location', id, { type: 'products_collection', ...collections })
}

async function segmentsNamingLocation({ db, project_id }: Ctx, location_id: string): Promise<Naming> {
  const rows = await db
    .selectFrom('segments')
    .where('project_id', '=', project_id)
    .where('deleted_at', 'is', null)
    .where((eb) => namesLocation(eb.ref('filter'), location_id))
    .orderBy('id')
    .limit(names_max)
    .select(['id', sql<number>`count(*) over ()`.as('total')])
    .execute()
  return { ids: rows.map(({ id }) => id), total: rows[0]?.total ?? 0 }
}
