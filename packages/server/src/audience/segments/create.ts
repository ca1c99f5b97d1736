import type { Ctx } from '../../core/context.ts'
import { nextConfigurationVersion } from '../../core/db/configuration.ts'
import { emit } from '../../core/events/emit.ts'
import { invalidPayload } from '../../core/http/errors.ts'
import { newId } from '../../core/lib/ids.ts'
import { limits } from '../../core/lib/limits.ts'
import { readSegmentFilter } from './filter.ts'
import type { CreateSegment, Segment } from './schema.ts'
import { countDynamicSegments, getSegment, insertMembers, insertSegment, startRecomputes, toSegment } from './store.ts'

/**
 * Creates a segment. A background job computes the members of a dynamic one, without events
 * (docs/reference/segments.md#membership).
 */
export async function createSegment(ctx: Ctx, body: CreateSegment): Promise<Segment> {
  const { name, customers } = body
  const type = body.type ?? (customers === undefined ? 'passive' : 'static')
  const definition = type === 'static' ? null : await readSegmentFilter(ctx, body.filter)
  // Locks the project until commit, so that two concurrent creations cannot both pass the limit check.
  const configVersion = await nextConfigurationVersion(ctx.db, ctx.project_id)
  if (type !== 'static' && (await countDynamicSegments(ctx)) >= limits.dynamic_segments_max)
    throw invalidPayload(`Project must NOT have more than ${limits.dynamic_segments_max} dynamic segments`)
  const { id } = await insertSegment(ctx, {
    id: newId('segment', Date.parse(ctx.now)),
    name,
    type,
    filter: definition === null ? null : JSON.stringify(definition.filter),
    is_day_relative: definition?.is_day_relative ?? false,
    config_version: configVersion,
  })
  if (type === 'static') await insertMembers(ctx, id, customers ?? [])
  else await startRecomputes(ctx, [id], { silent: true })
  const segment = toSegment(await getSegment(ctx, id))
  await emit(ctx, 'segment.created', id, segment)
  return segment
}
