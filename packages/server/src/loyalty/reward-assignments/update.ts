import type { Ctx } from '../../core/context.ts'
import { emitMany } from '../../core/events/emit.ts'
import { numbersRead } from '../../core/http/numeric-text.ts'
import type { StoredCampaign } from '../../incentives/campaigns/store.ts'
import { refuseProtected } from '../../incentives/campaigns/store.ts'
import { assignRules, rulesNamed } from '../../rules/validation-rules/assign.ts'
import { listAssignmentsOf } from '../../rules/validation-rules/assignment-store.ts'
import type { StoredValidationRule } from '../../rules/validation-rules/schema.ts'
import { unassign } from '../../rules/validation-rules/unassign.ts'
import { getReward } from '../rewards/store.ts'
import { assignmentEvent } from './assign.ts'
import { refuseRulesOf, refuseSecondAutoRedeem, rewardPriceOf } from './price.ts'
import { type StoredRewardAssignment, toRewardAssignment } from './reward-assignment.ts'
import { type RewardAssignment, RewardOffer } from './schema.ts'
import { listAssignmentsTo, updateRewardAssignment } from './store.ts'

export interface AssignmentInProgram {
  program: StoredCampaign
  assignment: StoredRewardAssignment
}

const read = numbersRead(RewardOffer)

/** Changes the price of a reward in a program that the caller has locked exclusively. */
export async function changeRewardAssignment(
  ctx: Ctx,
  { program, assignment }: AssignmentInProgram,
  sent: RewardOffer,
): Promise<RewardAssignment> {
  const body = read(sent)
  refuseProtected(program)
  const { id } = assignment
  const reward = await getReward(ctx, assignment.reward_id, { lock: 'keyShare' })
  refuseRulesOf(reward, body, '')
  const parameters = rewardPriceOf(reward, body, '', assignment.parameters)
  const others = (await listAssignmentsTo(ctx, program.id)).filter((other) => other.id !== id)
  refuseSecondAutoRedeem([...others, { parameters }])
  const rules = body.validation_rules == null ? undefined : await rulesNamed(ctx, body.validation_rules)

  const row = await updateRewardAssignment(ctx, id, parameters)
  if (rules !== undefined) await replaceRules(ctx, id, rules)
  const rewardAssignment = toRewardAssignment(row)
  await emitMany(ctx, [assignmentEvent('updated', program, reward, rewardAssignment)])
  return rewardAssignment
}

/** Replaces the validation rules of an assignment; a rule that is in both sets keeps its assignment. */
async function replaceRules(ctx: Ctx, id: string, rules: readonly StoredValidationRule[]): Promise<void> {
  const relatedObjectType = 'reward_assignment'
  const assigned = new Set((await listAssignmentsOf(ctx, relatedObjectType, [id])).map(({ rule_id }) => rule_id))
  for (const ruleId of assigned)
    if (!rules.some((rule) => rule.id === ruleId))
      await unassign(ctx, { rule_id: ruleId, related_object_type: relatedObjectType, related_object_ids: [id] })
  await assignRules(
    ctx,
    rules.filter((rule) => !assigned.has(rule.id)),
    relatedObjectType,
    id,
  )
}
