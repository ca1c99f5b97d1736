import { sql } from 'kysely'
import type { Ctx } from '../../core/context.ts'
import type { RewardAssignmentRow, RewardRow } from '../../core/db/tables.ts'
import { newId } from '../../core/lib/ids.ts'
import { pageOf } from '../../core/query/list.ts'
import {
  deleteRow,
  findRow,
  getRow,
  insertRow,
  type NewRow,
  type RowChanges,
  type RowLock,
  updateRow,
} from '../../core/rows.ts'
import type { StoredReward } from './reward.ts'
import type { RewardQuery } from './schema.ts'

type RewardId = RewardRow['id']

const rewards = { table: 'rewards', type: 'reward', configuration_type: 'reward' } as const

/** A transaction that locks a reward and a campaign locks the campaign first. */
export const getReward = (ctx: Ctx, id: string, options?: { lock?: RowLock }): Promise<StoredReward> =>
  getRow(ctx, rewards, id, options)

export const findReward = (ctx: Ctx, id: string, options?: { lock?: RowLock }): Promise<StoredReward | undefined> =>
  findRow(ctx, rewards, { id }, options)

export async function listRewards(
  { db, project_id }: Ctx,
  { assignment_id, ...page }: RewardQuery,
): Promise<{ rewards: StoredReward[]; total: number }> {
  const { rows, total } = await pageOf(
    db.selectFrom('rewards').where('project_id', '=', project_id).selectAll(),
    page,
    {
      columns: { created_at: 'created_at' },
      default_order: '-created_at',
      where:
        assignment_id === undefined
          ? []
          : [
              sql`id = (select reward_id from reward_assignments
                where project_id = ${project_id} and id = ${assignment_id as RewardAssignmentRow['id']})`,
            ],
    },
  )
  return { rewards: rows, total }
}

export const insertReward = (ctx: Ctx, reward: Omit<NewRow<'rewards'>, 'id'>): Promise<StoredReward> =>
  insertRow(ctx, rewards, { ...reward, id: newId('reward', Date.parse(ctx.now)) })

/** Updates a reward that the caller has locked. */
export const updateReward = (ctx: Ctx, id: RewardId, changes: RowChanges<'rewards'>): Promise<StoredReward> =>
  updateRow(ctx, rewards, id, changes)

/** The caller has deleted its assignments already. */
export const deleteReward = (ctx: Ctx, id: RewardId): Promise<void> => deleteRow(ctx, rewards, id)
