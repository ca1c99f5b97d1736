import type { Ctx } from '../../core/context.ts'
import { type FindReferences, refuseInUse } from '../../core/in-use.ts'
import { deleteLocation } from './store.ts'

declare module '../../core/reactions.ts' {
  interface References {
    location: ReadonlyArray<FindReferences<{ location_id: string }>>
  }
}

/** Deletes a location, unless the filter of a segment or a collection uses it. */
export async function removeLocation(ctx: Ctx, id: string): Promise<void> {
  // Delete first, since that locks the project: no filter that uses the location can be saved during the check.
  await deleteLocation(ctx, id)
  await refuseInUse(ctx, 'location', id, ctx.references.location, { location_id: id })
}
