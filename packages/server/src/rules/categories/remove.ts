import type { Ctx } from '../../core/context.ts'
import { inUse } from '../../core/http/errors.ts'
import { namesCategory, withoutCategory } from '../stacking-rules/rules.ts'
import { findStackingRules, updateStackingRules } from '../stacking-rules/store.ts'
import { deleteCategory } from './store.ts'

/** Deletes a category. Stacking rules that name it block the deletion, or let go of it when told to. */
export async function removeCategory(ctx: Ctx, id: string, removeFromStackingRules: boolean): Promise<void> {
  const rules = await findStackingRules(ctx, { lock: true })
  if (rules !== undefined && namesCategory(rules, id)) {
    if (!removeFromStackingRules) throw inUse('category', id, { type: 'stacking_rules', ids: [rules.id] })
    await updateStackingRules(ctx, withoutCategory(rules, id))
  }
  await deleteCategory(ctx, id)
}
