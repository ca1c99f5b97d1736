import type { Assignable } from '../../rules/validation-rules/assignable.ts'
import { findRewardAssignment, listRewardAssignmentsById } from './store.ts'

export const assignableRewardAssignment: Assignable<'reward_assignment'> = {
  find: (ctx, id) => findRewardAssignment(ctx, id, { lock: 'keyShare' }),
  list: listRewardAssignmentsById,
}
