import { compileCheck } from '../metadata-schemas/check.ts'
import { readDefinition } from '../metadata-schemas/definition.ts'
import { refuseFaults, refuseUnlessStorable } from '../metadata-schemas/rules.ts'
import type { CustomEventSchema } from './schema.ts'

/**
 * Throws `metadata_validation_failed` unless an event may carry this metadata: what its schema declares is checked as
 * other metadata is (docs/reference/metadata-schemas.md#checking-values), and what it does not declare is accepted. An event is
 * always new.
 */
export function checkCustomEventMetadata(
  { schema: { properties } }: Pick<CustomEventSchema, 'schema'>,
  metadata: Record<string, unknown>,
): void {
  refuseUnlessStorable(metadata)
  const definitions = Object.entries(properties).map(([name, property]) => readDefinition(name, property))
  refuseFaults(compileCheck({ definitions, allow_defined_only: false })(metadata, { isNew: true }))
}
