import type { Ctx } from '../context.ts'
import { nextConfigurationVersion } from '../db/configuration.ts'
import { emit } from '../events/emit.ts'
import { duplicate, invalidPayload, notFound } from '../http/errors.ts'
import { insertAssignment } from './assignment-store.ts'
import { carriedIn, type RelatedObjects } from './related-objects.ts'
import type {
  RelatedObjectType,
  StoredValidationRule,
  ValidationRuleAssignment,
  ValidationRuleAssignmentBody,
} from './schema.ts'
import { getRule } from './store.ts'
import { unassign } from './unassign.ts'

/** Assigns a rule to an object, which holds any number of different rules but each of them once (spec 04, 2.13). */
export async function assignRule(
  ctx: Ctx,
  rule: StoredValidationRule,
  body: ValidationRuleAssignmentBody,
  { force, related }: { force: boolean; related: RelatedObjects },
): Promise<ValidationRuleAssignment> {
  const { type, reference } = namedIn(body)
  const object = await related[type]?.find(ctx, reference)
  if (object === undefined) throw notFound(type, reference)

  // Before anything is looked for: of two that force at once, the second must see the assignment of the first.
  const config_version = await nextConfigurationVersion(ctx.db, ctx.project_id)
  const place = { rule_id: rule.id, related_object_type: type }
  if (force) await unassign(ctx, { ...place, related_object_ids: [object.id] }, related)
  const assignment = await insertAssignment(ctx, { ...place, related_object_id: object.id, config_version })
  if (assignment === undefined) throw duplicate('validation_rules_assignment', 'related_object_id', reference)

  await emit(ctx, 'business_validation_rule.assignment.created', rule.id, {
    rule: await getRule(ctx, rule.id), // with the new number of assignments
    assignment,
    ...carriedIn(type, object),
  })
  return assignment
}

interface Named {
  type: RelatedObjectType
  reference: string
}

/** What a body names; older clients name a voucher, campaign or tier by a property of its own. */
function namedIn(body: ValidationRuleAssignmentBody): Named {
  if (body.related_object_id != null)
    return { type: body.related_object_type ?? 'voucher', reference: body.related_object_id }
  for (const type of ['voucher', 'campaign', 'promotion_tier'] as const) {
    const reference = body[type]
    if (reference != null) return { type, reference }
  }
  throw invalidPayload("Payload should have required property 'related_object_id'")
}
