import type { Ctx } from '../../core/context.ts'
import { assignRules } from '../../rules/validation-rules/assign.ts'
import { listAssignmentsOf } from '../../rules/validation-rules/assignment-store.ts'
import type { StoredValidationRule } from '../../rules/validation-rules/schema.ts'
import { getRule } from '../../rules/validation-rules/store.ts'
import { unassign } from '../../rules/validation-rules/unassign.ts'
import type { PromotionTierBody } from './schema.ts'

type RulesInBody = Pick<PromotionTierBody, 'validation_rules' | 'validation_rule_assignments'>

/** The distinct rule ids in a body; undefined if it has none (docs/reference/promotions.md#promotion-tier-endpoints). */
export function ruleIdsIn({ validation_rules, validation_rule_assignments }: RulesInBody): string[] | undefined {
  const ids = validation_rules ?? validation_rule_assignments?.data?.map(({ rule_id }) => rule_id)
  return ids && [...new Set(ids)]
}

/**
 * Loads rules by id and locks them against deletion until they are assigned; 404 for an unknown id. As everywhere, rules
 * are locked before the configuration.
 */
export async function getRules(ctx: Ctx, ids: readonly string[]): Promise<Map<string, StoredValidationRule>> {
  const rules = new Map<string, StoredValidationRule>()
  for (const id of ids) if (!rules.has(id)) rules.set(id, await getRule(ctx, id, { lock: 'key share' }))
  return rules
}

export const assignToTier = (ctx: Ctx, tierId: string, rules: readonly StoredValidationRule[]): Promise<void> =>
  assignRules(ctx, rules, 'promotion_tier', tierId)

/** Replaces the rules of a tier; assignments of rules that stay are not touched. */
export async function replaceRules(
  ctx: Ctx,
  tierId: string,
  rules: ReadonlyMap<string, StoredValidationRule>,
): Promise<void> {
  const assigned = new Set((await listAssignmentsOf(ctx, 'promotion_tier', [tierId])).map(({ rule_id }) => rule_id))
  for (const ruleId of assigned)
    if (!rules.has(ruleId))
      await unassign(ctx, { rule_id: ruleId, related_object_type: 'promotion_tier', related_object_ids: [tierId] })
  const added = [...rules.values()].filter(({ id }) => !assigned.has(id))
  await assignToTier(ctx, tierId, added)
}
