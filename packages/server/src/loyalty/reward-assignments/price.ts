import { ApiError, invalidPayload } from '../../core/http/errors.ts'
import type { StoredReward } from '../rewards/reward.ts'
import type { StoredRewardAssignment } from './reward-assignment.ts'
import type { RewardOffer } from './schema.ts'

type Parameters = StoredRewardAssignment['parameters']

/**
 * What a reward costs, and whether it is taken as soon as a card has so many points; nothing for COIN, whose price the order
 * makes (docs/reference/rewards.md#price). What is not said stays as it was `before`. `path` is where the offer stood in the
 * body.
 */
export function priceOf(
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

/** Only paying with points obeys rules of its own (docs/reference/rewards.md#assignments-of-a-program). */
export function refuseRulesOf({ type }: StoredReward, { validation_rules }: RewardOffer, path: string): void {
  if (type !== 'COIN' && (validation_rules ?? []).length > 0)
    throw invalidPayload(`Property ${path}.validation_rules is for COIN rewards only`)
}

/** Of all that a program offers, one reward at most is taken by itself (docs/reference/rewards.md#automatic-redemption). */
export function refuseSecondAutoRedeem(offers: ReadonlyArray<{ parameters: Parameters }>): void {
  if (offers.filter(({ parameters }) => parameters.loyalty?.auto_redeem === true).length > 1)
    throw invalidPayload('A campaign must NOT have more than one reward with auto_redeem')
}
