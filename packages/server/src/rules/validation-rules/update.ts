import type { Ctx } from '../../core/context.ts'
import { emit } from '../../core/events/emit.ts'
import { defineRule } from './define.ts'
import type { StoredValidationRule, ValidationRuleBody } from './schema.ts'
import { updateRule } from './store.ts'

/** Replaces each property that is sent as a whole, with immediate effect on all objects the rule is assigned to. */
export async function changeRule(ctx: Ctx, id: string, body: ValidationRuleBody): Promise<StoredValidationRule> {
  const rule = await updateRule(ctx, id, await defineRule(ctx, body))
  await emit(ctx, 'business_validation_rule.updated', rule.id, { rule, updated_at: ctx.now })
  return rule
}
