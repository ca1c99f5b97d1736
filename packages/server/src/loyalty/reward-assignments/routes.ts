import type { Ctx } from '../../core/context.ts'
import { inUse, notFound } from '../../core/http/errors.ts'
import { numbersRead } from '../../core/http/numeric-text.ts'
import { operation } from '../../core/http/operation.ts'
import { listed } from '../../core/query/list.ts'
import { findCampaign, type StoredCampaign } from '../../incentives/campaigns/store.ts'
import { getProgram } from '../programs/store.ts'
import { toReward } from '../rewards/reward.ts'
import { Reward } from '../rewards/schema.ts'
import { getReward } from '../rewards/store.ts'
import { assignRewards } from './assign.ts'
import { removeRewardAssignment } from './remove.ts'
import { toRewardAssignment } from './reward-assignment.ts'
import {
  AssignLoyaltyRewards,
  CreateRewardAssignment,
  LoyaltyRewardQuery,
  NewLoyaltyRewards,
  NewRewardAssignment,
  RewardAssignment,
  RewardAssignmentList,
  RewardAssignmentPageQuery,
  RewardAssignmentQuery,
  RewardAssignments,
  UpdateRewardAssignment,
} from './schema.ts'
import { getRewardAssignment, listRewardAssignments } from './store.ts'
import { type AssignmentInProgram, changeRewardAssignment } from './update.ts'

/** An assignment by its program and its id; a request that changes it locks the program exclusively. */
async function inProgram(
  ctx: Ctx,
  { campaignId, assignmentId }: { campaignId: string; assignmentId: string },
  options: { lock?: 'update' } = {},
): Promise<AssignmentInProgram> {
  const program = await getProgram(ctx, campaignId, options)
  const assignment = await getRewardAssignment(ctx, assignmentId, { related_object_id: program.id, ...options })
  return { program, assignment }
}

/** An assignment by its reward and its id, for a change. The program is locked before the assignment, as everywhere. */
async function ofReward(
  ctx: Ctx,
  { rewardId, assignmentId }: { rewardId: string; assignmentId: string },
): Promise<AssignmentInProgram> {
  const { id: foundId } = await getReward(ctx, rewardId)
  const { related_object_type, related_object_id } = await getRewardAssignment(ctx, assignmentId, {
    reward_id: foundId,
  })
  // A referral tier must have a reward; its own endpoints can replace it.
  if (related_object_type === 'referral_tier')
    throw inUse('reward_assignment', assignmentId, { type: 'referral_tier', ids: [related_object_id] })
  const program = await findCampaign(ctx, related_object_id, { lock: 'update' })
  if (program === undefined) throw notFound('reward_assignment', assignmentId) // deleted together with its program
  return { program, assignment: await getRewardAssignment(ctx, assignmentId, { reward_id: foundId, lock: 'update' }) }
}

async function assignmentsOf(ctx: Ctx, owner: Parameters<typeof listRewardAssignments>[1], page: object, id?: string) {
  const { assignments, total } = await listRewardAssignments(ctx, owner, page, id)
  return listed('data', assignments.map(toRewardAssignment), { total })
}

const readMany = numbersRead(NewLoyaltyRewards)
const readOne = numbersRead(NewRewardAssignment)

const offered = (program: StoredCampaign) => ({ related_object_id: program.id })

const ofPrograms = [
  operation({
    id: 'listLoyaltyRewardAssignments',
    method: 'GET',
    path: '/v1/loyalties/{campaignId}/reward-assignments',
    summary: 'List the reward assignments of a loyalty program',
    description: 'The rewards of a program with their prices, page by page.',
    query: RewardAssignmentQuery,
    reply: RewardAssignmentList,
    errors: ['invalid_query_params', 'not_found'],
    target: (ctx, { params }) => getProgram(ctx, params.campaignId),
    run: (ctx, { target, query: { assignmentId, ...page } }) => assignmentsOf(ctx, offered(target), page, assignmentId),
  }),
  operation({
    id: 'getLoyaltyRewardAssignment',
    method: 'GET',
    path: '/v1/loyalties/{campaignId}/reward-assignments/{assignmentId}',
    summary: 'Get a reward assignment of a loyalty program',
    description: 'By id: which reward, at which price.',
    reply: RewardAssignment,
    errors: ['not_found'],
    run: async (ctx, { params }) => toRewardAssignment((await inProgram(ctx, params)).assignment),
  }),
  operation({
    id: 'getRewardOfLoyaltyAssignment',
    method: 'GET',
    path: '/v1/loyalties/{campaignId}/reward-assignments/{assignmentId}/reward',
    summary: 'Get the reward of an assignment',
    description: 'The reward itself, without the price in the program.',
    reply: Reward,
    errors: ['not_found'],
    run: async (ctx, { params }) => {
      const { assignment } = await inProgram(ctx, params)
      return toReward(await getReward(ctx, assignment.reward_id))
    },
  }),
  operation({
    id: 'listLoyaltyRewards',
    method: 'GET',
    path: '/v1/loyalties/{campaignId}/rewards',
    summary: 'List the rewards of a loyalty program',
    description: 'As assignments, which say what each of them costs.',
    query: LoyaltyRewardQuery,
    reply: RewardAssignmentList,
    errors: ['invalid_query_params', 'not_found'],
    target: (ctx, { params }) => getProgram(ctx, params.campaignId),
    run: (ctx, { target, query: { assignment_id, ...page } }) =>
      assignmentsOf(ctx, offered(target), page, assignment_id),
  }),
  operation({
    id: 'assignLoyaltyRewards',
    method: 'POST',
    path: '/v1/loyalties/{campaignId}/rewards',
    summary: 'Assign rewards to a loyalty program',
    description: 'All of them, or none when one is refused.',
    body: AssignLoyaltyRewards,
    reply: RewardAssignments,
    errors: ['invalid_payload', 'missing_param', 'not_found', 'duplicate_found', 'resource_protected'],
    target: (ctx, { params }) => getProgram(ctx, params.campaignId, { lock: 'update' }),
    run: (ctx, { target, body }) => assignRewards(ctx, target, readMany(body), (index) => `[${index}]`),
  }),
  operation({
    id: 'getLoyaltyReward',
    method: 'GET',
    path: '/v1/loyalties/{campaignId}/rewards/{assignmentId}',
    summary: 'Get a reward of a loyalty program',
    description: 'As its assignment.',
    reply: RewardAssignment,
    errors: ['not_found'],
    run: async (ctx, { params }) => toRewardAssignment((await inProgram(ctx, params)).assignment),
  }),
  operation({
    id: 'updateLoyaltyReward',
    method: 'PUT',
    path: '/v1/loyalties/{campaignId}/rewards/{assignmentId}',
    summary: 'Update a reward of a loyalty program',
    description: 'What is not sent stays. Rules of a COIN reward are replaced.',
    body: UpdateRewardAssignment,
    reply: RewardAssignment,
    errors: ['invalid_payload', 'not_found', 'resource_protected'],
    target: (ctx, { params }) => inProgram(ctx, params, { lock: 'update' }),
    run: (ctx, { target, body }) => changeRewardAssignment(ctx, target, body),
  }),
  operation({
    id: 'deleteLoyaltyReward',
    method: 'DELETE',
    path: '/v1/loyalties/{campaignId}/rewards/{assignmentId}',
    summary: 'Remove a reward from a loyalty program',
    description: 'Its tiers forget it; the reward itself stays, and what was redeemed.',
    reply: null,
    errors: ['not_found', 'resource_protected'],
    target: (ctx, { params }) => inProgram(ctx, params, { lock: 'update' }),
    run: (ctx, { target }) => removeRewardAssignment(ctx, target),
  }),
]

const ofRewards = [
  operation({
    id: 'listRewardAssignments',
    method: 'GET',
    path: '/v1/rewards/{rewardId}/assignments',
    summary: 'List the assignments of a reward',
    description: 'In which programs the reward can be had at which price, the newest first.',
    query: RewardAssignmentPageQuery,
    reply: RewardAssignmentList,
    errors: ['invalid_query_params', 'not_found'],
    target: (ctx, { params }) => getReward(ctx, params.rewardId),
    run: (ctx, { target, query }) => assignmentsOf(ctx, { reward_id: target.id }, query),
  }),
  operation({
    id: 'createRewardAssignment',
    method: 'POST',
    path: '/v1/rewards/{rewardId}/assignments',
    summary: 'Assign a reward to a loyalty program',
    description:
      'Members of the program can get the reward from then on. A price in points is required unless it is a `COIN` reward.',
    body: CreateRewardAssignment,
    reply: RewardAssignment,
    errors: ['invalid_payload', 'missing_param', 'not_found', 'duplicate_found', 'resource_protected'],
    target: (ctx, { params }) => getReward(ctx, params.rewardId),
    run: async (ctx, { target, body }) => {
      const { campaign, ...offer } = readOne(body)
      const program = await getProgram(ctx, campaign, { lock: 'update' })
      const [assignment] = await assignRewards(ctx, program, [{ reward: target.id, ...offer }], () => '')
      return assignment as RewardAssignment
    },
  }),
  operation({
    id: 'getRewardAssignment',
    method: 'GET',
    path: '/v1/rewards/{rewardId}/assignments/{assignmentId}',
    summary: 'Get an assignment of a reward',
    description: 'By id: which program, at which price.',
    reply: RewardAssignment,
    errors: ['not_found'],
    run: async (ctx, { params }) => {
      const { id: rewardId } = await getReward(ctx, params.rewardId)
      return toRewardAssignment(await getRewardAssignment(ctx, params.assignmentId, { reward_id: rewardId }))
    },
  }),
  operation({
    id: 'updateRewardAssignment',
    method: 'PUT',
    path: '/v1/rewards/{rewardId}/assignments/{assignmentId}',
    summary: 'Update an assignment of a reward',
    description: 'What is not sent stays. Rules of a COIN reward are replaced.',
    body: UpdateRewardAssignment,
    reply: RewardAssignment,
    errors: ['invalid_payload', 'not_found', 'resource_in_use', 'resource_protected'],
    target: (ctx, { params }) => ofReward(ctx, params),
    run: (ctx, { target, body }) => changeRewardAssignment(ctx, target, body),
  }),
  operation({
    id: 'deleteRewardAssignment',
    method: 'DELETE',
    path: '/v1/rewards/{rewardId}/assignments/{assignmentId}',
    summary: 'Delete an assignment of a reward',
    description: 'Refused while a referral tier gives it. Tiers of its program forget it; what was redeemed stays.',
    reply: null,
    errors: ['not_found', 'resource_in_use', 'resource_protected'],
    target: (ctx, { params }) => ofReward(ctx, params),
    run: (ctx, { target }) => removeRewardAssignment(ctx, target),
  }),
]

export const rewardAssignments = [...ofPrograms, ...ofRewards]
