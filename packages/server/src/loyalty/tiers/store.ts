import { type Selectable, sql } from 'kysely'
import type { Ctx } from '../../core/context.ts'
import { nextConfigurationVersion } from '../../core/db/configuration.ts'
import type { LoyaltyTierRow, RewardAssignmentRow, RewardRow } from '../../core/db/tables.ts'
import { notFound } from '../../core/http/errors.ts'
import { pageOf } from '../../core/query/list.ts'
import { insertRows, listRows, type NewRow } from '../../core/rows.ts'
import { listAssignmentsTo } from '../reward-assignments/store.ts'
import type { LoyaltyTierQuery } from './schema.ts'

export type StoredLoyaltyTier = Selectable<LoyaltyTierRow>
type CampaignId = LoyaltyTierRow['campaign_id']

const loyaltyTiers = { table: 'loyalty_tiers', type: 'loyalty_tier', configuration_type: 'loyalty_tier' } as const

/** A tier, within a program if one is given; 404 if its program is in the bin. */
export async function getLoyaltyTier(
  { db, project_id }: Ctx,
  id: string,
  program?: { id: CampaignId },
): Promise<StoredLoyaltyTier> {
  const row = await db
    .selectFrom('loyalty_tiers')
    .innerJoin('campaigns', (join) =>
      join
        .onRef('campaigns.project_id', '=', 'loyalty_tiers.project_id')
        .onRef('campaigns.id', '=', 'loyalty_tiers.campaign_id'),
    )
    .where('loyalty_tiers.project_id', '=', project_id)
    .where('loyalty_tiers.id', '=', id as LoyaltyTierRow['id'])
    .where('campaigns.deleted_at', 'is', null)
    .selectAll('loyalty_tiers')
    .executeTakeFirst()
  if (row === undefined || (program !== undefined && row.campaign_id !== program.id)) throw notFound('loyalty_tier', id)
  return row
}

/** A page of a program's tiers, by default ordered by rank. */
export async function listLoyaltyTiers(
  { db, project_id }: Ctx,
  campaignId: CampaignId,
  query: LoyaltyTierQuery,
): Promise<{ rows: StoredLoyaltyTier[]; total: number }> {
  const ranked = db
    .selectFrom('loyalty_tiers')
    .where('project_id', '=', project_id)
    .where('campaign_id', '=', campaignId)
    .selectAll()
    // The open range ranks below all others (docs/reference/loyalty-tiers.md#rank-and-ranges).
    .select(sql<number>`coalesce(points_from, -1)`.as('rank'))
    .as('tiers')
  return pageOf(db.selectFrom(ranked).selectAll(), query as Omit<LoyaltyTierQuery, 'order'> & { order?: Order }, {
    columns: { rank: 'rank', created_at: 'created_at', updated_at: { nullable: 'updated_at' } },
    default_order: 'rank',
  })
}

type Order = NonNullable<LoyaltyTierQuery['order']> | 'rank'

/** All tiers of a program. */
export const listLoyaltyTiersOf = (ctx: Ctx, campaignId: CampaignId): Promise<StoredLoyaltyTier[]> =>
  listRows(ctx, loyaltyTiers, { campaign_id: campaignId })

/** The ids among these that are rewards of the project, or reward assignments of the program. */
export async function listRewardKeys({ db, project_id }: Ctx, campaignId: CampaignId, ids: readonly string[]) {
  const { rows } = await sql<{ id: string }>`
    select id from rewards where project_id = ${project_id} and id = any(${ids}::text[])
    union all
    select id from reward_assignments where project_id = ${project_id} and id = any(${ids}::text[])
      and related_object_type = 'campaign' and related_object_id = ${campaignId}`.execute(db)
  return new Set(rows.map(({ id }) => id))
}

export interface TierReward {
  reward: Selectable<RewardRow>
  assignment: Selectable<RewardAssignmentRow>
}

/** The rewards assigned to a program, the newest assignment first. */
export async function listAssignedRewards(ctx: Ctx, campaignId: string): Promise<TierReward[]> {
  const { db, project_id } = ctx
  const assignments = await listAssignmentsTo(ctx, campaignId)
  const rewards = await db
    .selectFrom('rewards')
    .where('project_id', '=', project_id)
    .where(sql<boolean>`id = any(${assignments.map(({ reward_id }) => reward_id)}::text[])`)
    .selectAll()
    .execute()
  const byId = new Map(rewards.map((reward) => [reward.id, reward]))
  return assignments.flatMap((assignment) => {
    const reward = byId.get(assignment.reward_id)
    return reward === undefined ? [] : [{ reward, assignment }]
  })
}

export type NewTierRow = NewRow<'loyalty_tiers'>

/** Inserts tiers and returns them in the same order. */
export async function insertLoyaltyTiers(ctx: Ctx, tiers: readonly NewTierRow[]): Promise<StoredLoyaltyTier[]> {
  const rows = await insertRows(ctx, loyaltyTiers, tiers)
  return rows.sort((a, b) => (a.id < b.id ? -1 : 1))
}

/** Removes an earning rule from the mappings of all tiers, and returns the changed tiers. */
export async function deleteMappingsOf(
  { db, project_id, now }: Ctx,
  earningRuleId: string,
): Promise<StoredLoyaltyTier[]> {
  const mapping = db
    .selectFrom('loyalty_tiers')
    .where('project_id', '=', project_id)
    .where(sql<boolean>`jsonb_exists(earning_rules, ${earningRuleId})`)
  // Most rules are in no mapping: return before taking the lock of the configuration version.
  if ((await mapping.select('id').limit(1).executeTakeFirst()) === undefined) return []
  const configVersion = await nextConfigurationVersion(db, project_id)
  const rows = await db
    .updateTable('loyalty_tiers')
    .set({ earning_rules: sql`earning_rules - ${earningRuleId}::text`, updated_at: now, config_version: configVersion })
    .where('project_id', '=', project_id)
    .where(sql<boolean>`jsonb_exists(earning_rules, ${earningRuleId})`)
    .returningAll()
    .execute()
  return rows.sort((a, b) => (a.id < b.id ? -1 : 1))
}
