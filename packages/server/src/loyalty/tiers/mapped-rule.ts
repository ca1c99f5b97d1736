import { rewardPrice } from '@guerdon/engine'
import type { EarningMapping, EarningPoints } from '@guerdon/engine/schema'
import { shareOf, withShare } from '../earning-rules/define.ts'
import type { EarningRule } from '../earning-rules/schema.ts'
import type { StoredLoyaltyTier } from './store.ts'

/** An earning rule with the mapping of a tier applied to its points. */
export function mappedRule(
  { earning_rules }: Pick<StoredLoyaltyTier, 'earning_rules'>,
  rule: EarningRule,
): EarningRule {
  const mapping = Object.hasOwn(earning_rules, rule.id) ? earning_rules[rule.id] : undefined
  return mapping === undefined ? rule : { ...rule, loyalty: mappedPoints(rule.loyalty, mapping) }
}

function mappedPoints(loyalty: EarningPoints, mapping: EarningMapping): EarningPoints {
  if (loyalty.type === 'FIXED') return applyMapping(loyalty, mapping)
  return withShare(loyalty, applyMapping(shareOf(loyalty), mapping))
}

/**
 * A factor also applies to the result of a formula; points set by the tier replace the formula
 * (docs/reference/earning-rules.md#tier-mapping-and-rounding).
 */
function applyMapping<T extends { points: number; points_formula?: string | null }>(
  share: T,
  mapping: EarningMapping,
): T {
  // Rounded half up to whole points, as prices of rewards are. This is for display only: earned points are rounded once at the
  // end.
  const points = rewardPrice(share.points, mapping) as number
  if (mapping.type === 'MULTIPLY') return { ...share, points }
  const { points_formula: _, ...fixed } = share
  return { ...(fixed as T), points }
}
