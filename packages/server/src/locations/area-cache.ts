import { type Area, type AreaIndex, areaOf, indexAreas, readPoint } from '@guerdon/engine'
import type { Shape } from '@guerdon/engine/schema'
import type { Ctx } from '../context.ts'
import type { LocationRow, ProjectRow } from '../db/tables.ts'
import { limits } from '../lib/limits.ts'
import { pointsOf } from './check.ts'

/** The locations of a project, as they are at one moment. */
export interface Areas {
  /** The ids of the locations that contain a point, which is written as metadata has it; what is no point is nowhere. */
  which(point: unknown): ReadonlySet<string>
}

/**
 * All locations of the project, ready to be asked about many points: only the few whose boxes lie around a point are
 * tested. They stay in memory, and what changed is read again when the configuration of the project has moved on.
 */
export async function areasOf(ctx: Ctx): Promise<Areas> {
  const { index } = await currentAreas(ctx)
  return {
    which(value) {
      const point = readPoint(value)
      return new Set(point === null ? [] : index.at(point))
    },
  }
}

/** The ids of the locations around one point. */
export const areasAround = async (ctx: Ctx, point: unknown): Promise<ReadonlySet<string>> =>
  (await areasOf(ctx)).which(point)

/** What is known of a project's locations: read shapes, not the JSON they came as, which is five times as large. */
interface KnownAreas {
  readonly config_version: number
  readonly areas: ReadonlyMap<string, DrawnArea>
  readonly points_count: number
  readonly index: AreaIndex
}

interface DrawnArea {
  readonly area: Area
  readonly points_count: number
}

const nothing: KnownAreas = { config_version: -1, areas: new Map(), points_count: 0, index: indexAreas([]) }

/** By project, the latest used last. The version makes sure that nothing outdated is ever used. */
const kept = new Map<string, KnownAreas>()

async function currentAreas(ctx: Ctx): Promise<KnownAreas> {
  const config_version = await configurationVersion(ctx)
  const known = kept.get(ctx.project_id) ?? nothing
  if (known.config_version === config_version) {
    keep(ctx.project_id, known)
    return known
  }
  const areas = await loadSince(ctx, known.config_version < config_version ? known : nothing, config_version)
  // A transaction may see its own changes, and take them back: nobody else may see them before it is committed.
  if (ctx.db.isTransaction) ctx.afterCommit(() => keep(ctx.project_id, areas))
  else keep(ctx.project_id, areas)
  return areas
}

async function configurationVersion({ db, project_id }: Ctx): Promise<number> {
  const { config_version } = await db
    .selectFrom('projects')
    .where('id', '=', project_id as ProjectRow['id'])
    .select('config_version')
    .executeTakeFirstOrThrow()
  return config_version
}

/**
 * What was known, with every change since. Changes that are committed while we read may already be among them; they are
 * stamped with a later version than the one we write down, so that they are read again next time.
 */
async function loadSince(ctx: Ctx, known: KnownAreas, config_version: number): Promise<KnownAreas> {
  const deleted = await deletedSince(ctx, known.config_version)
  const changed = await changedSince(ctx, known.config_version)
  if (deleted.length === 0 && changed.size === 0) return { ...known, config_version }

  const areas = new Map([...known.areas, ...changed])
  for (const id of deleted) areas.delete(id)
  return {
    config_version,
    areas,
    points_count: [...areas.values()].reduce((sum, { points_count }) => sum + points_count, 0),
    index: indexAreas([...areas].map(([id, { area }]) => [id, area])),
  }
}

async function deletedSince({ db, project_id }: Ctx, version: number): Promise<string[]> {
  const marks = await db
    .selectFrom('configuration_deletions')
    .where('project_id', '=', project_id)
    .where('config_version', '>', version)
    .where('object_type', '=', 'location')
    .select('object_id')
    .execute()
  return marks.map(({ object_id }) => object_id)
}

/** In small portions: ten thousand polygons are tens of megabytes of JSON, which would hold up everybody else. */
async function changedSince({ db, project_id }: Ctx, version: number): Promise<Map<string, DrawnArea>> {
  const changed = new Map<string, DrawnArea>()
  let after = '' as LocationRow['id']
  for (;;) {
    const rows = await db
      .selectFrom('locations')
      .where('project_id', '=', project_id)
      .where('config_version', '>', version)
      .where('id', '>', after)
      .orderBy('id')
      .limit(limits.location_rows_read_max)
      .select(['id', 'shape'])
      .execute()
    for (const { id, shape } of rows) {
      const area = areaOf(shape as Shape)
      if (area !== null) changed.set(id, { area, points_count: pointsOf(shape as Shape) })
      after = id
    }
    if (rows.length < limits.location_rows_read_max) return changed
  }
}

function keep(project_id: string, areas: KnownAreas): void {
  const newest = kept.get(project_id)
  if (newest !== undefined && newest.config_version > areas.config_version) return
  kept.delete(project_id)
  kept.set(project_id, areas)
  let points_count = [...kept.values()].reduce((sum, { points_count }) => sum + points_count, 0)
  for (const [oldest, { points_count: freed }] of kept) {
    const fits = kept.size <= limits.cached_areas_projects_max && points_count <= limits.cached_areas_points_max
    if (fits || oldest === project_id) return
    kept.delete(oldest)
    points_count -= freed
  }
}
