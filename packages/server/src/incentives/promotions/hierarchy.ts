/**
 * The order of a campaign's tiers once one of them, new or not, has its place
 * (docs/reference/promotions.md#promotion-tier-endpoints). Places count from 1, and a place beyond either end is that end;
 * without a place it is last.
 *
 * `placed(['A', 'B', 'C', 'D'], 'D', 2)` → `['A', 'D', 'B', 'C']`
 */
export function placed<T>(order: readonly T[], moved: T, place: number = order.length + 1): T[] {
  const others = order.filter((one) => one !== moved)
  return others.toSpliced(Math.min(Math.max(place, 1), others.length + 1) - 1, 0, moved)
}
