import type { Ctx } from '../../core/context.ts'
import { emit } from '../../core/events/emit.ts'
import { invalidPayload } from '../../core/http/errors.ts'
import { todayIn } from '../../core/query/filter/calendar.ts'
import { readSegmentFilter } from './filter.ts'
import type { Segment, UpdateSegment } from './schema.ts'
import { getSegment, type StoredSegment, startRecomputes, toSegment, updateSegment } from './store.ts'

/** Renames a segment, or changes the filter of a passive one, which recomputes all memberships without events. */
export async function changeSegment(
  ctx: Ctx,
  { id, type }: StoredSegment,
  { name, filter }: UpdateSegment,
): Promise<Segment> {
  if (filter !== undefined && type !== 'passive')
    throw invalidPayload(
      `Property .filter of ${type === 'static' ? 'a static' : 'an active'} segment cannot be changed`,
    )
  const definition = filter === undefined ? null : await readSegmentFilter(ctx, filter)
  await updateSegment(ctx, id, {
    name,
    ...(definition && { filter: JSON.stringify(definition.filter), is_day_relative: definition.is_day_relative }),
  })
  if (definition !== null) await startRecomputes(ctx, [id], { silent: true })
  const segment = toSegment(await getSegment(ctx, id))
  await emit(ctx, 'segment.updated', id, segment)
  if (definition !== null) await emit(ctx, 'segment.filters_updated', id, segment)
  return segment
}

/**
 * Makes a passive segment active, because an earning rule, a distribution or a referral tier reacts to customers that enter it.
 * It never becomes passive again. Its current members are already stored, so no entered events are emitted for them.
 */
export async function activateSegment(ctx: Ctx, { id, type, is_day_relative, known_on }: StoredSegment): Promise<void> {
  if (type !== 'passive') return
  const segment = await updateSegment(ctx, id, { type: 'auto-update' })
  // The members of a new day are not computed yet: recompute them without events too.
  const { timezone } = ctx.project
  if (is_day_relative && known_on !== todayIn({ now: ctx.now, timezone }))
    await startRecomputes(ctx, [id], { silent: true })
  await emit(ctx, 'segment.activated', id, toSegment(segment))
}
