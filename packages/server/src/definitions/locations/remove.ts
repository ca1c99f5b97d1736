import type { Ctx } from '../../core/context.ts'
import { type FindReferences, refuseInUse } from '../../core/in-use.ts'
import { deleteLocation } from './store.ts'

declare module '../../core/reactions.ts' {
  interface References {
    location: ReadonlyArray<FindReferences<{ location_id: string }>>
  }
}

/** Deletes a location, unless a segment or a collection asks for it. */
export async function removeLocation(ctx: Ctx, id: string): Promise<void> {
  // First, since it locks the project: no filter that names the location can be saved while we look for one.
  await deleteLocation(ctx, id)
  await refuseInUse(ctx, 'location', id, ctx.references.location, { location_id: id })
}
