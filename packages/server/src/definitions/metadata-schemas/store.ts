import { type Selectable, sql } from 'kysely'
import type { Ctx } from '../../core/context.ts'
import { nextConfigurationVersion } from '../../core/db/configuration.ts'
import type { MetadataSchemaRow } from '../../core/db/tables.ts'
import { notFound } from '../../core/http/errors.ts'
import { newId } from '../../core/lib/ids.ts'
import type { Instant } from '../../core/lib/instant.ts'
import { countRows, deleteRow, findRow, getRow, insertRow, listRows, updateRow } from '../../core/rows.ts'
import type { MetadataRequirements } from './check.ts'
import type { NamedDefinition } from './definition.ts'

const schemas = {
  table: 'metadata_schemas',
  type: 'metadata schema',
  configuration_type: 'metadata_schema',
  unique: 'related_object',
} as const

/** A stored metadata schema; its definitions are in snake_case, as in the management API. */
export interface StoredSchema extends MetadataRequirements {
  id: MetadataSchemaRow['id']
  related_object: string
  created_at: Instant
  updated_at: Instant | null
}

export const getMetadataSchema = async (ctx: Ctx, id: string): Promise<StoredSchema> =>
  toStored(await getRow(ctx, schemas, id))

/** A schema by its id, or else by the object it describes. */
export async function getMetadataSchemaOf(ctx: Ctx, resource: string): Promise<StoredSchema> {
  const row =
    (await findRow(ctx, schemas, { id: resource })) ?? (await findRow(ctx, schemas, { related_object: resource }))
  if (row === undefined) throw notFound(schemas.type, resource)
  return toStored(row)
}

/** All schemas, oldest first. */
export const listMetadataSchemas = async (ctx: Ctx): Promise<StoredSchema[]> =>
  (await listRows(ctx, schemas)).map(toStored)

/** The requirements of the schema of an object and of the nested schemas it refers to, by name. */
export async function listRequirementsFor(
  { db, project_id }: Ctx,
  object: string,
): Promise<Map<string, MetadataRequirements>> {
  const nestedNames = sql<string>`(
    select definition ->> 'object_type' from metadata_schemas as outermost, jsonb_array_elements(outermost.properties) as definition
    where outermost.project_id = ${project_id} and outermost.related_object = ${object})`
  const rows = await db
    .selectFrom('metadata_schemas')
    .where('project_id', '=', project_id)
    .where((eb) => eb.or([eb('related_object', '=', object), eb('related_object', 'in', nestedNames)]))
    .select(['related_object', 'properties', 'allow_defined_only'])
    .execute()
  return new Map(
    rows.map(({ related_object, properties, allow_defined_only }) => [
      related_object,
      { definitions: properties as NamedDefinition[], allow_defined_only },
    ]),
  )
}

/** The definitions for an object, in the order of their creation. */
export async function listDefinitions(ctx: Ctx, object: string): Promise<NamedDefinition[]> {
  const row = await findRow(ctx, schemas, { related_object: object })
  return (row?.properties ?? []) as NamedDefinition[]
}

export const countMetadataSchemas = (ctx: Ctx): Promise<number> => countRows(ctx, schemas)

export async function insertMetadataSchema(
  ctx: Ctx,
  { related_object, definitions, allow_defined_only }: MetadataRequirements & { related_object: string },
): Promise<StoredSchema> {
  const row = await insertRow(ctx, schemas, {
    id: newId('metadata_schema', Date.parse(ctx.now)),
    related_object,
    properties: JSON.stringify(definitions),
    allow_defined_only,
  })
  return toStored(row)
}

/** Applies `change` to a schema. Taking the project's version locks the project, so concurrent updates run one after another. */
export async function updateMetadataSchema(
  ctx: Ctx,
  id: string,
  change: (schema: StoredSchema) => MetadataRequirements,
): Promise<StoredSchema> {
  const configVersion = await nextConfigurationVersion(ctx.db, ctx.project_id)
  const { definitions, allow_defined_only } = change(await getMetadataSchema(ctx, id))
  const row = await updateRow(ctx, schemas, id, {
    properties: JSON.stringify(definitions),
    allow_defined_only,
    config_version: configVersion,
  })
  return toStored(row)
}

export const deleteMetadataSchema = (ctx: Ctx, id: string): Promise<void> => deleteRow(ctx, schemas, id)

function toStored(row: Selectable<MetadataSchemaRow>): StoredSchema {
  const { id, related_object, properties, allow_defined_only, created_at, updated_at } = row
  return {
    id,
    related_object,
    definitions: properties as NamedDefinition[],
    allow_defined_only,
    created_at,
    updated_at,
  }
}
