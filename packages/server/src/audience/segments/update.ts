import type { Ctx } from '../../core/context.ts'
import { emit } from '../../core/events/emit.ts'
import { invalidPayload } from '../../core/http/errors.ts'
import { todayIn } from '../../core/query/filter/calendar.ts'
import { readSegmentFilter } from './filter.ts'
import type { Segment, UpdateSegment } from './schema.ts'
import { type StoredSegment, startWalks, toSegment, updateSegment } from './store.ts'

/** Renames a segment, or gives a passive one another filter: then all memberships are looked at again, silently. */
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
  const segment = await updateSegment(ctx, id, {
    ...(name === undefined ? {} : { name }),
    ...(definition === null
      ? {}
      : {
          filter: JSON.stringify(definition.filter),
          is_day_relative: definition.is_day_relative,
        }),
    updated_at: ctx.now,
  })
  await emit(ctx, 'segment.updated', id, toSegment(segment))
  if (definition !== null) {
    await emit(ctx, 'segment.filters_updated', id, toSegment(segment))
    await startWalks(ctx, [id], { silent: true })
  }
  return toSegment(segment)
}

/**
 * Makes a passive segment active, because an earning rule, a distribution or a referral tier waits for its customers. It
 * never turns back. Its members are known already, so nobody is told that they entered.
 */
export async function activateSegment(ctx: Ctx, { id, type, is_day_relative, known_on }: StoredSegment): Promise<void> {
  if (type !== 'passive') return
  const segment = await updateSegment(ctx, id, { type: 'auto-update', updated_at: ctx.now })
  // Of a new day nobody knows the members yet: they too come silently.
  const { timezone } = ctx.project
  if (is_day_relative && known_on !== todayIn({ now: ctx.now, timezone })) await startWalks(ctx, [id], { silent: true })
  await emit(ctx, 'segment.activated', id, toSegment(segment))
}
