import type { Ctx } from '../../core/context.ts'
import { nextConfigurationVersion } from '../../core/db/configuration.ts'
import { emit } from '../../core/events/emit.ts'
import { ApiError, invalidPayload, notFound } from '../../core/http/errors.ts'
import { relatedObjectMembers } from './assignable.ts'
import { type AssignmentKey, getAssignment, insertAssignment } from './assignment-store.ts'
import type {
  RelatedObjectType,
  StoredValidationRule,
  ValidationRuleAssignment,
  ValidationRuleAssignmentBody,
} from './schema.ts'
import { getRule } from './store.ts'
import { unassign } from './unassign.ts'

/**
 * Assigns a rule to an object, which can have any number of rules, but each only once
 * (docs/reference/rule-assignments.md#endpoints).
 */
export async function assignRule(
  ctx: Ctx,
  rule: StoredValidationRule,
  body: ValidationRuleAssignmentBody,
  { force, place = 0 }: { force: boolean; place?: number },
): Promise<ValidationRuleAssignment> {
  const { type, reference } = referenceIn(body)
  const object = await ctx.assignables[type]?.find(ctx, reference)
  if (object === undefined) throw notFound(type, reference)

  // Lock the configuration before reading: of two concurrent requests with `force`, the second must see the assignment of
  // the first.
  const configVersion = await nextConfigurationVersion(ctx.db, ctx.project_id)
  const where = { rule_id: rule.id, related_object_type: type }
  if (force) await unassign(ctx, { ...where, related_object_ids: [object.id] })
  const assignment = await insertAssignment(ctx, {
    ...where,
    related_object_id: object.id,
    config_version: configVersion,
    place,
  })
  if (assignment === undefined)
    throw await duplicateAssignment(ctx, { ...where, related_object_id: object.id }, reference)

  await emit(ctx, 'business_validation_rule.assignment.created', rule.id, {
    rule: await getRule(ctx, rule.id), // reloaded for the new number of assignments
    assignment,
    ...relatedObjectMembers(type, object),
  })
  return assignment
}

/** Names the assignment that exists, by its id. */
async function duplicateAssignment(ctx: Ctx, where: AssignmentKey, reference: string): Promise<ApiError> {
  const type = 'validation_rules_assignment'
  const { id } = await getAssignment(ctx, where)
  return new ApiError('duplicate_found', {
    details: `Duplicated ${type} exists with related_object_id ${reference}`,
    resource_id: id,
    resource_type: type,
  })
}

/** Loads the rules in a body and locks them against deletion until they are assigned; 404 for an unknown id. */
export async function rulesNamed(ctx: Ctx, ids: readonly string[]): Promise<StoredValidationRule[]> {
  const rules: StoredValidationRule[] = []
  for (const id of [...new Set(ids)].sort()) rules.push(await getRule(ctx, id, { lock: 'key share' }))
  return ids.flatMap((id, index) => (ids.indexOf(id) === index ? rules.filter((rule) => rule.id === id) : []))
}

/** Assigns rules to a newly created object, in the given order. */
export async function assignRules(
  ctx: Ctx,
  rules: readonly StoredValidationRule[],
  relatedObjectType: RelatedObjectType,
  relatedObjectId: string,
): Promise<void> {
  for (const [place, rule] of rules.entries())
    await assignRule(
      ctx,
      rule,
      { related_object_type: relatedObjectType, related_object_id: relatedObjectId },
      { force: false, place },
    )
}

interface ObjectReference {
  type: RelatedObjectType
  reference: string
}

/** The object that a body references; older clients use a property per type. */
function referenceIn(body: ValidationRuleAssignmentBody): ObjectReference {
  if (body.related_object_id != null)
    return { type: body.related_object_type ?? 'voucher', reference: body.related_object_id }
  for (const type of ['voucher', 'campaign', 'promotion_tier'] as const) {
    const reference = body[type]
    if (reference != null) return { type, reference }
  }
  throw invalidPayload("Payload should have required property 'related_object_id'")
}
