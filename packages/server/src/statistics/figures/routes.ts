import { operation } from '../../core/http/operation.ts'
import { getCampaign } from '../../incentives/campaigns/store.ts'
import { getProgram } from '../../loyalty/programs/store.ts'
import { CampaignStatistics, LoyaltyStatistics, StatisticsOverview, StatisticsQuery } from './schema.ts'
import { campaignStatisticsOf, loyaltyStatisticsOf, overviewOf } from './show.ts'

export const statistics = [
  operation({
    id: 'getStatisticsOverview',
    method: 'GET',
    path: '/v1/statistics/overview',
    summary: 'Get the figures of the project',
    description:
      'What was redeemed, refused, discounted, published, earned and spent, in total, in the range just before, and over time by hour, day, week or month of the project; the campaigns with most discounts, the reasons of refusals, and what is owed to holders of cards. All of it comes from sums that the service keeps, together with what happened since they were last brought up to date.',
    query: StatisticsQuery,
    reply: StatisticsOverview,
    errors: ['invalid_query_params'],
    reads_replica: true,
    run: (ctx, { query }) => overviewOf(ctx, query),
  }),
  operation({
    id: 'getCampaignStatistics',
    method: 'GET',
    path: '/v1/statistics/campaigns/{campaignId}',
    summary: 'Get the figures of a campaign',
    description: 'The figures of the overview, of one campaign.',
    query: StatisticsQuery,
    reply: CampaignStatistics,
    errors: ['not_found', 'invalid_query_params'],
    reads_replica: true,
    target: (ctx, { params }) => getCampaign(ctx, params.campaignId),
    run: (ctx, { target, query }) => campaignStatisticsOf(ctx, target, query),
  }),
  operation({
    id: 'getLoyaltyStatistics',
    method: 'GET',
    path: '/v1/statistics/loyalties/{campaignId}',
    summary: 'Get the figures of a loyalty program',
    description:
      'The figures of its campaign, among them the points earned, spent, expired and returned, with what is owed and pending, and the members of each tier.',
    query: StatisticsQuery,
    reply: LoyaltyStatistics,
    errors: ['not_found', 'invalid_query_params'],
    reads_replica: true,
    target: (ctx, { params }) => getProgram(ctx, params.campaignId),
    run: (ctx, { target, query }) => loyaltyStatisticsOf(ctx, target, query),
  }),
]
