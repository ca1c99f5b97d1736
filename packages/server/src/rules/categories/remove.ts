import type { Ctx } from '../../core/context.ts'
import { inUse } from '../../core/http/errors.ts'
import { referencesCategory, withoutCategory } from '../stacking-rules/rules.ts'
import { findStackingRules, updateStackingRules } from '../stacking-rules/store.ts'
import { deleteCategory } from './store.ts'

/** Deletes a category. Stacking rules that reference it block the deletion, unless the request removes it from them. */
export async function removeCategory(ctx: Ctx, id: string, removeFromStackingRules: boolean): Promise<void> {
  const rules = await findStackingRules(ctx, { lock: true })
  if (rules !== undefined && referencesCategory(rules, id)) {
    if (!removeFromStackingRules) throw inUse('category', id, { type: 'stacking_rules', ids: [rules.id] })
    await updateStackingRules(ctx, withoutCategory(rules, id))
  }
  await deleteCategory(ctx, id)
}
