import {
  EarningMapping,
  Instant,
  MapOf,
  Maybe,
  Metadata,
  Name,
  Nullable,
  RewardMapping,
  TierRange,
} from '@guerdon/engine/schema'
import { type Static, Type } from 'typebox'
import { CalendarDate } from '../../core/events/shapes.ts'
import { NumericText } from '../../core/http/numeric-text.ts'
import { limits } from '../../core/lib/limits.ts'
import { listOf, PageQuery } from '../../core/query/list.ts'
import { RewardAssignment } from '../reward-assignments/schema.ts'
import { Reward } from '../rewards/schema.ts'

const earningRules = MapOf(EarningMapping)
const rewards = MapOf(RewardMapping)

/** A tier of a program (docs/reference/loyalty-tiers.md#tier-object). */
export const LoyaltyTier = Type.Object({
  id: Type.String({ description: '`ltr_` and 24 characters.' }),
  name: Name,
  campaign_id: Type.String(),
  metadata: Metadata,
  created_at: Instant,
  updated_at: Nullable(Instant),
  points: TierRange,
  config: Type.Object({ points: TierRange }),
  earning_rules: Type.Unsafe<Static<typeof earningRules>>({
    ...earningRules,
    description: 'By id of the earning rule: what the tier makes of its points.',
  }),
  rewards: Type.Unsafe<Static<typeof rewards>>({
    ...rewards,
    description: 'By id of the reward or of its assignment, which goes first: what the tier makes of its price.',
  }),
  expiration: Type.Optional(
    Type.Object(
      {
        customer_id: Type.String(),
        campaign_id: Type.String(),
        tier_id: Type.String(),
        start_date: CalendarDate,
        expiration_date: Type.Optional(CalendarDate),
        created_at: Instant,
        updated_at: Type.Optional(Instant),
      },
      { description: 'Where it is the tier of a customer.' },
    ),
  ),
  object: Type.Literal('loyalty_tier'),
})
export type LoyaltyTier = Static<typeof LoyaltyTier>

export const LoyaltyTiers = Type.Array(LoyaltyTier)
export const LoyaltyTierList = listOf('data', LoyaltyTier, { total: true })

const { limit, page, starting_after_id } = PageQuery({ order: ['created_at'] })
const orders = ['created_at', '-created_at', 'updated_at', '-updated_at'] as const

export const LoyaltyTierQuery = Type.Object({
  limit,
  page,
  order: Type.Optional(
    Type.Unsafe<(typeof orders)[number]>({
      type: 'string',
      enum: [...orders],
      description: 'Unless said, by rank: where the points of a tier begin.',
    }),
  ),
  starting_after_id,
})
export type LoyaltyTierQuery = Static<typeof LoyaltyTierQuery>

/** The rules of a tier, ordered by creation. */
export const TierEarningRuleQuery = Type.Object({ limit, page, starting_after_id })

/** A tier after numeric strings are converted. */
export const NewLoyaltyTier = Type.Object({
  name: Name,
  points: Type.Unsafe<TierRange>({
    ...TierRange,
    description: 'Both ends belong to the tier. Without `to` it has no end; `{}` holds where no other tier does.',
  }),
  earning_rules: Maybe(earningRules),
  rewards: Maybe(rewards),
  metadata: Maybe(Metadata),
})
export type NewLoyaltyTier = Static<typeof NewLoyaltyTier>

export const NewLoyaltyTiers = Type.Array(NewLoyaltyTier)

export const CreateLoyaltyTier = NumericText(NewLoyaltyTier)

export const CreateLoyaltyTiers = Type.Array(CreateLoyaltyTier, {
  maxItems: limits.loyalty_tiers_sent_max,
  examples: [
    [
      { name: 'Bronze', points: { from: 0, to: 99 } },
      { name: 'Silver', points: { from: 100 } },
    ],
  ],
})

/** A reward of a program at the price of a tier. */
export const LoyaltyTierReward = Type.Object({
  reward: Reward,
  assignment: RewardAssignment,
  object: Type.Literal('loyalty_tier_reward'),
})

export const LoyaltyTierRewardList = listOf('data', LoyaltyTierReward, { total: true })
