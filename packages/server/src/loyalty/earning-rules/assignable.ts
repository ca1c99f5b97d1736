import type { Assignable } from '../../rules/validation-rules/assignable.ts'
import { toSimpleEarningRule } from './earning-rule.ts'
import { findEarningRule, listEarningRulesById } from './store.ts'

export const assignableEarningRule: Assignable<'earning_rule'> = {
  async find(ctx, id) {
    const rule = await findEarningRule(ctx, id, { lock: 'keyShare' })
    return rule && toSimpleEarningRule(rule, rule.validation_rule_id)
  },
  async list(ctx, ids) {
    const rules = await listEarningRulesById(ctx, ids)
    return rules.map((rule) => toSimpleEarningRule(rule, rule.validation_rule_id))
  },
}
