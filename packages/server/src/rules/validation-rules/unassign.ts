import type { Ctx } from '../../core/context.ts'
import { emitMany, type NewEvent } from '../../core/events/emit.ts'
import { notFound } from '../../core/http/errors.ts'
import { limits } from '../../core/lib/limits.ts'
import { relatedObjectMembers } from './assignable.ts'
import { type AssignmentsWhere, deleteAssignments } from './assignment-store.ts'
import type { RelatedObjectType, StoredValidationRule, ValidationRuleAssignment } from './schema.ts'
import { listRulesById } from './store.ts'

/** Deletes one assignment of a rule. */
export async function unassignRule(ctx: Ctx, rule: StoredValidationRule, id: string): Promise<void> {
  const count = await unassign(ctx, { id, rule_id: rule.id })
  if (count === 0) throw notFound('validation_rules_assignment', id)
}

/**
 * Deletes all assignments of objects that are about to be deleted. Called while the objects still exist, so that the
 * events can contain them.
 */
export async function deleteAssignmentsOf(ctx: Ctx, type: RelatedObjectType, ids: readonly string[]): Promise<void> {
  await unassign(ctx, { related_object_type: type, related_object_ids: ids })
}

/** Deletes assignments in batches and emits an event for each; returns their number. */
export async function unassign(ctx: Ctx, where: AssignmentsWhere): Promise<number> {
  for (let count = 0; ; ) {
    const { deleted, has_more } = await deleteAssignments(ctx, where, limits.unassigned_at_once_max)
    await emitUnassigned(ctx, deleted)
    count += deleted.length
    if (!has_more) return count
  }
}

async function emitUnassigned(ctx: Ctx, deleted: ValidationRuleAssignment[]): Promise<void> {
  const rules = byId(await listRulesById(ctx, [...new Set(deleted.map(({ rule_id }) => rule_id))]))
  const forms = await formsOf(ctx, deleted)
  const events = deleted.map((assignment): NewEvent => {
    const { rule_id, related_object_type, related_object_id } = assignment
    return {
      type: 'business_validation_rule.assignment.deleted',
      entity_id: rule_id,
      data: {
        rule: rules.get(rule_id) as StoredValidationRule,
        assignment,
        ...relatedObjectMembers(related_object_type, forms.get(related_object_type)?.get(related_object_id)),
      },
    }
  })
  await emitMany(ctx, events)
}

/** The short forms of the assigned objects, by type and id. */
async function formsOf(
  ctx: Ctx,
  assignments: ValidationRuleAssignment[],
): Promise<Map<RelatedObjectType, Map<string, { id: string }>>> {
  const forms = new Map<RelatedObjectType, Map<string, { id: string }>>()
  for (const [type, ofType] of Map.groupBy(assignments, ({ related_object_type }) => related_object_type)) {
    const ids = [...new Set(ofType.map(({ related_object_id }) => related_object_id))]
    forms.set(type, byId((await ctx.assignables[type]?.list(ctx, ids)) ?? []))
  }
  return forms
}

const byId = <T extends { id: string }>(items: T[]): Map<string, T> => new Map(items.map((item) => [item.id, item]))
