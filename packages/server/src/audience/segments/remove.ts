import type { Ctx } from '../../core/context.ts'
import { type FindReferences, refuseInUse } from '../../core/in-use.ts'
import { hideSegment, type StoredSegment } from './store.ts'

declare module '../../core/reactions.ts' {
  interface References {
    segment: ReadonlyArray<FindReferences<{ segment_id: string }>>
  }
}

/**
 * Deletes a segment, unless a rule or a referral tier references it. Emits no `customer.segment.left` events
 * (docs/reference/segments.md#membership).
 */
export async function removeSegment(ctx: Ctx, { id }: StoredSegment): Promise<void> {
  await refuseInUse(ctx, 'segment', id, ctx.references.segment, { segment_id: id })
  await hideSegment(ctx, id)
  ctx.afterCommit(() => ctx.jobs.wake('segments'))
}
