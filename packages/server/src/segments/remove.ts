import type { Ctx } from '../context.ts'
import { inUse } from '../http/errors.ts'
import { rulesNaming } from '../validation-rules/naming.ts'
import { hideSegment, type StoredSegment } from './store.ts'

/** Deletes a segment that no validation rule names. Nobody is told to have left it (spec 04, 3.3). */
export async function removeSegment(ctx: Ctx, { id }: StoredSegment): Promise<void> {
  const { ids, total } = await rulesNaming(ctx, 'segment', [id])
  if (total > 0) throw inUse('segment', id, { type: 'validation_rules', ids, total })
  await hideSegment(ctx, id)
  ctx.afterCommit(() => ctx.jobs.wake('segments'))
}
