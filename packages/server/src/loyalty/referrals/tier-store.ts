import type { Ctx } from '../../core/context.ts'
import type { CampaignRow, ReferralTierRow, RewardRow } from '../../core/db/tables.ts'
import { notFound } from '../../core/http/errors.ts'
import { countOf, pageOf } from '../../core/query/list.ts'
import { deleteRow, insertRow, type NewRow, type RowChanges, updateRow } from '../../core/rows.ts'
import { deleteRewardAssignment, insertRewardAssignment, listAssignmentsTo } from '../reward-assignments/store.ts'
import type { ReferralTierQuery } from './schema.ts'

type CampaignId = CampaignRow['id']

const referralTiers = { table: 'referral_tiers', type: 'referral_tier', configuration_type: 'referral_tier' } as const

/** The tiers of a program with their reward assignments; a tier always has exactly one. */
const tierQuery = ({ db, project_id }: Ctx, campaignId: CampaignId) =>
  db
    .selectFrom('referral_tiers')
    .innerJoin('reward_assignments', (join) =>
      join
        .onRef('reward_assignments.project_id', '=', 'referral_tiers.project_id')
        .onRef('reward_assignments.related_object_id', '=', 'referral_tiers.id')
        .on('reward_assignments.related_object_type', '=', 'referral_tier'),
    )
    .where('referral_tiers.project_id', '=', project_id)
    .where('referral_tiers.campaign_id', '=', campaignId)
    .selectAll('referral_tiers')
    .select(['reward_assignments.id as assignment_id', 'reward_assignments.reward_id'])

export type StoredReferralTier = Awaited<ReturnType<ReturnType<typeof tierQuery>['execute']>>[number]

export async function getReferralTier(ctx: Ctx, campaignId: CampaignId, id: string): Promise<StoredReferralTier> {
  const tier = await tierQuery(ctx, campaignId)
    .where('referral_tiers.id', '=', id as ReferralTierRow['id'])
    .executeTakeFirst()
  if (tier === undefined) throw notFound('referral_tier', id)
  return tier
}

export async function listReferralTiers(
  ctx: Ctx,
  campaignId: CampaignId,
  query: ReferralTierQuery,
): Promise<{ rows: StoredReferralTier[]; total: number }> {
  return pageOf(tierQuery(ctx, campaignId), query, {
    columns: { created_at: 'referral_tiers.created_at' },
    default_order: '-created_at',
    id: 'referral_tiers.id',
  })
}

export const countReferralTiers = (ctx: Ctx, campaignId: CampaignId): Promise<number> =>
  countOf(tierQuery(ctx, campaignId))

/** Inserts a tier and the assignment of its reward. */
export async function insertReferralTier(
  ctx: Ctx,
  row: NewRow<'referral_tiers'>,
  rewardId: RewardRow['id'],
): Promise<void> {
  await insertRow(ctx, referralTiers, row)
  await assignReward(ctx, row.id, rewardId)
}

/** Updates a tier. A new reward gets a new assignment, so that rewards issued by the old one keep theirs. */
export async function updateReferralTier(
  ctx: Ctx,
  { id, reward_id, assignment_id }: StoredReferralTier,
  changes: RowChanges<'referral_tiers'>,
  nextRewardId: RewardRow['id'] = reward_id,
): Promise<void> {
  await updateRow(ctx, referralTiers, id, changes)
  if (nextRewardId === reward_id) return
  await deleteRewardAssignment(ctx, assignment_id)
  await assignReward(ctx, id, nextRewardId)
}

const assignReward = (ctx: Ctx, tierId: ReferralTierRow['id'], rewardId: RewardRow['id']) =>
  insertRewardAssignment(ctx, {
    reward_id: rewardId,
    related_object_type: 'referral_tier',
    related_object_id: tierId,
    parameters: {},
  })

/** Deletes a tier, its assignment, and the record of the referrers whom it has rewarded. */
export async function deleteReferralTier(ctx: Ctx, id: ReferralTierRow['id']): Promise<void> {
  const { db, project_id } = ctx
  for (const assignment of await listAssignmentsTo(ctx, id)) await deleteRewardAssignment(ctx, assignment.id)
  await deleteRow(ctx, referralTiers, id)
  await db.deleteFrom('referral_grants').where('project_id', '=', project_id).where('tier_id', '=', id).execute()
}

/**
 * Deletes all tiers of a program that is being deleted for good, also those whose assignment is already gone. Emits no events
 * for them: the campaign has its own.
 */
export async function deleteReferralTiersOf(ctx: Ctx, campaignId: string): Promise<void> {
  const tiers = await ctx.db
    .selectFrom('referral_tiers')
    .where('project_id', '=', ctx.project_id)
    .where('campaign_id', '=', campaignId as CampaignId)
    .select('id')
    .execute()
  for (const { id } of tiers) await deleteReferralTier(ctx, id)
}
