import type { Filter } from '@guerdon/engine/schema'
import type { Ctx } from '../../core/context.ts'
import { isDayRelative } from '../../core/query/filter/filter.ts'
import { locationIds } from '../../core/query/filter/location-ids.ts'
import { parseCustomerFilter } from '../customers/filter.ts'
import { startWalks } from './store.ts'

/** A filter looks at more than customers; when that changes, so may memberships, though nobody changed. */
export const onLocationShapeChanged = (ctx: Ctx, locationId: string): Promise<void> =>
  recomputeSegments(ctx, (filter) => locationIds(filter).includes(locationId))

/** The type of a metadata key decides how its values compare. Filters of segments read the metadata of customers only. */
export async function onMetadataSchemaChanged(ctx: Ctx, relatedObject: string): Promise<void> {
  if (relatedObject !== 'customer') return
  await recomputeSegments(ctx, (filter) => Object.keys(filter).some((field) => field.startsWith('metadata.')))
}

/** Days begin at another moment. */
export const onTimezoneChanged = (ctx: Ctx): Promise<void> => recomputeSegments(ctx, () => true)

async function recomputeSegments(ctx: Ctx, isConcerned: (filter: Filter) => boolean): Promise<void> {
  const { db, project_id } = ctx
  const segments = await db
    .selectFrom('segments')
    .where('project_id', '=', project_id)
    .where('type', '<>', 'static')
    .where('deleted_at', 'is', null)
    .orderBy('id')
    .select(['id', 'filter', 'is_day_relative'])
    .execute()
  const concerned = segments.filter(({ filter }) => isConcerned(filter ?? {}))
  for (const { id, filter, is_day_relative } of concerned) {
    const isRelative = isDayRelative(await parseCustomerFilter(ctx, filter))
    if (isRelative !== is_day_relative)
      await db
        .updateTable('segments')
        .set({ is_day_relative: isRelative })
        .where('project_id', '=', project_id)
        .where('id', '=', id)
        .execute()
  }
  const ids = concerned.map(({ id }) => id)
  if (ids.length > 0) await startWalks(ctx, ids, { silent: false })
}
