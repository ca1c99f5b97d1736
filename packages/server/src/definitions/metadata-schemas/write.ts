import type { Ctx } from '../../core/context.ts'
import { invalidPayload } from '../../core/http/errors.ts'
import { limits } from '../../core/lib/limits.ts'
import {
  anyObject,
  mergedDefinitions,
  type NamedDefinition,
  readDefinition,
  type SentDefinition,
  whyNotDefinition,
} from './definition.ts'
import {
  countMetadataSchemas,
  deleteMetadataSchema,
  insertMetadataSchema,
  type StoredSchema,
  updateMetadataSchema,
} from './store.ts'

interface SentSchema {
  properties: Readonly<Record<string, SentDefinition>>
  allow_defined_only?: boolean | null
}

export async function createMetadataSchema(
  ctx: Ctx,
  { related_object, properties, allow_defined_only }: SentSchema & { related_object: string },
): Promise<StoredSchema> {
  if (related_object === anyObject)
    throw invalidPayload(`Property .related_object must NOT be ${anyObject}, which stands for any object`)
  const definitions = readDefinitions(properties, related_object)
  refuseTooMany(definitions)
  const schema = await insertMetadataSchema(ctx, {
    related_object,
    definitions,
    allow_defined_only: allow_defined_only ?? null,
  })
  // The insert has locked the project by taking its version, so no concurrent creation can exceed the limit.
  if ((await countMetadataSchemas(ctx)) > limits.schemas_max)
    throw invalidPayload(`Project must NOT have more than ${limits.schemas_max} metadata schemas`)
  await ctx.reactions.metadataSchemaChanged(ctx, related_object)
  return schema
}

/** Adds and replaces definitions; definitions that are not sent are kept (docs/reference/metadata-schemas.md#endpoints). */
export async function changeMetadataSchema(
  ctx: Ctx,
  id: string,
  { properties, allow_defined_only }: SentSchema,
): Promise<StoredSchema> {
  const updated = await updateMetadataSchema(ctx, id, (schema) => {
    const definitions = mergedDefinitions(schema.definitions, readDefinitions(properties, schema.related_object))
    if (typeof definitions === 'string') throw invalidPayload(definitions)
    refuseTooMany(definitions)
    return { definitions, allow_defined_only: allow_defined_only ?? schema.allow_defined_only }
  })
  await ctx.reactions.metadataSchemaChanged(ctx, updated.related_object)
  return updated
}

/** Deletes a schema. Metadata stored on objects is kept, but no longer checked. */
export async function removeMetadataSchema(ctx: Ctx, { id, related_object }: StoredSchema): Promise<void> {
  await deleteMetadataSchema(ctx, id)
  await ctx.reactions.metadataSchemaChanged(ctx, related_object)
}

export function readDefinitions(properties: SentSchema['properties'], relatedObject: string): NamedDefinition[] {
  return Object.entries(properties).map(([name, sent]) => {
    const definition = readDefinition(name, sent)
    const reason = whyNotDefinition(definition, relatedObject)
    if (reason !== null) throw invalidPayload(reason)
    return definition
  })
}

function refuseTooMany(definitions: readonly NamedDefinition[]): void {
  if (definitions.length > limits.metadata_definitions_max)
    throw invalidPayload(`Property .properties must NOT have more than ${limits.metadata_definitions_max} definitions`)
}
