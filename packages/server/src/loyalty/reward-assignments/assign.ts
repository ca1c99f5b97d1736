import type { Ctx } from '../../core/context.ts'
import { emitMany, type NewEvent } from '../../core/events/emit.ts'
import { invalidPayload } from '../../core/http/errors.ts'
import { limits } from '../../core/lib/limits.ts'
import { toSimpleCampaign } from '../../incentives/campaigns/campaign.ts'
import type { StoredCampaign } from '../../incentives/campaigns/store.ts'
import { refuseProtected } from '../../incentives/campaigns/store.ts'
import { assignRules, rulesNamed } from '../../rules/validation-rules/assign.ts'
import { creditedProgram } from '../rewards/define.ts'
import { type StoredReward, toReward } from '../rewards/reward.ts'
import { getReward } from '../rewards/store.ts'
import { refuseRulesOf, refuseSecondAutoRedeem, rewardPriceOf } from './price.ts'
import { toRewardAssignment } from './reward-assignment.ts'
import type { AssignedReward, RewardAssignment } from './schema.ts'
import { insertRewardAssignment, listAssignmentsTo } from './store.ts'

/**
 * Assigns rewards to a program that the caller has locked exclusively, all or nothing. `path` is the position of an element in
 * the request body, for error messages.
 */
export async function assignRewards(
  ctx: Ctx,
  program: StoredCampaign,
  offered: readonly AssignedReward[],
  path: (index: number) => string,
): Promise<RewardAssignment[]> {
  refuseProtected(program)
  const rewards = await lockRewards(ctx, offered)
  const offers = offered.map((body, index) => {
    const reward = rewards.get(body.reward) as StoredReward
    refuseOwnPoints(reward, program)
    refuseRulesOf(reward, body, path(index))
    return { reward, parameters: rewardPriceOf(reward, body, path(index)), rules: body.validation_rules ?? [] }
  })
  const existing = await listAssignmentsTo(ctx, program.id)
  if (existing.length + offers.length > limits.program_rewards_max)
    throw invalidPayload(`A campaign must NOT have more than ${limits.program_rewards_max} rewards`)
  refuseSecondAutoRedeem([...existing, ...offers])
  const rules = await rulesNamed(
    ctx,
    offers.flatMap((offer) => offer.rules),
  )

  const assignments: RewardAssignment[] = []
  const events: NewEvent[] = []
  for (const [place, { reward, parameters, rules: ruleIds }] of offers.entries()) {
    const row = await insertRewardAssignment(ctx, {
      reward_id: reward.id,
      related_object_type: 'campaign',
      related_object_id: program.id,
      parameters,
      place,
    })
    await assignRules(
      ctx,
      rules.filter(({ id }) => ruleIds.includes(id)),
      'reward_assignment',
      row.id,
    )
    const rewardAssignment = toRewardAssignment(row)
    assignments.push(rewardAssignment)
    events.push(assignmentEvent('created', program, reward, rewardAssignment))
  }
  await emitMany(ctx, events)
  return assignments
}

/** Locks the rewards in the order of their ids, as everywhere, so that two requests cannot deadlock. Returns them by id. */
async function lockRewards(ctx: Ctx, offered: readonly AssignedReward[]): Promise<Map<string, StoredReward>> {
  const rewards = new Map<string, StoredReward>()
  for (const id of [...new Set(offered.map(({ reward }) => reward))].sort())
    rewards.set(id, await getReward(ctx, id, { lock: 'keyShare' }))
  return rewards
}

/**
 * Refuses a reward that credits points to cards of the same program: buying points with the same points makes no sense
 * (docs/reference/rewards.md#assignments-of-a-program).
 */
function refuseOwnPoints({ id, parameters }: StoredReward, program: StoredCampaign): void {
  if (creditedProgram(parameters) === program.id)
    throw invalidPayload(`Reward ${id} adds points to cards of campaign ${program.id} and cannot be assigned to it`)
}

export const assignmentEvent = (
  change: 'created' | 'updated' | 'deleted',
  program: StoredCampaign,
  reward: StoredReward,
  rewardAssignment: RewardAssignment,
): NewEvent => ({
  type: `campaign.reward.assignment.${change}`,
  entity_id: program.id,
  data: { campaign: toSimpleCampaign(program), reward: toReward(reward), reward_assignment: rewardAssignment },
})
