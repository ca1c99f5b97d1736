import { compileCheck } from '../metadata-schemas/check.ts'
import { readDefinition } from '../metadata-schemas/definition.ts'
import { refuseUnlessStorable, throwIfFaults } from '../metadata-schemas/rules.ts'
import type { CustomEventSchema } from './schema.ts'

/**
 * Throws `metadata_validation_failed` unless the metadata of an event is valid: properties in its schema are checked like other
 * metadata (docs/reference/metadata-schemas.md#checking-values), all others are accepted. An event is always new, so required
 * properties must be present.
 */
export function checkCustomEventMetadata(
  { schema: { properties } }: Pick<CustomEventSchema, 'schema'>,
  metadata: Record<string, unknown>,
): void {
  refuseUnlessStorable(metadata)
  const definitions = Object.entries(properties).map(([name, property]) => readDefinition(name, property))
  throwIfFaults(compileCheck({ definitions, allow_defined_only: false })(metadata, { isNew: true }))
}
