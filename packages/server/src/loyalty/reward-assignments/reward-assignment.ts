import type { Selectable } from 'kysely'
import type { RewardAssignmentRow } from '../../core/db/tables.ts'
import type { RewardAssignment } from './schema.ts'

export type StoredRewardAssignment = Selectable<RewardAssignmentRow>

export function toRewardAssignment(row: Omit<StoredRewardAssignment, 'project_id'>): RewardAssignment {
  const { id, reward_id, related_object_id, related_object_type, created_at, updated_at } = row
  const { loyalty } = row.parameters
  return {
    id,
    reward_id,
    related_object_id,
    related_object_type,
    ...(loyalty === undefined ? {} : { parameters: { loyalty } }),
    created_at,
    updated_at,
    object: 'reward_assignment',
  }
}
