import type { Configuration } from '../../core/configuration/configuration.ts'
import type { MetadataRequirements } from './check.ts'
import type { DescribedObject, NamedDefinition } from './definition.ts'
import { type MetadataRules, metadataRules } from './rules.ts'

/** A configuration that did not change the schemas has the same map of them as the one before, and so the same rules. */
const rulesBySchemas = new WeakMap<Configuration['metadata_schemas'], Map<DescribedObject, MetadataRules>>()

/** What the project demands of the metadata of one kind of object. */
export function metadataRulesOf({ metadata_schemas }: Configuration, object: DescribedObject): MetadataRules {
  const known = rulesBySchemas.get(metadata_schemas) ?? new Map<DescribedObject, MetadataRules>()
  rulesBySchemas.set(metadata_schemas, known)
  let rules = known.get(object)
  if (rules === undefined) {
    const schemas = new Map<string, MetadataRequirements>(
      [...metadata_schemas.values()].map(({ related_object, properties, allow_defined_only }) => [
        related_object,
        { definitions: properties as NamedDefinition[], allow_defined_only },
      ]),
    )
    rules = metadataRules(schemas, object)
    known.set(object, rules)
  }
  return rules
}
