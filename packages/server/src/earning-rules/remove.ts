import { toSimpleCampaign } from '../campaigns/campaign.ts'
import { refuseProtected } from '../campaigns/update.ts'
import type { Ctx } from '../context.ts'
import { emit } from '../events/emit.ts'
import { forgetEarningRule } from '../loyalty-tiers/forget.ts'
import { deleteAssignmentsOf } from '../validation-rules/unassign.ts'
import { toEarningRule } from './earning-rule.ts'
import { deleteEarningRule } from './store.ts'
import type { RuleInProgram } from './update.ts'

/** Deletes a rule for good: its validation rule is taken back, and tiers map it no longer. What it has paid stays. */
export async function removeEarningRule(ctx: Ctx, { campaign, rule }: RuleInProgram): Promise<void> {
  refuseProtected(campaign)
  await deleteAssignmentsOf(ctx, 'earning_rule', [rule.id])
  await forgetEarningRule(ctx, campaign, rule.id)
  await deleteEarningRule(ctx, rule.id)
  await emit(ctx, 'campaign.earning_rule.deleted', campaign.id, {
    campaign: toSimpleCampaign(campaign),
    earning_rule: toEarningRule(rule, rule.validation_rule_id),
  })
}
