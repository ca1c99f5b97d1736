import type { Ctx } from '../../core/context.ts'
import { operation, operationPair } from '../../core/http/operation.ts'
import { listed } from '../../core/query/list.ts'
import { getCampaign } from '../../incentives/campaigns/store.ts'
import { TransactionList } from '../../incentives/vouchers/schema.ts'
import { getMember, getMemberIn, getProgram } from '../programs/store.ts'
import { listMemberActivities, listMemberActivity } from './activity.ts'
import { getCampaignWithCards, liabilityOf } from './liability.ts'
import { listMemberRewards } from './rewards.ts'
import {
  CardTransactionQuery,
  Liability,
  LiabilityQuery,
  MemberActivitiesList,
  MemberActivityList,
  MemberActivityQuery,
  MemberRewardList,
  MemberRewardQuery,
  MemberTierList,
  PendingPointsList,
  PendingPointsQuery,
  PointsBucketList,
  PointsBucketQuery,
} from './schema.ts'
import { listBuckets, listPendingPoints } from './store.ts'
import { listMemberTiers } from './tier.ts'
import { listMemberTransactions, listProgramTransactions } from './transactions.ts'

async function pendingPointsOf(ctx: Ctx, of: Parameters<typeof listPendingPoints>[1], query: PendingPointsQuery) {
  const { entries, ...more } = await listPendingPoints(ctx, of, query)
  return listed('data', entries, more)
}

const askedWrong = ['invalid_query_params', 'not_found'] as const

export const members = [
  operation({
    id: 'listProgramPendingPoints',
    method: 'GET',
    path: '/v1/loyalties/{campaignId}/pending-points',
    summary: 'List the pending points of a loyalty program',
    description: 'Points that wait for their day, those that activate last first.',
    query: PendingPointsQuery,
    reply: PendingPointsList,
    errors: askedWrong,
    target: (ctx, { params }) => getProgram(ctx, params.campaignId),
    run: (ctx, { target, query }) => pendingPointsOf(ctx, { campaign_id: target.id }, query),
  }),
  ...operationPair({
    id: 'listProgramMemberPendingPoints',
    method: 'GET',
    path: '/v1/loyalties/{campaignId}/members/{memberId}/pending-points',
    summary: 'List the pending points of a member of a loyalty program',
    second: {
      id: 'listMemberPendingPoints',
      path: '/v1/loyalties/members/{memberId}/pending-points',
      summary: 'List the pending points of a member',
    },
    description: 'Points that wait for their day, those that activate last first.',
    query: PendingPointsQuery,
    reply: PendingPointsList,
    errors: askedWrong,
    target: (ctx, { params }) => getMemberIn(ctx, params),
    run: (ctx, { target, query }) => pendingPointsOf(ctx, { voucher_id: target.id }, query),
  }),
  ...operationPair({
    id: 'listProgramMemberActivity',
    method: 'GET',
    path: '/v1/loyalties/{campaignId}/members/{memberId}/activity',
    summary: 'List the activity of a member of a loyalty program',
    second: {
      id: 'listMemberActivity',
      path: '/v1/loyalties/members/{memberId}/activity',
      summary: 'List the activity of a member',
    },
    description: 'What happened to the card, and to its holder in the program of the card.',
    query: MemberActivityQuery,
    reply: MemberActivityList,
    errors: askedWrong,
    target: (ctx, { params }) => getMemberIn(ctx, params),
    run: (ctx, { target, query }) => listMemberActivity(ctx, target, query),
  }),
  ...operationPair({
    id: 'listProgramMemberActivities',
    method: 'GET',
    path: '/v1/loyalties/{campaignId}/members/{memberId}/activities',
    summary: 'List the activities of a member of a loyalty program',
    second: {
      id: 'listMemberActivities',
      path: '/v1/loyalties/members/{memberId}/activities',
      summary: 'List the activities of a member',
    },
    description: 'The older form of `/activity`, with the total.',
    query: MemberActivityQuery,
    reply: MemberActivitiesList,
    errors: askedWrong,
    target: (ctx, { params }) => getMemberIn(ctx, params),
    run: (ctx, { target, query }) => listMemberActivities(ctx, target, query),
  }),
  operation({
    id: 'listProgramTransactions',
    method: 'GET',
    path: '/v1/loyalties/{campaignId}/transactions',
    summary: 'List the transactions of a loyalty program',
    description:
      'Can be filtered by `id` and `voucher_id`. The list of a campaign that is no loyalty program is empty.',
    query: CardTransactionQuery,
    reply: TransactionList,
    errors: askedWrong,
    target: (ctx, { params }) => getCampaign(ctx, params.campaignId),
    run: (ctx, { target, query }) => listProgramTransactions(ctx, target, query),
  }),
  ...operationPair({
    id: 'listProgramMemberTransactions',
    method: 'GET',
    path: '/v1/loyalties/{campaignId}/members/{memberId}/transactions',
    summary: 'List the transactions of a member of a loyalty program',
    second: {
      id: 'listMemberTransactions',
      path: '/v1/loyalties/members/{memberId}/transactions',
      summary: 'List the transactions of a member',
    },
    description: 'Can be filtered by `id` and `created_at`.',
    query: CardTransactionQuery,
    reply: TransactionList,
    errors: askedWrong,
    target: (ctx, { params }) => getMemberIn(ctx, params),
    run: (ctx, { target, query }) => listMemberTransactions(ctx, target, query),
  }),
  operation({
    id: 'listMemberPointsExpiration',
    method: 'GET',
    path: '/v1/loyalties/{campaignId}/members/{memberId}/points-expiration',
    summary: 'List the points of a member by the day they expire',
    description: 'Without those that are over; those that never expire come last.',
    query: PointsBucketQuery,
    reply: PointsBucketList,
    errors: askedWrong,
    target: async (ctx, { params }) => {
      const { id: campaignId } = await getProgram(ctx, params.campaignId)
      const { id: voucherId } = await getMember(ctx, params.memberId, { id: campaignId })
      return { campaign_id: campaignId, voucher_id: voucherId }
    },
    run: async (ctx, { target, query }) => {
      const { buckets, total } = await listBuckets(ctx, target, query)
      return listed('data', buckets, { total })
    },
  }),
  operation({
    id: 'listMemberRewards',
    method: 'GET',
    path: '/v1/loyalties/members/{memberId}/rewards',
    summary: 'List the rewards that a member can have for points',
    description: 'At the price that the tier of the member makes of it, the newest first.',
    query: MemberRewardQuery,
    reply: MemberRewardList,
    errors: askedWrong,
    target: (ctx, { params }) => getMemberIn(ctx, params),
    run: async (ctx, { target, query }) => {
      const rewards = await listMemberRewards(ctx, target, query)
      return listed('data', rewards, { total: rewards.length })
    },
  }),
  operation({
    id: 'listMemberTiers',
    method: 'GET',
    path: '/v1/loyalties/members/{memberId}/tiers',
    summary: 'List the tier of a member',
    description: 'The current one, if there is any.',
    reply: MemberTierList,
    errors: ['not_found'],
    target: (ctx, { params }) => getMemberIn(ctx, params),
    run: async (ctx, { target }) => {
      const tiers = await listMemberTiers(ctx, target)
      return listed('data', tiers, { total: tiers.length })
    },
  }),
  operation({
    id: 'getLiability',
    method: 'GET',
    path: '/v1/loyalties/{campaignId}/liability',
    summary: 'Get what a campaign owes the holders of its cards',
    description:
      'What a loyalty program or a campaign of gift vouchers had outstanding at a moment, now or `as_of`, and when it expires. All of it is added up from the postings of the cards up to that moment, so that any day of the past can be asked for. Points whose day was over count as expired even where that was written down later; cards that had been deleted count no more. Of a moment to come, it tells what would be left if nothing happened until then.',
    query: LiabilityQuery,
    reply: Liability,
    errors: askedWrong,
    reads_replica: true,
    target: (ctx, { params }) => getCampaignWithCards(ctx, params.campaignId),
    run: (ctx, { target, query }) => liabilityOf(ctx, target, query.as_of),
  }),
]
