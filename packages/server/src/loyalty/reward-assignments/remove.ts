import { type Selectable, sql } from 'kysely'
import type { Ctx } from '../../core/context.ts'
import { nextConfigurationVersion } from '../../core/db/configuration.ts'
import type { LoyaltyTierRow, RewardAssignmentRow } from '../../core/db/tables.ts'
import { emitMany, type NewEvent } from '../../core/events/emit.ts'
import { toSimpleCampaign } from '../../incentives/campaigns/campaign.ts'
import type { StoredCampaign } from '../../incentives/campaigns/store.ts'
import { refuseProtected } from '../../incentives/campaigns/store.ts'
import { deleteAssignmentsOf } from '../../rules/validation-rules/unassign.ts'
import { getReward } from '../rewards/store.ts'
import { toLoyaltyTier } from '../tiers/loyalty-tier.ts'
import { assignmentEvent } from './assign.ts'
import { toRewardAssignment } from './reward-assignment.ts'
import { deleteRewardAssignment } from './store.ts'
import type { AssignmentInProgram } from './update.ts'

/**
 * Removes a reward from a program that the caller has locked exclusively, and from the mappings of its tiers; past redemptions
 * stay.
 */
export async function removeRewardAssignment(ctx: Ctx, { program, assignment }: AssignmentInProgram): Promise<void> {
  refuseProtected(program)
  const { id, reward_id } = assignment
  const reward = await getReward(ctx, reward_id)
  await deleteAssignmentsOf(ctx, 'reward_assignment', [id])
  await deleteRewardAssignment(ctx, id)
  // A program has each reward once at most, so the mappings by reward id go together with those by assignment id.
  await takeOutOfTiers(ctx, program, [id, reward_id])
  await emitMany(ctx, [assignmentEvent('deleted', program, reward, toRewardAssignment(assignment))])
}

async function takeOutOfTiers(ctx: Ctx, program: StoredCampaign, keys: readonly string[]): Promise<void> {
  const { db, project_id, now } = ctx
  const configVersion = await nextConfigurationVersion(db, project_id)
  const { rows } = await sql<Selectable<LoyaltyTierRow>>`
    update loyalty_tiers set rewards = rewards - ${keys}::text[], updated_at = ${now}::timestamptz,
      config_version = ${configVersion}
    where project_id = ${project_id} and campaign_id = ${program.id} and rewards ?| ${keys}::text[]
    returning *`.execute(db)
  const campaign = toSimpleCampaign(program)
  await emitMany(
    ctx,
    rows.map(
      (row): NewEvent => ({
        type: 'campaign.loyalty_tier.updated',
        entity_id: program.id,
        data: { campaign, loyalty_tier: toLoyaltyTier(row) },
      }),
    ),
  )
}

/**
 * Deletes all reward assignments of a program that is being deleted: they cannot be restored from the bin, and invisible
 * assignments must not keep a reward in use. Emits events only for their validation rules: the campaign has its own.
 */
export async function deleteRewardAssignmentsIn(ctx: Ctx, campaignId: string): Promise<void> {
  const { db, project_id } = ctx
  const { rows } = await sql<{ id: RewardAssignmentRow['id'] }>`
    select id from reward_assignments where project_id = ${project_id} and related_object_id = ${campaignId}
    order by id for update`.execute(db)
  if (rows.length === 0) return
  await deleteAssignmentsOf(
    ctx,
    'reward_assignment',
    rows.map(({ id }) => id),
  )
  for (const { id } of rows) await deleteRewardAssignment(ctx, id)
}
