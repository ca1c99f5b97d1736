import type { Ctx } from '../../core/context.ts'
import { emit } from '../../core/events/emit.ts'
import { defineRule } from './define.ts'
import { defaults } from './definition.ts'
import type { StoredValidationRule, ValidationRuleBody } from './schema.ts'
import { insertRule } from './store.ts'

export async function createRule(ctx: Ctx, body: ValidationRuleBody): Promise<StoredValidationRule> {
  const { bundle_rules, ...definition } = await defineRule(ctx, body)
  const rule = await insertRule(ctx, {
    ...defaults,
    ...definition,
    bundle_rules: body.bundle_rules === null ? null : (bundle_rules ?? null), // null removes bundle rules, which a new rule does not have
  })
  await emit(ctx, 'business_validation_rule.created', rule.id, { rule, created_at: rule.created_at })
  return rule
}
