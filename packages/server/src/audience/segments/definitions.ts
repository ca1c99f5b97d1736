import { clockAt, compileFilter } from '@guerdon/engine'
import type { Catalogue, Filter } from '@guerdon/engine/schema'
import type { Ctx } from '../../core/context.ts'
import type { ProjectRow } from '../../core/db/tables.ts'
import { locationIds } from '../../core/query/filter/location-ids.ts'
import { listLocationShapes } from '../../definitions/locations/store.ts'
import { metadataTypes } from '../../definitions/metadata-schemas/rules.ts'
import { type FilteredCustomer, readField } from '../customers/fields.ts'
import type { StoredSegment } from './store.ts'

/** The dynamic segments of a project, with the metadata types and locations that their filters use. */
export interface SegmentDefinitions {
  segments: ReadonlyArray<Pick<StoredSegment, 'id' | 'name' | 'type'> & { filter: Filter }>
  catalogue: Catalogue
}

/** The dynamic segments that a customer belongs to now. */
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

/** LRU cache of the compiled segments of 200 projects (docs/decisions/0011). */
const cache = new Map<string, { config_version: number; definitions: SegmentDefinitions }>()
const projectsMax = 200

/**
 * The dynamic segments as this transaction sees them. A transaction that changes segments must not call this: its uncommitted
 * segments would stay in the cache after a rollback. With `lock`, no other transaction can change segments until this one ends,
 * so the memberships it saves match the current filters.
 */
export async function getSegmentDefinitions(
  ctx: Ctx,
  { lock = false }: { lock?: boolean } = {},
): Promise<SegmentDefinitions> {
  const { db, project_id } = ctx
  const { config_version } = await db
    .selectFrom('projects')
    .where('id', '=', project_id as ProjectRow['id'])
    .select('config_version')
    .$if(lock, (query) => query.forShare())
    .executeTakeFirstOrThrow()
  const cached = cache.get(project_id)
  cache.delete(project_id)
  const definitions = cached?.config_version === config_version ? cached.definitions : await loadDefinitions(ctx)
  cache.set(project_id, { config_version, definitions })
  if (cache.size > projectsMax) cache.delete(cache.keys().next().value as string)
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
  const locationsUsed = segments.flatMap(({ filter }) => locationIds(filter))
  return {
    segments: segments.map(({ filter, ...segment }) => ({ ...segment, filter: filter ?? {} })),
    catalogue: {
      metadata_types: { customer: await metadataTypes(ctx, 'customer') },
      locations: Object.fromEntries(await listLocationShapes(ctx, [...new Set(locationsUsed)])),
    },
  }
}
