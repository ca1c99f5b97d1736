import type { Selectable } from 'kysely'
import type { Ctx } from '../../core/context.ts'
import { nextConfigurationVersion } from '../../core/db/configuration.ts'
import type { CustomEventSchemaRow } from '../../core/db/tables.ts'
import { notFound } from '../../core/http/errors.ts'
import { newId } from '../../core/lib/ids.ts'
import { countRows, deleteRow, findRow, getRow, insertRow, listRows, updateRow } from '../../core/rows.ts'
import type { CreateCustomEventSchema, CustomEventSchema } from './schema.ts'

const schemas = {
  table: 'custom_event_schemas',
  type: 'custom_event_schema',
  configuration_type: 'custom_event_schema',
  unique: 'name',
} as const

/** A schema by the name of its event, case-sensitive. */
export async function getCustomEventSchema(ctx: Ctx, name: string): Promise<CustomEventSchema> {
  const schema = await findCustomEventSchema(ctx, name)
  if (schema === undefined) throw notFound(schemas.type, name)
  return schema
}

export async function findCustomEventSchema(ctx: Ctx, name: string): Promise<CustomEventSchema | undefined> {
  const row = await findRow(ctx, schemas, { name })
  return row && toCustomEventSchema(row)
}

export const getCustomEventSchemaById = async (ctx: Ctx, id: string): Promise<CustomEventSchema> =>
  toCustomEventSchema(await getRow(ctx, schemas, id))

/** All schemas, oldest first. */
export const listCustomEventSchemas = async (ctx: Ctx): Promise<CustomEventSchema[]> =>
  (await listRows(ctx, schemas)).map(toCustomEventSchema)

export const countCustomEventSchemas = (ctx: Ctx): Promise<number> => countRows(ctx, schemas)

export async function insertCustomEventSchema(
  ctx: Ctx,
  { name, schema }: CreateCustomEventSchema,
): Promise<CustomEventSchema> {
  const id = newId('metadata_schema', Date.parse(ctx.now))
  return toCustomEventSchema(await insertRow(ctx, schemas, { id, name, schema: JSON.stringify(schema) }))
}

/** Applies `change` to a schema. Taking the project's version locks the project, so concurrent updates run one after another. */
export async function updateCustomEventSchema(
  ctx: Ctx,
  id: string,
  change: (schema: CustomEventSchema['schema']) => CustomEventSchema['schema'],
): Promise<CustomEventSchema> {
  const configVersion = await nextConfigurationVersion(ctx.db, ctx.project_id)
  const { schema } = await getCustomEventSchemaById(ctx, id)
  const changes = { schema: JSON.stringify(change(schema)), config_version: configVersion }
  return toCustomEventSchema(await updateRow(ctx, schemas, id, changes))
}

export const deleteCustomEventSchema = (ctx: Ctx, id: string): Promise<void> => deleteRow(ctx, schemas, id)

function toCustomEventSchema(row: Selectable<CustomEventSchemaRow>): CustomEventSchema {
  const { id, name, schema, created_at, updated_at } = row
  return {
    id,
    name,
    schema: schema as CustomEventSchema['schema'],
    created_at,
    ...(updated_at === null ? {} : { updated_at }),
    object: 'custom-event-schema',
  }
}
