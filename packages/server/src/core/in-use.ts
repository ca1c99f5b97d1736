import type { Ctx } from './context.ts'
import { inUse } from './http/errors.ts'

/** Objects of one type that reference a resource: some of their ids, and their total number. */
export interface ReferencedBy {
  type: string
  ids: string[]
  total: number
}

/** Finds the objects of one type that reference a resource; null if there are none. */
export type FindReferences<Resource> = (ctx: Ctx, resource: Resource) => Promise<ReferencedBy | null>

/**
 * Throws `resource_in_use` for the first finder of a kind (`ctx.references`, listed in wiring.ts) that finds a reference; the
 * finders after it are not called. `resourceType` and `id` are the resource that the request wants to delete.
 */
export async function refuseInUse<Resource>(
  ctx: Ctx,
  resourceType: string,
  id: string,
  finders: ReadonlyArray<FindReferences<Resource>>,
  resource: Resource,
): Promise<void> {
  for (const find of finders) {
    const found = await find(ctx, resource)
    if (found !== null) throw inUse(resourceType, id, found)
  }
}

/** Ids that a finder returns at most; the total counts all references. */
export const referencesMax = 100

/** The result of a finder from its rows, each of which carries the total. */
export const referencedBy = (type: string, rows: ReadonlyArray<{ id: string; total: number }>): ReferencedBy | null =>
  rows[0] === undefined ? null : { type, ids: rows.map(({ id }) => id), total: rows[0].total }
