import { operation } from '../../core/http/operation.ts'
import { listed } from '../../core/query/list.ts'
import { completeRewardRedemption } from './complete.ts'
import { createReward } from './create.ts'
import { getRewardRedemption } from './redemption-store.ts'
import { removeReward } from './remove.ts'
import { toReward } from './reward.ts'
import { CompletedRewardRedemption, CreateReward, Reward, RewardList, RewardQuery, UpdateReward } from './schema.ts'
import { getReward, listRewards } from './store.ts'
import { changeReward } from './update.ts'

export const rewards = [
  operation({
    id: 'listRewards',
    method: 'GET',
    path: '/v1/rewards',
    summary: 'List rewards',
    description: 'What points can be used for, page by page.',
    query: RewardQuery,
    reply: RewardList,
    errors: ['invalid_query_params'],
    run: async (ctx, { query }) => {
      const { rewards, total } = await listRewards(ctx, query)
      return listed('data', rewards.map(toReward), { total })
    },
  }),
  operation({
    id: 'createReward',
    method: 'POST',
    path: '/v1/rewards',
    summary: 'Create a reward',
    description:
      'A code, credits or points of a campaign, a discount that points pay for, or something to hand over. What it costs is said where it is assigned.',
    body: CreateReward,
    reply: Reward,
    errors: ['invalid_payload', 'missing_param', 'invalid_balance', 'metadata_validation_failed', 'not_found'],
    run: (ctx, { body }) => createReward(ctx, body),
  }),
  operation({
    id: 'getReward',
    method: 'GET',
    path: '/v1/rewards/{rewardId}',
    summary: 'Get a reward',
    description: 'By id.',
    reply: Reward,
    errors: ['not_found'],
    run: async (ctx, { params }) => toReward(await getReward(ctx, params.rewardId)),
  }),
  operation({
    id: 'updateReward',
    method: 'PUT',
    path: '/v1/rewards/{rewardId}',
    summary: 'Update a reward',
    description: 'It stays of its type. Parameters and attributes are replaced, metadata is merged by key.',
    body: UpdateReward,
    reply: Reward,
    errors: ['invalid_payload', 'invalid_balance', 'metadata_validation_failed', 'not_found'],
    target: (ctx, { params }) => getReward(ctx, params.rewardId),
    run: (ctx, { target, body }) => changeReward(ctx, target, body),
  }),
  operation({
    id: 'deleteReward',
    method: 'DELETE',
    path: '/v1/rewards/{rewardId}',
    summary: 'Delete a reward',
    description: 'Refused while it is assigned to anything.',
    reply: null,
    errors: ['not_found', 'resource_in_use'],
    target: (ctx, { params }) => getReward(ctx, params.rewardId, { lock: 'update' }),
    run: (ctx, { target }) => removeReward(ctx, target),
  }),
  operation({
    id: 'completeRewardRedemption',
    method: 'POST',
    path: '/v1/rewards/{rewardId}/redemptions/{rewardRedemptionId}/complete',
    summary: 'Complete a pending reward redemption',
    description: 'Confirms that the customer has got a MATERIAL reward.',
    reply: CompletedRewardRedemption,
    errors: ['invalid_payload', 'not_found'],
    target: async (ctx, { params }) => {
      const reward = await getReward(ctx, params.rewardId)
      return { reward, redemption: await getRewardRedemption(ctx, reward.id, params.rewardRedemptionId) }
    },
    run: (ctx, { target }) => completeRewardRedemption(ctx, target.reward, target.redemption),
  }),
]
