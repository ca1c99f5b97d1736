/**
 * The order of a campaign's tiers after a new or existing tier is moved to its place
 * (docs/reference/promotions.md#promotion-tier-endpoints). Places count from 1 and are clamped to the ends; without a place the
 * tier goes last.
 *
 * `moveToPlace(['A', 'B', 'C', 'D'], 'D', 2)` → `['A', 'D', 'B', 'C']`
 */
export function moveToPlace<T>(order: readonly T[], moved: T, place: number = order.length + 1): T[] {
  const others = order.filter((tier) => tier !== moved)
  return others.toSpliced(Math.min(Math.max(place, 1), others.length + 1) - 1, 0, moved)
}
