import type { Filter } from '@guerdon/engine/schema'
import type { Ctx } from '../../core/context.ts'
import { isDayRelative } from '../../core/query/filter/filter.ts'
import { locationIds } from '../../core/query/filter/location-ids.ts'
import { parseCustomerFilter } from '../customers/filter.ts'
import { startRecomputes } from './store.ts'

/** Filters also depend on locations, metadata types and the time zone: memberships change with them, though no customer does. */
export const onLocationShapeChanged = (ctx: Ctx, locationId: string): Promise<void> =>
  recomputeSegments(ctx, (filter) => locationIds(filter).includes(locationId))

/** The type of a metadata key determines how filters compare its values. Segment filters only read metadata of customers. */
export async function onMetadataSchemaChanged(ctx: Ctx, relatedObject: string): Promise<void> {
  if (relatedObject !== 'customer') return
  await recomputeSegments(ctx, (filter) => Object.keys(filter).some((field) => field.startsWith('metadata.')))
}

/** Days begin at another instant, so every filter that compares days may match other customers. */
export const onTimezoneChanged = (ctx: Ctx): Promise<void> => recomputeSegments(ctx, () => true)

async function recomputeSegments(ctx: Ctx, isAffected: (filter: Filter) => boolean): Promise<void> {
  const { db, project_id } = ctx
  const segments = await db
    .selectFrom('segments')
    .where('project_id', '=', project_id)
    .where('type', '<>', 'static')
    .where('deleted_at', 'is', null)
    .orderBy('id')
    .select(['id', 'filter', 'is_day_relative'])
    .execute()
  const affected = segments.filter(({ filter }) => isAffected(filter ?? {}))
  for (const { id, filter, is_day_relative } of affected) {
    const isDayRelativeNow = isDayRelative(await parseCustomerFilter(ctx, filter))
    if (isDayRelativeNow !== is_day_relative)
      await db
        .updateTable('segments')
        .set({ is_day_relative: isDayRelativeNow })
        .where('project_id', '=', project_id)
        .where('id', '=', id)
        .execute()
  }
  const ids = affected.map(({ id }) => id)
  if (ids.length > 0) await startRecomputes(ctx, ids, { silent: false })
}
