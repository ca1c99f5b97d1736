import { coinPointsRatio, rewardMapping, rewardPrice } from '@guerdon/engine'
import type { Selectable } from 'kysely'
import type { LoyaltyTierRow, RewardAssignmentRow, RewardRow } from '../../core/db/tables.ts'
import { toRewardAssignment } from '../reward-assignments/reward-assignment.ts'
import type { RewardAssignment } from '../reward-assignments/schema.ts'
import { toReward } from '../rewards/reward.ts'
import type { CoinReward, Reward } from '../rewards/schema.ts'

export interface MappedReward {
  reward: Reward
  assignment: RewardAssignment
  /** What the holder of the tier pays; of a COIN reward, for one unit. */
  points: number
}

/**
 * A reward of a program as the holder of a tier gets it, or null when the tier does not have it
 * (docs/reference/rewards.md#price). The price stands where the assignment keeps it; a COIN reward has none, but the points that
 * buy a unit.
 */
export function mappedReward(
  tier: Pick<Selectable<LoyaltyTierRow>, 'rewards'> | null,
  reward: Selectable<RewardRow>,
  assignment: Selectable<RewardAssignmentRow>,
): MappedReward | null {
  const mapping = rewardMapping(tier, { id: reward.id, assignment_id: assignment.id })
  if (reward.type === 'COIN') {
    const { coin } = reward.parameters as CoinReward
    const pointsRatio = coinPointsRatio(coin.points_ratio, mapping)
    if (pointsRatio === null) return null
    const shown = toReward({ ...reward, parameters: { coin: { ...coin, points_ratio: pointsRatio } } })
    return { reward: shown, assignment: toRewardAssignment(assignment), points: pointsRatio }
  }
  const { loyalty } = assignment.parameters
  const points = rewardPrice(loyalty?.points ?? 0, mapping)
  if (points === null) return null
  const priced = { ...assignment, parameters: { loyalty: { ...loyalty, points } } }
  return { reward: toReward(reward), assignment: toRewardAssignment(priced), points }
}
