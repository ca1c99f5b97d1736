import type { Ctx } from '../../core/context.ts'
import { readShape } from './check.ts'
import type { Location, UpdateLocation } from './schema.ts'
import { updateLocation } from './store.ts'

/** Updates the sent fields of a location; a new shape recomputes the segments whose filters use it. */
export async function changeLocation(ctx: Ctx, id: string, { name, shape }: UpdateLocation): Promise<Location> {
  const location = await updateLocation(ctx, id, { name, shape: shape && JSON.stringify(readShape(shape)) })
  if (shape !== undefined) await ctx.reactions.locationShapeChanged(ctx, id)
  return location
}
