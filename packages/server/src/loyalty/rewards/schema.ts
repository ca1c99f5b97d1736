import { FreeText, Instant, Int, Maybe, Metadata, Name, Nullable, OneOf } from '@guerdon/engine/schema'
import { type Static, Type } from 'typebox'
import { RewardRedemption } from '../../core/events/shapes.ts'
import { NumericText } from '../../core/http/numeric-text.ts'
import { listOf, PageQuery } from '../../core/query/list.ts'

export const RewardType = OneOf(['CAMPAIGN', 'COIN', 'MATERIAL'])
export type RewardType = Static<typeof RewardType>

/** What a CAMPAIGN reward issues: a code, or credits or points on a card. */
export const RewardedCampaignType = OneOf(['DISCOUNT_COUPONS', 'GIFT_VOUCHERS', 'LOYALTY_PROGRAM'])
export type RewardedCampaignType = Static<typeof RewardedCampaignType>

export const CampaignReward = Type.Object({
  campaign: Type.Object({
    id: Type.String(),
    balance: Type.Optional(Int({ minimum: 1 })),
    type: RewardedCampaignType,
  }),
})
export type CampaignReward = Static<typeof CampaignReward>

export const CoinReward = Type.Object({
  coin: Type.Object({
    exchange_ratio: Type.Number({
      exclusiveMinimum: 0,
      description: 'Major units of money that `points_ratio` points buy.',
    }),
    points_ratio: Int({ minimum: 1 }),
  }),
})
export type CoinReward = Static<typeof CoinReward>

export const MaterialReward = Type.Object({
  product: Type.Object({ id: Type.String(), sku_id: Nullable(Type.String()) }),
})
export type MaterialReward = Static<typeof MaterialReward>

export const RewardParameters = Type.Union([CampaignReward, CoinReward, MaterialReward])
export type RewardParameters = Static<typeof RewardParameters>

export const RewardAttributes = Type.Object({
  image_url: Type.Optional(FreeText),
  description: Type.Optional(FreeText),
})
export type RewardAttributes = Static<typeof RewardAttributes>

/** A reward for points or for referrals (docs/reference/rewards.md#reward-object). */
export const Reward = Type.Object({
  id: Type.String({ description: '`rew_` and 24 characters.' }),
  name: Name,
  type: RewardType,
  parameters: RewardParameters,
  stock: Nullable(Int({ minimum: 0 })),
  redeemed: Nullable(Int({ minimum: 0 })),
  attributes: Type.Optional(RewardAttributes),
  metadata: Metadata,
  created_at: Instant,
  updated_at: Nullable(Instant),
  object: Type.Literal('reward'),
})
export type Reward = Static<typeof Reward>

export const RewardList = listOf('data', Reward, { total: true })

export const RewardQuery = Type.Object({
  ...PageQuery({ order: ['-created_at', 'created_at'] }),
  assignment_id: Type.Optional(Type.String({ description: 'Only the reward of this assignment.' })),
})
export type RewardQuery = Static<typeof RewardQuery>

const ParametersBody = Type.Object(
  {
    campaign: Maybe(
      Type.Object({
        id: Type.String({ minLength: 1, maxLength: 255, description: 'The id or the name of a campaign.' }),
        balance: Maybe(Int()),
      }),
    ),
    coin: Maybe(
      Type.Object({
        exchange_ratio: Type.Number({ exclusiveMinimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
        points_ratio: Maybe(Int({ minimum: 1 })),
      }),
    ),
    product: Maybe(Type.Object({ id: Name, sku_id: Maybe(Name) })),
  },
  { description: 'Exactly one of `campaign`, `coin` and `product`.' },
)
export type RewardParametersBody = Static<typeof ParametersBody>

const settings = {
  stock: Maybe(
    Type.Unsafe<number>({
      ...Int({ minimum: 0 }),
      description: 'How many of a MATERIAL reward there are in all, those that were redeemed included.',
    }),
  ),
  attributes: Maybe(Type.Object({ image_url: Maybe(FreeText), description: Maybe(FreeText) })),
  metadata: Maybe(Metadata),
}

export const NewReward = Type.Object(
  { name: Name, type: Maybe(RewardType), parameters: Maybe(ParametersBody), ...settings },
  {
    examples: [
      { name: 'Pay with points', type: 'COIN', parameters: { coin: { exchange_ratio: 0.01, points_ratio: 1 } } },
    ],
  },
)
export type NewReward = Static<typeof NewReward>

export const CreateReward = NumericText(NewReward)

export const RewardChanges = Type.Object(
  { name: Maybe(Name), parameters: Maybe(ParametersBody), ...settings },
  { examples: [{ name: 'Pay with your points' }] },
)
export type RewardChanges = Static<typeof RewardChanges>

export const UpdateReward = NumericText(RewardChanges)

export const CompletedRewardRedemption = Type.Object(RewardRedemption.properties)
export type CompletedRewardRedemption = Static<typeof CompletedRewardRedemption>
