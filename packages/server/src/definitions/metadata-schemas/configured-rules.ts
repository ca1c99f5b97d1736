import type { Configuration } from '../../core/configuration/configuration.ts'
import type { MetadataRequirements } from './check.ts'
import type { DescribedObject, NamedDefinition } from './definition.ts'
import { type MetadataRules, metadataRules } from './rules.ts'

/** Cached by the map of schemas: a new configuration with unchanged schemas shares that map, and so the compiled rules. */
const rulesBySchemas = new WeakMap<Configuration['metadata_schemas'], Map<DescribedObject, MetadataRules>>()

/** The metadata rules for one kind of object, from the cached configuration. */
export function metadataRulesOf({ metadata_schemas }: Configuration, object: DescribedObject): MetadataRules {
  const rulesByObject = rulesBySchemas.get(metadata_schemas) ?? new Map<DescribedObject, MetadataRules>()
  rulesBySchemas.set(metadata_schemas, rulesByObject)
  let rules = rulesByObject.get(object)
  if (rules === undefined) {
    const schemas = new Map<string, MetadataRequirements>(
      [...metadata_schemas.values()].map(({ related_object, properties, allow_defined_only }) => [
        related_object,
        { definitions: properties as NamedDefinition[], allow_defined_only },
      ]),
    )
    rules = metadataRules(schemas, object)
    rulesByObject.set(object, rules)
  }
  return rules
}
