import type { Ctx } from '../../core/context.ts'
import { inUse } from '../../core/http/errors.ts'
import { assignmentsOfReward } from '../reward-assignments/store.ts'
import type { StoredReward } from './reward.ts'
import { deleteReward } from './store.ts'

/** Deletes a reward that the caller has locked exclusively; refused while it is assigned. */
export async function removeReward(ctx: Ctx, { id }: StoredReward): Promise<void> {
  const assignments = await assignmentsOfReward(ctx, id)
  if (assignments.total > 0) throw inUse('reward', id, { type: 'reward_assignment', ...assignments })
  await deleteReward(ctx, id)
}
