import { type Selectable, sql } from 'kysely'
import type { Ctx } from '../../core/context.ts'
import type { RewardRedemptionRow } from '../../core/db/tables.ts'
import { notFound } from '../../core/http/errors.ts'

/** A reward redemption, locked exclusively until the end of the transaction. */
export async function getRewardRedemption(
  { db, project_id }: Ctx,
  rewardId: string,
  id: string,
): Promise<Selectable<RewardRedemptionRow>> {
  const row = id.includes('\0')
    ? undefined
    : await db
        .selectFrom('reward_redemptions')
        .where('project_id', '=', project_id)
        .where('id', '=', id as RewardRedemptionRow['id'])
        .where('reward_id', '=', rewardId as RewardRedemptionRow['reward_id'])
        .selectAll()
        .forUpdate()
        .executeTakeFirst()
  if (row === undefined) throw notFound('reward_redemption', id)
  return row
}

/** Updates the state of a redemption that the caller has locked. */
export async function updateRewardRedemption(
  { db, project_id, now }: Ctx,
  id: RewardRedemptionRow['id'],
  state: RewardRedemptionRow['state'],
): Promise<Selectable<RewardRedemptionRow>> {
  return db
    .updateTable('reward_redemptions')
    .set({ state, updated_at: now })
    .where('project_id', '=', project_id)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow()
}

/** The tier whose mapping determined the price of a reward, if the redemption that paid for it recorded one. */
export async function findPricingTier({ db, project_id }: Ctx, redemptionId: string): Promise<string | null> {
  const { rows } = await sql<{ tier_id: string | null }>`
    select reward ->> 'loyalty_tier_id' as tier_id from redemptions
    where project_id = ${project_id} and id = ${redemptionId}`.execute(db)
  return rows[0]?.tier_id ?? null
}
