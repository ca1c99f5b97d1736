import type { Ctx } from '../context.ts'
import { ApiError } from '../http/errors.ts'
import { namesCategory, withoutCategory } from '../stacking-rules/rules.ts'
import { findStackingRules, updateStackingRules } from '../stacking-rules/store.ts'
import { deleteCategory } from './store.ts'

/** Deletes a category. Stacking rules that name it block the deletion, or let go of it when told to. */
export async function removeCategory(ctx: Ctx, id: string, remove_from_stacking_rules: boolean): Promise<void> {
  const rules = await findStackingRules(ctx, { lock: true })
  if (rules !== undefined && namesCategory(rules, id)) {
    if (!remove_from_stacking_rules) throw inUse(id, rules.id)
    await updateStackingRules(ctx, withoutCategory(rules, id))
  }
  await deleteCategory(ctx, id)
}

function inUse(id: string, rules_id: string): ApiError {
  return new ApiError('resource_in_use', {
    details: `Resource category with id ${id} is in use by stacking_rules with ids [${rules_id}]`,
    resource_id: id,
    resource_type: 'category',
    related_object_ids: [rules_id],
    related_object_type: 'stacking_rules',
    related_object_total: 1,
  })
}
