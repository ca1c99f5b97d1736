import type { Ctx } from '../../core/context.ts'
import { readShape } from './check.ts'
import type { Location, UpdateLocation } from './schema.ts'
import { updateLocation } from './store.ts'

/** Changes what is sent of a location; who is inside of it is found out again. */
export async function changeLocation(ctx: Ctx, id: string, { name, shape }: UpdateLocation): Promise<Location> {
  const location = await updateLocation(ctx, id, {
    ...(name === undefined ? {} : { name }),
    ...(shape === undefined ? {} : { shape: readShape(shape) }),
  })
  if (shape !== undefined) await ctx.reactions.locationShapeChanged(ctx, id)
  return location
}
