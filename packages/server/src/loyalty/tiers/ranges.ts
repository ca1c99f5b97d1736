import type { TierRange } from '@guerdon/engine/schema'

interface TierPoints {
  name: string
  points: TierRange
}

/** The error in the ranges of new tiers, each by itself, among each other, and against stored tiers; null if there is none. */
export function whyNotRanges(added: readonly TierPoints[], stored: readonly TierPoints[]): string | null {
  for (const [index, { points }] of added.entries()) {
    const at = `Property [${index}].points`
    const { from, to } = points
    if (from == null && to != null) return `${at} should have required property 'from'`
    if (from != null && to != null && to < from) return `${at}.to must be >= ${from}`
    const other = [...stored, ...added.slice(0, index)].find((other) => overlap(other.points, points))
    if (other !== undefined) return `${at} overlaps those of tier ${other.name}`
  }
  return null
}

/**
 * Both ends belong to a range. The open range gives way to all others, so it overlaps only another open one
 * (docs/reference/loyalty-tiers.md#rank-and-ranges).
 */
function overlap(a: TierRange, b: TierRange): boolean {
  if (a.from == null || b.from == null) return a.from == null && b.from == null
  return a.from <= (b.to ?? Number.POSITIVE_INFINITY) && b.from <= (a.to ?? Number.POSITIVE_INFINITY)
}
