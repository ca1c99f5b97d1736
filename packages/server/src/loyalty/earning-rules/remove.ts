import type { Ctx } from '../../core/context.ts'
import { emit } from '../../core/events/emit.ts'
import { toSimpleCampaign } from '../../incentives/campaigns/campaign.ts'
import { refuseProtected } from '../../incentives/campaigns/store.ts'
import { deleteAssignmentsOf } from '../../rules/validation-rules/unassign.ts'
import { removeEarningRuleFromTiers } from '../tiers/remove-rule.ts'
import { toEarningRule } from './earning-rule.ts'
import { deleteEarningRule } from './store.ts'
import type { RuleInProgram } from './update.ts'

/** Deletes a rule, its validation rule assignment and its mappings in tiers. Points that it has paid stay. */
export async function removeEarningRule(ctx: Ctx, { campaign, rule }: RuleInProgram): Promise<void> {
  refuseProtected(campaign)
  await deleteAssignmentsOf(ctx, 'earning_rule', [rule.id])
  await removeEarningRuleFromTiers(ctx, campaign, rule.id)
  await deleteEarningRule(ctx, rule.id)
  await emit(ctx, 'campaign.earning_rule.deleted', campaign.id, {
    campaign: toSimpleCampaign(campaign),
    earning_rule: toEarningRule(rule, rule.validation_rule_id),
  })
}
