import type { TierRange } from '@guerdon/engine/schema'

interface Ranged {
  name: string
  points: TierRange
}

/** What is wrong with the points of new tiers, by themselves, among each other, or with those that are there; or null. */
export function whyNotRanges(added: readonly Ranged[], stored: readonly Ranged[]): string | null {
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
 * Both ends belong to a range. The open one gives way to every other, so that it meets only its like
 * (docs/reference/loyalty-tiers.md#rank-and-ranges).
 */
function overlap(a: TierRange, b: TierRange): boolean {
  if (a.from == null || b.from == null) return a.from == null && b.from == null
  return a.from <= (b.to ?? Number.POSITIVE_INFINITY) && b.from <= (a.to ?? Number.POSITIVE_INFINITY)
}
