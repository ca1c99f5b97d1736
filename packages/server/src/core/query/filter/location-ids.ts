import type { Filter } from '@guerdon/engine/schema'

/** The arguments of all location operators in a filter. */
export function locationIds(filter: Filter | null): string[] {
  return Object.values(filter ?? {}).flatMap((set) => {
    const conditions = (set as { conditions?: Record<string, unknown> } | null)?.conditions ?? {}
    return ['$in_location', '$not_in_location'].flatMap((operator) => [conditions[operator] ?? []].flat().map(String))
  })
}
