import type { Shape } from '@guerdon/engine/schema'
import { type Selectable, sql } from 'kysely'
import type { Ctx } from '../../core/context.ts'
import { nextConfigurationVersion } from '../../core/db/configuration.ts'
import type { LocationRow } from '../../core/db/tables.ts'
import { invalidPayload } from '../../core/http/errors.ts'
import { newId } from '../../core/lib/ids.ts'
import { limits } from '../../core/lib/limits.ts'
import { type FilterFields, filterSql, parseFilter } from '../../core/query/filter/filter.ts'
import { dateBounds, pageOf } from '../../core/query/list.ts'
import { countRows, deleteRow, getRow, insertRow, type RowChanges, updateRow } from '../../core/rows.ts'
import type { CreateLocation, Location, LocationQuery } from './schema.ts'

const locations = { table: 'locations', type: 'location', configuration_type: 'location' } as const

export const locationFields: FilterFields = {
  name: { type: 'string', column: 'name' },
  created_at: { type: 'datetime', column: 'created_at' },
  updated_at: { type: 'datetime', column: 'updated_at' },
}

export const getLocation = async (ctx: Ctx, id: string): Promise<Location> =>
  toLocation(await getRow(ctx, locations, id))

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

export async function insertLocation(ctx: Ctx, { name, shape }: CreateLocation): Promise<Location> {
  // Take the version first: it locks the project, so that two concurrent creations cannot both pass the limit check.
  const configVersion = await nextConfigurationVersion(ctx.db, ctx.project_id)
  if ((await countRows(ctx, locations)) >= limits.locations_max)
    throw invalidPayload(`A project must NOT have more than ${limits.locations_max} locations`)
  const row = await insertRow(ctx, locations, {
    id: newId('location', Date.parse(ctx.now)),
    name,
    shape: JSON.stringify(shape),
    config_version: configVersion,
  })
  return toLocation(row)
}

export const updateLocation = async (ctx: Ctx, id: string, changes: RowChanges<'locations'>): Promise<Location> =>
  toLocation(await updateRow(ctx, locations, id, changes))

export const deleteLocation = (ctx: Ctx, id: string): Promise<void> => deleteRow(ctx, locations, id)

function toLocation({ id, name, shape, created_at, updated_at }: Selectable<LocationRow>): Location {
  return { id, name, shape: shape as Shape, created_at, updated_at, object: 'location' }
}
