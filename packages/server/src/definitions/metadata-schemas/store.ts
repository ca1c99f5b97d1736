import { type Selectable, sql } from 'kysely'
import type { Ctx } from '../../core/context.ts'
import { nextConfigurationVersion, recordDeletion } from '../../core/db/configuration.ts'
import type { MetadataSchemaRow } from '../../core/db/tables.ts'
import { duplicate, notFound } from '../../core/http/errors.ts'
import { newId } from '../../core/lib/ids.ts'
import type { Instant } from '../../core/lib/instant.ts'
import type { MetadataRequirements } from './check.ts'
import type { NamedDefinition } from './definition.ts'

/** A stored metadata schema; its definitions are in snake_case, as in the management API. */
export interface StoredSchema extends MetadataRequirements {
  id: MetadataSchemaRow['id']
  related_object: string
  created_at: Instant
  updated_at: Instant | null
}

export async function getMetadataSchema(ctx: Ctx, id: string): Promise<StoredSchema> {
  const schema = await findMetadataSchema(ctx, 'id', id)
  if (schema === undefined) throw notFound('metadata schema', id)
  return schema
}

/** A schema by its id, or else by the object it describes. */
export async function getMetadataSchemaOf(ctx: Ctx, resource: string): Promise<StoredSchema> {
  const schema =
    (await findMetadataSchema(ctx, 'id', resource)) ?? (await findMetadataSchema(ctx, 'related_object', resource))
  if (schema === undefined) throw notFound('metadata schema', resource)
  return schema
}

async function findMetadataSchema(
  { db, project_id }: Ctx,
  column: 'id' | 'related_object',
  value: string,
): Promise<StoredSchema | undefined> {
  const row = await db
    .selectFrom('metadata_schemas')
    .where('project_id', '=', project_id)
    .where(column, '=', value as MetadataSchemaRow['id'])
    .selectAll()
    .executeTakeFirst()
  return row === undefined ? undefined : toStored(row)
}

/** All schemas, oldest first. */
export async function listMetadataSchemas({ db, project_id }: Ctx): Promise<StoredSchema[]> {
  const rows = await db
    .selectFrom('metadata_schemas')
    .where('project_id', '=', project_id)
    .orderBy('created_at')
    .orderBy('id')
    .selectAll()
    .execute()
  return rows.map(toStored)
}

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
export async function listDefinitions({ db, project_id }: Ctx, object: string): Promise<NamedDefinition[]> {
  const row = await db
    .selectFrom('metadata_schemas')
    .where('project_id', '=', project_id)
    .where('related_object', '=', object)
    .select('properties')
    .executeTakeFirst()
  return (row?.properties ?? []) as NamedDefinition[]
}

export async function countMetadataSchemas({ db, project_id }: Ctx): Promise<number> {
  const { count } = await db
    .selectFrom('metadata_schemas')
    .where('project_id', '=', project_id)
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return count
}

export async function insertMetadataSchema(
  { db, project_id, now }: Ctx,
  { related_object, definitions, allow_defined_only }: MetadataRequirements & { related_object: string },
): Promise<StoredSchema> {
  const configVersion = await nextConfigurationVersion(db, project_id)
  const row = await db
    .insertInto('metadata_schemas')
    .values({
      project_id,
      id: newId('metadata_schema', Date.parse(now)),
      related_object,
      properties: JSON.stringify(definitions),
      allow_defined_only,
      created_at: now,
      updated_at: null,
      config_version: configVersion,
    })
    .onConflict((conflict) => conflict.columns(['project_id', 'related_object']).doNothing())
    .returningAll()
    .executeTakeFirst()
  if (row === undefined) throw duplicate('metadata schema', 'related_object', related_object)
  return toStored(row)
}

/** Applies `change` to a schema. Taking the project's version locks the project, so concurrent updates run one after another. */
export async function updateMetadataSchema(
  ctx: Ctx,
  id: string,
  change: (schema: StoredSchema) => MetadataRequirements,
): Promise<StoredSchema> {
  const { db, project_id, now } = ctx
  const configVersion = await nextConfigurationVersion(db, project_id)
  const { definitions, allow_defined_only } = change(await getMetadataSchema(ctx, id))
  const row = await db
    .updateTable('metadata_schemas')
    .set({
      properties: JSON.stringify(definitions),
      allow_defined_only,
      updated_at: now,
      config_version: configVersion,
    })
    .where('project_id', '=', project_id)
    .where('id', '=', id as MetadataSchemaRow['id'])
    .returningAll()
    .executeTakeFirstOrThrow()
  return toStored(row)
}

export async function deleteMetadataSchema({ db, project_id }: Ctx, id: string): Promise<void> {
  await recordDeletion(db, project_id, 'metadata_schema', id)
  const { numDeletedRows } = await db
    .deleteFrom('metadata_schemas')
    .where('project_id', '=', project_id)
    .where('id', '=', id as MetadataSchemaRow['id'])
    .executeTakeFirst()
  if (numDeletedRows === 0n) throw notFound('metadata schema', id) // a concurrent request has deleted it
}

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
