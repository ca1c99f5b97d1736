import type { Ctx } from '../../core/context.ts'
import { emit } from '../../core/events/emit.ts'
import { toSimpleCampaign } from '../../incentives/campaigns/campaign.ts'
import { refuseProtected } from '../../incentives/campaigns/store.ts'
import { deleteAssignmentsOf } from '../../rules/validation-rules/unassign.ts'
import { forgetEarningRule } from '../tiers/forget.ts'
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
