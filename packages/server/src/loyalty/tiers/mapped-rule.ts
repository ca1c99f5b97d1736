import { rewardPrice } from '@guerdon/engine'
import type { EarningMapping, EarningPoints } from '@guerdon/engine/schema'
import { shareOf, withShare } from '../earning-rules/define.ts'
import type { EarningRule } from '../earning-rules/schema.ts'
import type { StoredLoyaltyTier } from './store.ts'

/** A rule as it pays the holders of a tier: what the tier makes of its points stands where the rule keeps them. */
export function mappedRule(
  { earning_rules }: Pick<StoredLoyaltyTier, 'earning_rules'>,
  rule: EarningRule,
): EarningRule {
  const mapping = Object.hasOwn(earning_rules, rule.id) ? earning_rules[rule.id] : undefined
  return mapping === undefined ? rule : { ...rule, loyalty: mappedPoints(rule.loyalty, mapping) }
}

function mappedPoints(loyalty: EarningPoints, mapping: EarningMapping): EarningPoints {
  if (loyalty.type === 'FIXED') return mapped(loyalty, mapping)
  return withShare(loyalty, mapped(shareOf(loyalty), mapping))
}

/**
 * A factor goes for the result of a formula too; points of the tier's own replace it
 * (docs/reference/earning-rules.md#tier-mapping-and-rounding).
 */
function mapped<T extends { points: number; points_formula?: string | null }>(share: T, mapping: EarningMapping): T {
  // Whole points, half up, as those of rewards: only here, what is earned is rounded once at the end.
  const points = rewardPrice(share.points, mapping) as number
  if (mapping.type === 'MULTIPLY') return { ...share, points }
  const { points_formula: _, ...fixed } = share
  return { ...(fixed as T), points }
}
