import type { ConfiguredAssignment } from '../../core/configuration/configuration.ts'
import type { ValidationRuleAssignment } from './schema.ts'

/** An assignment as the API shows it (docs/reference/rule-assignments.md#the-assignment-object). */
export function toAssignment(row: ConfiguredAssignment): ValidationRuleAssignment {
  const { id, rule_id, related_object_id, related_object_type, created_at } = row
  return {
    id,
    rule_id,
    related_object_id,
    related_object_type: related_object_type as ValidationRuleAssignment['related_object_type'],
    created_at,
    object: 'validation_rules_assignment',
  }
}
