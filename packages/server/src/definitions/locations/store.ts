import type { Shape } from '@guerdon/engine/schema'
import { type Selectable, sql } from 'kysely'
import type { Ctx } from '../../core/context.ts'
import { nextConfigurationVersion, recordDeletion } from '../../core/db/configuration.ts'
import type { LocationRow } from '../../core/db/tables.ts'
import { invalidPayload, notFound } from '../../core/http/errors.ts'
import { newId } from '../../core/lib/ids.ts'
import { limits } from '../../core/lib/limits.ts'
import { type FilterFields, filterSql, parseFilter } from '../../core/query/filter/filter.ts'
import { dateBounds, pageOf } from '../../core/query/list.ts'
import type { CreateLocation, Location, LocationQuery, UpdateLocation } from './schema.ts'

export const locationFields: FilterFields = {
  name: { type: 'string', column: 'name' },
  created_at: { type: 'datetime', column: 'created_at' },
  updated_at: { type: 'datetime', column: 'updated_at' },
}

export async function getLocation({ db, project_id }: Ctx, id: string): Promise<Location> {
  const row = await db
    .selectFrom('locations')
    .where('project_id', '=', project_id)
    .where('id', '=', id as LocationRow['id'])
    .selectAll()
    .executeTakeFirst()
  if (row === undefined) throw notFound('location', id)
  return toLocation(row)
}

export async function listLocations(
  { db, project_id, now, project: { timezone } }: Ctx,
  { filters, end_date, ...query }: LocationQuery,
): Promise<{ locations: Location[]; total: number; has_more: boolean }> {
  const { rows, total, has_more } = await pageOf(
    db.selectFrom('locations').where('project_id', '=', project_id).selectAll(),
    query,
    {
      columns: { created_at: 'created_at', updated_at: { nullable: 'updated_at' } },
      default_order: '-created_at',
      where: [
        ...dateBounds(end_date === undefined ? {} : { end_date }),
        filterSql(parseFilter(filters, locationFields), { now, timezone }),
      ],
    },
  )
  return { locations: rows.map(toLocation), total, has_more }
}

/** The shapes of these locations by their ids; unknown locations are skipped. */
export async function listLocationShapes({ db, project_id }: Ctx, ids: readonly string[]): Promise<Map<string, Shape>> {
  if (ids.length === 0) return new Map()
  const rows = await db
    .selectFrom('locations')
    .where('project_id', '=', project_id)
    .where(sql<boolean>`id = any(${ids}::text[])`) // one array parameter: the filters of a project may use very many locations
    .select(['id', 'shape'])
    .execute()
  return new Map(rows.map(({ id, shape }) => [id, shape as Shape]))
}

export async function insertLocation({ db, project_id, now }: Ctx, { name, shape }: CreateLocation): Promise<Location> {
  // Take the version first: it locks the project, so that two concurrent creations cannot both pass the limit check.
  const configVersion = await nextConfigurationVersion(db, project_id)
  const { count } = await db
    .selectFrom('locations')
    .where('project_id', '=', project_id)
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  if (count >= limits.locations_max)
    throw invalidPayload(`A project must NOT have more than ${limits.locations_max} locations`)
  const row = await db
    .insertInto('locations')
    .values({
      project_id,
      id: newId('location', Date.parse(now)),
      name,
      shape: JSON.stringify(shape),
      created_at: now,
      updated_at: null,
      config_version: configVersion,
    })
    .returningAll()
    .executeTakeFirstOrThrow()
  return toLocation(row)
}

export async function updateLocation(
  { db, project_id, now }: Ctx,
  id: string,
  { name, shape }: UpdateLocation,
): Promise<Location> {
  const configVersion = await nextConfigurationVersion(db, project_id)
  const row = await db
    .updateTable('locations')
    .set({
      ...(name === undefined ? {} : { name }),
      ...(shape === undefined ? {} : { shape: JSON.stringify(shape) }),
      updated_at: now,
      config_version: configVersion,
    })
    .where('project_id', '=', project_id)
    .where('id', '=', id as LocationRow['id'])
    .returningAll()
    .executeTakeFirst()
  if (row === undefined) throw notFound('location', id)
  return toLocation(row)
}

export async function deleteLocation({ db, project_id }: Ctx, id: string): Promise<void> {
  await recordDeletion(db, project_id, 'location', id)
  const { numDeletedRows } = await db
    .deleteFrom('locations')
    .where('project_id', '=', project_id)
    .where('id', '=', id as LocationRow['id'])
    .executeTakeFirst()
  if (numDeletedRows === 0n) throw notFound('location', id) // a concurrent request has deleted it
}

function toLocation({ id, name, shape, created_at, updated_at }: Selectable<LocationRow>): Location {
  return { id, name, shape: shape as Shape, created_at, updated_at, object: 'location' }
}
