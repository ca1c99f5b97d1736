import type { Configuration } from '../../core/configuration/configuration.ts'
import { active } from '../../definitions/metadata-schemas/check.ts'
import type { NamedDefinition } from '../../definitions/metadata-schemas/definition.ts'
import type { SegmentDefinitions } from './definitions.ts'

const definitionsByConfiguration = new WeakMap<Configuration, SegmentDefinitions>()

/** The dynamic segments of a configuration, with the metadata types and locations that their filters use. */
export function configuredDefinitions(configuration: Configuration): SegmentDefinitions {
  let definitions = definitionsByConfiguration.get(configuration)
  if (definitions === undefined) {
    const { segments, metadata_schemas, locations } = configuration
    const schema = [...metadata_schemas.values()].find(({ related_object }) => related_object === 'customer')
    const keys = active((schema?.properties ?? []) as NamedDefinition[])
    const customer = Object.fromEntries(keys.map(({ name, type }) => [name, type]))
    definitions = { segments, catalogue: { metadata_types: { customer }, locations } }
    definitionsByConfiguration.set(configuration, definitions)
  }
  return definitions
}
