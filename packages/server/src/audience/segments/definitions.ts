import { clockAt, compileFilter } from '@guerdon/engine'
import type { Catalogue, Filter } from '@guerdon/engine/schema'
import type { Ctx } from '../../core/context.ts'
import type { ProjectRow } from '../../core/db/tables.ts'
import { locationIds } from '../../core/query/filter/location-ids.ts'
import { listLocationShapes } from '../../definitions/locations/store.ts'
import { metadataTypes } from '../../definitions/metadata-schemas/rules.ts'
import { type FilteredCustomer, readField } from '../customers/fields.ts'
import type { StoredSegment } from './store.ts'

/** The dynamic segments of a project, with what their filters look up. */
export interface SegmentDefinitions {
  segments: ReadonlyArray<Pick<StoredSegment, 'id' | 'name' | 'type'> & { filter: Filter }>
  catalogue: Catalogue
}

/** The segments a customer belongs to now, of those that are filters. */
export function segmentsOf(
  { segments, catalogue }: SegmentDefinitions,
  customer: FilteredCustomer,
  { now, project: { timezone } }: Pick<Ctx, 'now' | 'project'>,
): Set<StoredSegment['id']> {
  const clock = clockAt(now, timezone)
  const read = (field: string) => readField(customer, field)
  return new Set(
    segments.flatMap(({ id, filter }) => (compileFilter(filter, 'customer')(read, clock, catalogue) ? [id] : [])),
  )
}

/** Projects whose segments are kept in memory, compiled (docs/decisions/0011); the one used longest ago goes first. */
const kept = new Map<string, { config_version: number; definitions: SegmentDefinitions }>()
const projectsMax = 200

/**
 * The dynamic segments as they are in this transaction, which must not be one that changes them: what it sees would be kept
 * also if it were undone. With `lock`, nobody changes them until it ends: memberships that
 * are written now follow from filters that are in force.
 */
export async function definitionsOf(ctx: Ctx, { lock = false }: { lock?: boolean } = {}): Promise<SegmentDefinitions> {
  const { db, project_id } = ctx
  const { config_version } = await db
    .selectFrom('projects')
    .where('id', '=', project_id as ProjectRow['id'])
    .select('config_version')
    .$if(lock, (query) => query.forShare())
    .executeTakeFirstOrThrow()
  const known = kept.get(project_id)
  kept.delete(project_id)
  const definitions = known?.config_version === config_version ? known.definitions : await loadDefinitions(ctx)
  kept.set(project_id, { config_version, definitions })
  if (kept.size > projectsMax) kept.delete(kept.keys().next().value as string)
  return definitions
}

async function loadDefinitions(ctx: Ctx): Promise<SegmentDefinitions> {
  const segments = await ctx.db
    .selectFrom('segments')
    .where('project_id', '=', ctx.project_id)
    .where('type', '<>', 'static')
    .where('deleted_at', 'is', null)
    .orderBy('id')
    .select(['id', 'name', 'type', 'filter'])
    .execute()
  const named = segments.flatMap(({ filter }) => locationIds(filter))
  return {
    segments: segments.map(({ filter, ...segment }) => ({ ...segment, filter: filter ?? {} })),
    catalogue: {
      metadata_types: { customer: await metadataTypes(ctx, 'customer') },
      locations: Object.fromEntries(await listLocationShapes(ctx, [...new Set(named)])),
    },
  }
}
