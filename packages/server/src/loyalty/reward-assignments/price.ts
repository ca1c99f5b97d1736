import { ApiError, invalidPayload } from '../../core/http/errors.ts'
import type { StoredReward } from '../rewards/reward.ts'
import type { StoredRewardAssignment } from './reward-assignment.ts'
import type { RewardOffer } from './schema.ts'

type Parameters = StoredRewardAssignment['parameters']

/**
 * The price of a reward and whether it is redeemed automatically; empty for COIN, whose price depends on the order
 * (docs/reference/rewards.md#price). Members that are not sent keep their value `before`. `path` is the position of the
 * assignment in the request body.
 */
export function rewardPriceOf(
  { type }: StoredReward,
  { parameters }: RewardOffer,
  path: string,
  before?: Parameters,
): Parameters {
  const sent = parameters?.loyalty
  if (type === 'COIN') {
    if (sent?.points != null) throw invalidPayload(`Property ${path}.parameters.loyalty.points is not for COIN rewards`)
    if (sent?.auto_redeem === true)
      throw invalidPayload(`Property ${path}.parameters.loyalty.auto_redeem is not for COIN rewards`)
    return {}
  }
  if (sent == null && before?.loyalty === undefined) throw missing('parameters.loyalty')
  const points = sent?.points ?? before?.loyalty?.points
  if (points === undefined) throw missing('parameters.loyalty.points')
  const autoRedeem = sent?.auto_redeem ?? before?.loyalty?.auto_redeem
  return { loyalty: { points, ...(autoRedeem === undefined ? {} : { auto_redeem: autoRedeem }) } }
}

const missing = (name: string): ApiError =>
  new ApiError('missing_param', { details: `Parameter '${name}' is required` })

/** Only COIN rewards can have validation rules of their own (docs/reference/rewards.md#assignments-of-a-program). */
export function refuseRulesOf({ type }: StoredReward, { validation_rules }: RewardOffer, path: string): void {
  if (type !== 'COIN' && (validation_rules ?? []).length > 0)
    throw invalidPayload(`Property ${path}.validation_rules is for COIN rewards only`)
}

/** A program can have one automatically redeemed reward at most (docs/reference/rewards.md#automatic-redemption). */
export function refuseSecondAutoRedeem(offers: ReadonlyArray<{ parameters: Parameters }>): void {
  if (offers.filter(({ parameters }) => parameters.loyalty?.auto_redeem === true).length > 1)
    throw invalidPayload('A campaign must NOT have more than one reward with auto_redeem')
}
