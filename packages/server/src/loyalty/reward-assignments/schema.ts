import { Instant, Int, Maybe, Name, Nullable, OneOf } from '@guerdon/engine/schema'
import { type Static, Type } from 'typebox'
import { NumericText } from '../../core/http/numeric-text.ts'
import { limits } from '../../core/lib/limits.ts'
import { listOf, PageQuery } from '../../core/query/list.ts'

/** The assignment of a reward to a campaign or a referral tier (docs/reference/rewards.md#reward-object). */
export const RewardAssignment = Type.Object({
  id: Type.String({ description: '`rewa_` and 24 characters.' }),
  reward_id: Type.String(),
  related_object_id: Type.String(),
  related_object_type: OneOf(['campaign', 'referral_tier']),
  parameters: Type.Optional(
    Type.Object(
      { loyalty: Type.Object({ points: Int({ minimum: 1 }), auto_redeem: Type.Optional(Type.Boolean()) }) },
      { description: 'Absent where the reward has no price: a COIN reward, or one of a referral tier.' },
    ),
  ),
  created_at: Instant,
  updated_at: Nullable(Instant),
  object: Type.Literal('reward_assignment'),
})
export type RewardAssignment = Static<typeof RewardAssignment>

export const RewardAssignmentList = listOf('data', RewardAssignment, { total: true })

/** The response to several new assignments, in the order of the request. */
export const RewardAssignments = Type.Array(RewardAssignment)

const page = PageQuery({ order: ['-created_at', 'created_at'] })
const onlyThis = Type.Optional(Type.String({ description: 'Only the assignment of this id.' }))

export const RewardAssignmentPageQuery = Type.Object(page)
export type RewardAssignmentPageQuery = Static<typeof RewardAssignmentPageQuery>

// The contract spells the same parameter in two ways.
export const RewardAssignmentQuery = Type.Object({ ...page, assignmentId: onlyThis })
export const LoyaltyRewardQuery = Type.Object({ ...page, assignment_id: onlyThis })

const offer = {
  parameters: Maybe(
    Type.Object(
      { loyalty: Maybe(Type.Object({ points: Maybe(Int({ minimum: 1 })), auto_redeem: Maybe(Type.Boolean()) })) },
      { description: 'The price in points, at least 1, without which no CAMPAIGN or MATERIAL reward can be assigned.' },
    ),
  ),
  validation_rules: Maybe(
    Type.Array(Name, { maxItems: 1, description: 'Of a COIN reward: the id of a rule that paying with points obeys.' }),
  ),
}

/** The price of a reward. */
export const RewardOffer = Type.Object(offer, { examples: [{ parameters: { loyalty: { points: 120 } } }] })
export type RewardOffer = Static<typeof RewardOffer>

export const AssignedReward = Type.Object({ reward: Name, ...offer })
export type AssignedReward = Static<typeof AssignedReward>

export const NewLoyaltyRewards = Type.Array(AssignedReward, {
  minItems: 1,
  maxItems: limits.rewards_assigned_at_once_max,
  examples: [[{ reward: 'rew_0d4f5f4a6c0b11a2b3c4d5e6', parameters: { loyalty: { points: 100 } } }]],
})
export type NewLoyaltyRewards = Static<typeof NewLoyaltyRewards>

export const AssignLoyaltyRewards = NumericText(NewLoyaltyRewards)

export const NewRewardAssignment = Type.Object(
  {
    campaign: Type.String({ minLength: 1, maxLength: 255, description: 'The id or the name of a loyalty program.' }),
    ...offer,
  },
  { examples: [{ campaign: 'Green Club', parameters: { loyalty: { points: 100 } } }] },
)
export type NewRewardAssignment = Static<typeof NewRewardAssignment>

export const CreateRewardAssignment = NumericText(NewRewardAssignment)

export const UpdateRewardAssignment = NumericText(RewardOffer)
