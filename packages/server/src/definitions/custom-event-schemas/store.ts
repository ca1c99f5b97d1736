import type { Selectable } from 'kysely'
import type { Ctx } from '../../core/context.ts'
import { nextConfigurationVersion, recordDeletion } from '../../core/db/configuration.ts'
import type { CustomEventSchemaRow } from '../../core/db/tables.ts'
import { duplicate, notFound } from '../../core/http/errors.ts'
import { newId } from '../../core/lib/ids.ts'
import type { CreateCustomEventSchema, CustomEventSchema } from './schema.ts'

/** A schema by the name of its event, case-sensitive. */
export async function getCustomEventSchema(ctx: Ctx, name: string): Promise<CustomEventSchema> {
  const schema = await findCustomEventSchema(ctx, name)
  if (schema === undefined) throw notFound('custom_event_schema', name)
  return schema
}

export const findCustomEventSchema = (ctx: Ctx, name: string): Promise<CustomEventSchema | undefined> =>
  findBy(ctx, 'name', name)

export async function getCustomEventSchemaById(ctx: Ctx, id: string): Promise<CustomEventSchema> {
  const schema = await findBy(ctx, 'id', id)
  if (schema === undefined) throw notFound('custom_event_schema', id)
  return schema
}

async function findBy(
  { db, project_id }: Ctx,
  column: 'id' | 'name',
  value: string,
): Promise<CustomEventSchema | undefined> {
  const row = await db
    .selectFrom('custom_event_schemas')
    .where('project_id', '=', project_id)
    .where(column, '=', value as CustomEventSchemaRow['id'])
    .selectAll()
    .executeTakeFirst()
  return row === undefined ? undefined : toCustomEventSchema(row)
}

/** All schemas, oldest first. */
export async function listCustomEventSchemas({ db, project_id }: Ctx): Promise<CustomEventSchema[]> {
  const rows = await db
    .selectFrom('custom_event_schemas')
    .where('project_id', '=', project_id)
    .orderBy('created_at')
    .orderBy('id')
    .selectAll()
    .execute()
  return rows.map(toCustomEventSchema)
}

export async function countCustomEventSchemas({ db, project_id }: Ctx): Promise<number> {
  const { count } = await db
    .selectFrom('custom_event_schemas')
    .where('project_id', '=', project_id)
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return count
}

export async function insertCustomEventSchema(
  { db, project_id, now }: Ctx,
  { name, schema }: CreateCustomEventSchema,
): Promise<CustomEventSchema> {
  const configVersion = await nextConfigurationVersion(db, project_id)
  const row = await db
    .insertInto('custom_event_schemas')
    .values({
      project_id,
      id: newId('metadata_schema', Date.parse(now)),
      name,
      schema: JSON.stringify(schema),
      created_at: now,
      updated_at: null,
      config_version: configVersion,
    })
    .onConflict((conflict) => conflict.columns(['project_id', 'name']).doNothing())
    .returningAll()
    .executeTakeFirst()
  if (row === undefined) throw duplicate('custom_event_schema', 'name', name)
  return toCustomEventSchema(row)
}

/** Applies `change` to a schema. Taking the project's version locks the project, so concurrent updates run one after another. */
export async function updateCustomEventSchema(
  ctx: Ctx,
  id: string,
  change: (schema: CustomEventSchema['schema']) => CustomEventSchema['schema'],
): Promise<CustomEventSchema> {
  const { db, project_id, now } = ctx
  const configVersion = await nextConfigurationVersion(db, project_id)
  const { schema } = await getCustomEventSchemaById(ctx, id)
  const row = await db
    .updateTable('custom_event_schemas')
    .set({ schema: JSON.stringify(change(schema)), updated_at: now, config_version: configVersion })
    .where('project_id', '=', project_id)
    .where('id', '=', id as CustomEventSchemaRow['id'])
    .returningAll()
    .executeTakeFirstOrThrow()
  return toCustomEventSchema(row)
}

export async function deleteCustomEventSchema({ db, project_id }: Ctx, id: string): Promise<void> {
  await recordDeletion(db, project_id, 'custom_event_schema', id)
  const { numDeletedRows } = await db
    .deleteFrom('custom_event_schemas')
    .where('project_id', '=', project_id)
    .where('id', '=', id as CustomEventSchemaRow['id'])
    .executeTakeFirst()
  if (numDeletedRows === 0n) throw notFound('custom_event_schema', id) // a concurrent request has deleted it
}

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
