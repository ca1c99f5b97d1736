import type { Ctx } from '../../core/context.ts'
import { emit } from '../../core/events/emit.ts'
import type { StoredValidationRule } from './schema.ts'
import { deleteRule } from './store.ts'
import { unassign } from './unassign.ts'

/**
 * Deletes a rule and its assignments: the objects it was assigned to are no longer restricted by it
 * (docs/reference/rules.md#endpoints).
 */
export async function removeRule(ctx: Ctx, rule: StoredValidationRule): Promise<void> {
  await unassign(ctx, { rule_id: rule.id })
  await deleteRule(ctx, rule.id)
  await emit(ctx, 'business_validation_rule.deleted', rule.id, {
    rule: { ...rule, assignments_count: 0 },
    deleted_at: ctx.now,
  })
}
