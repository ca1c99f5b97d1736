import type { Ctx } from './context.ts'
import { inUse } from './http/errors.ts'

/** The objects of one type that name something: some of their ids, and how many there are. */
export interface ReferencedBy {
  type: string
  ids: string[]
  total: number
}

/** Finds the objects of one type that name something; null where there are none. */
export type FindReferences<Named> = (ctx: Ctx, named: Named) => Promise<ReferencedBy | null>

/**
 * Throws `resource_in_use` for the first finder of a kind (`ctx.references`, listed in wiring.ts) that finds a reference; the
 * finders after it are not asked. `resource_type` and `id` are what the request wants to delete.
 */
export async function refuseInUse<Named>(
  ctx: Ctx,
  resourceType: string,
  id: string,
  finders: ReadonlyArray<FindReferences<Named>>,
  named: Named,
): Promise<void> {
  for (const find of finders) {
    const found = await find(ctx, named)
    if (found !== null) throw inUse(resourceType, id, found)
  }
}

/** As many ids a finder reads; the total counts all. */
export const referencesMax = 100

/** What a finder answers for its rows, each of which carries the total of all. */
export const referencedBy = (type: string, rows: ReadonlyArray<{ id: string; total: number }>): ReferencedBy | null =>
  rows[0] === undefined ? null : { type, ids: rows.map(({ id }) => id), total: rows[0].total }
