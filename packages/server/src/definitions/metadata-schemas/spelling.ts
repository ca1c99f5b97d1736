import type { NamedDefinition, SentDefinition } from './definition.ts'
import type { ManagedMetadataSchema, MetadataSchema } from './schema.ts'

/** Field names in snake_case (management API) and camelCase (`/v1`) (docs/reference/metadata-schemas.md#the-schema-object). */
const spellings = {
  object_type: 'objectType',
  min_length: 'minLength',
  max_length: 'maxLength',
  exact_length: 'exactLength',
} as const
const spellingPairs = Object.entries(spellings) as Array<
  [snake: keyof typeof spellings, camel: (typeof spellings)[keyof typeof spellings]]
>

type EitherSpelling = SentDefinition & { [K in (typeof spellings)[keyof typeof spellings]]?: unknown }

/** Converts a definition in either spelling to snake_case. */
export function toSnake(sent: EitherSpelling): SentDefinition {
  const definition: Record<string, unknown> = { ...sent }
  for (const [snake, camel] of spellingPairs) {
    definition[snake] = sent[snake] ?? sent[camel]
    delete definition[camel]
  }
  return definition as SentDefinition
}

/** The properties of a stored schema in snake_case, for the management API. */
export const managedProperties = (definitions: readonly NamedDefinition[]): ManagedMetadataSchema['properties'] =>
  Object.fromEntries(definitions.map(({ name, ...definition }) => [name, definition]))

/** The same in camelCase, for `/v1`. */
export const publicProperties = (definitions: readonly NamedDefinition[]): MetadataSchema['properties'] =>
  Object.fromEntries(
    definitions.map(({ name, object_type, min_length, max_length, exact_length, ...definition }) => [
      name,
      {
        ...definition,
        objectType: object_type,
        ...(min_length === undefined ? {} : { minLength: min_length }),
        ...(max_length === undefined ? {} : { maxLength: max_length }),
        ...(exact_length === undefined ? {} : { exactLength: exact_length }),
      },
    ]),
  )
