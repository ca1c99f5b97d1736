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
  /** The price for members of the tier; for a COIN reward, the price of one unit. */
  points: number
}

/**
 * A reward of a program at the price of a tier, or null if the tier does not offer it (docs/reference/rewards.md#price). The
 * price replaces that of the assignment; a COIN reward has no price, but points per unit.
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
    const mappedCoin = toReward({ ...reward, parameters: { coin: { ...coin, points_ratio: pointsRatio } } })
    return { reward: mappedCoin, assignment: toRewardAssignment(assignment), points: pointsRatio }
  }
  const { loyalty } = assignment.parameters
  const points = rewardPrice(loyalty?.points ?? 0, mapping)
  if (points === null) return null
  const pricedAssignment = { ...assignment, parameters: { loyalty: { ...loyalty, points } } }
  return { reward: toReward(reward), assignment: toRewardAssignment(pricedAssignment), points }
}
