import { sql } from 'kysely'
import type { Ctx } from '../../core/context.ts'
import { type ReferencedBy, referencedBy, referencesMax } from '../../core/in-use.ts'
import { namesLocation } from '../../definitions/locations/naming.ts'

/** Segments whose filter uses a location. */
export async function segmentsReferencingLocation(
  { db, project_id }: Ctx,
  { location_id }: { location_id: string },
): Promise<ReferencedBy | null> {
  const rows = await db
    .selectFrom('segments')
    .where('project_id', '=', project_id)
    .where('deleted_at', 'is', null)
    .where((eb) => namesLocation(eb.ref('filter'), location_id))
    .orderBy('id')
    .limit(referencesMax)
    .select(['id', sql<number>`count(*) over ()`.as('total')])
    .execute()
  return referencedBy('segment', rows)
}
