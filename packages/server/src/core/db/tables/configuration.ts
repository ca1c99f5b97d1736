import type { Id } from '../../lib/ids.ts'
import type { Instant } from '../../lib/instant.ts'
import type { Json, NullableJson } from './columns.ts'

/** Configuration of a project: changes rarely, read by every checkout from the cache. */
export interface ConfigurationTables {
  categories: CategoryRow
  stacking_rules: StackingRulesRow
  configuration_deletions: { project_id: string; config_version: number; object_type: string; object_id: string }
  metadata_schemas: MetadataSchemaRow
  custom_event_schemas: CustomEventSchemaRow
  validation_rules: ValidationRuleRow
  rule_assignments: RuleAssignmentRow
  locations: LocationRow
}

export interface CategoryRow {
  project_id: string
  id: Id<'category'>
  name: string
  hierarchy: number
  created_at: Instant
  updated_at: Instant | null
  config_version: number
}

export interface StackingRulesRow {
  project_id: string
  id: Id<'stacking_rules'>
  rules: Json
  created_at: Instant
  updated_at: Instant | null
  config_version: number
}

export interface MetadataSchemaRow {
  project_id: string
  id: Id<'metadata_schema'>
  related_object: string
  properties: Json
  allow_defined_only: boolean | null
  created_at: Instant
  updated_at: Instant | null
  config_version: number
}

export interface CustomEventSchemaRow {
  project_id: string
  id: Id<'metadata_schema'>
  name: string
  schema: Json
  created_at: Instant
  updated_at: Instant | null
  config_version: number
}

export interface ValidationRuleRow {
  project_id: string
  id: Id<'validation_rule'>
  name: string
  type: string
  context_type: string
  rules: Json
  bundle_rules: NullableJson<object>
  applicable_to: Json
  error: NullableJson<{ message: string }>
  created_at: Instant
  updated_at: Instant | null
  config_version: number
}

export interface RuleAssignmentRow {
  project_id: string
  id: Id<'rule_assignment'>
  rule_id: Id<'validation_rule'>
  related_object_type: string
  related_object_id: string
  created_at: Instant
  updated_at: Instant | null
  config_version: number
}

export interface LocationRow {
  project_id: string
  id: Id<'location'>
  name: string
  shape: Json
  created_at: Instant
  updated_at: Instant | null
  config_version: number
}
