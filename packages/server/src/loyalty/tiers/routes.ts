import type { Ctx } from '../../core/context.ts'
import { operation } from '../../core/http/operation.ts'
import { listed } from '../../core/query/list.ts'
import { EarningRuleList } from '../earning-rules/schema.ts'
import { listEarningRules } from '../earning-rules/store.ts'
import { getProgram } from '../programs/store.ts'
import { createLoyaltyTiers } from './create.ts'
import { toLoyaltyTier } from './loyalty-tier.ts'
import { mappedReward } from './mapped-reward.ts'
import { mappedRule } from './mapped-rule.ts'
import {
  CreateLoyaltyTiers,
  LoyaltyTier,
  LoyaltyTierList,
  LoyaltyTierQuery,
  LoyaltyTierRewardList,
  LoyaltyTiers,
  TierEarningRuleQuery,
} from './schema.ts'
import { getLoyaltyTier, listAssignedRewards, listLoyaltyTiers, type StoredLoyaltyTier } from './store.ts'

interface TierParams {
  campaignId: string
  loyaltyTierId: string
}

const tierIn = async (ctx: Ctx, { campaignId, loyaltyTierId }: TierParams): Promise<StoredLoyaltyTier> =>
  getLoyaltyTier(ctx, loyaltyTierId, await getProgram(ctx, campaignId))

export const loyaltyTiers = [
  operation({
    id: 'listLoyaltyTiers',
    method: 'GET',
    path: '/v1/loyalties/{campaignId}/tiers',
    summary: 'List the tiers of a program',
    description: 'By rank, the open range first, unless another order is asked for.',
    query: LoyaltyTierQuery,
    reply: LoyaltyTierList,
    errors: ['invalid_query_params', 'not_found'],
    target: (ctx, { params }) => getProgram(ctx, params.campaignId),
    run: async (ctx, { target, query }) => {
      const { rows, total } = await listLoyaltyTiers(ctx, target.id, query)
      return listed('data', rows.map(toLoyaltyTier), { total })
    },
  }),
  operation({
    id: 'createLoyaltyTiers',
    method: 'POST',
    path: '/v1/loyalties/{campaignId}/tiers',
    summary: 'Add tiers to a program',
    description:
      'All of them or none. Their points may neither overlap each other nor those of the tiers that are there. Members ' +
      'are looked at again.',
    body: CreateLoyaltyTiers,
    reply: LoyaltyTiers,
    errors: ['invalid_payload', 'not_found', 'resource_protected', 'metadata_validation_failed'],
    target: (ctx, { params }) => getProgram(ctx, params.campaignId, { lock: 'update' }),
    run: (ctx, { target, body }) => createLoyaltyTiers(ctx, target, body),
  }),
  operation({
    id: 'getLoyaltyTier',
    method: 'GET',
    path: '/v1/loyalties/{campaignId}/tiers/{loyaltyTierId}',
    summary: 'Get a tier of a program',
    description: 'By id, below its program.',
    reply: LoyaltyTier,
    errors: ['not_found'],
    run: async (ctx, { params }) => toLoyaltyTier(await tierIn(ctx, params)),
  }),
  operation({
    id: 'listEarningRulesOfTier',
    method: 'GET',
    path: '/v1/loyalties/{campaignId}/tiers/{loyaltyTierId}/earning-rules',
    summary: 'List earning rules as they pay the holders of a tier',
    description: 'All earning rules of the program, the oldest first, with the points that holders of the tier get.',
    query: TierEarningRuleQuery,
    reply: EarningRuleList,
    errors: ['invalid_query_params', 'not_found'],
    target: (ctx, { params }) => tierIn(ctx, params),
    run: async (ctx, { target, query }) => {
      const { rules, total } = await listEarningRules(ctx, target.campaign_id, query)
      return listed(
        'data',
        rules.map((rule) => mappedRule(target, rule)),
        { total },
      )
    },
  }),
  operation({
    id: 'listRewardsOfTier',
    method: 'GET',
    path: '/v1/loyalties/{campaignId}/tiers/{loyaltyTierId}/rewards',
    summary: 'List the rewards of a program at the prices of a tier',
    description: 'The newest assignment first, without those that the tier does not have.',
    reply: LoyaltyTierRewardList,
    errors: ['not_found'],
    run: async (ctx, { params }) => {
      const tier = await tierIn(ctx, params)
      const data = (await listAssignedRewards(ctx, tier.campaign_id)).flatMap(({ reward, assignment }) => {
        const mapped = mappedReward(tier, reward, assignment)
        if (mapped === null) return []
        return [{ reward: mapped.reward, assignment: mapped.assignment, object: 'loyalty_tier_reward' as const }]
      })
      return listed('data', data, { total: data.length })
    },
  }),
]
