import { type Insertable, sql, type Updateable } from 'kysely'
import type { Ctx } from '../../core/context.ts'
import { nextConfigurationVersion, recordDeletion } from '../../core/db/configuration.ts'
import type { RewardAssignmentRow, RewardRow } from '../../core/db/tables.ts'
import { notFound } from '../../core/http/errors.ts'
import { newId } from '../../core/lib/ids.ts'
import { pageOf } from '../../core/query/list.ts'
import type { StoredReward } from './reward.ts'
import type { RewardQuery } from './schema.ts'

type RewardId = RewardRow['id']

/**
 * The row lock on a reward: `here` keeps other transactions from deleting it, `alone` from changing it, too. A transaction that
 * also locks a campaign locks the campaign first.
 */
export type RewardLock = 'here' | 'alone'

export async function getReward(ctx: Ctx, id: string, options: { lock?: RewardLock } = {}): Promise<StoredReward> {
  const row = await findReward(ctx, id, options)
  if (row === undefined) throw notFound('reward', id)
  return row
}

export async function findReward(
  { db, project_id }: Ctx,
  id: string,
  { lock }: { lock?: RewardLock } = {},
): Promise<StoredReward | undefined> {
  if (id.includes('\0')) return undefined
  return db
    .selectFrom('rewards')
    .where('project_id', '=', project_id)
    .where('id', '=', id as RewardId)
    .selectAll()
    .$if(lock === 'here', (query) => query.forKeyShare())
    .$if(lock === 'alone', (query) => query.forUpdate())
    .executeTakeFirst()
}

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

export async function insertReward(
  { db, project_id, now }: Ctx,
  reward: Pick<Insertable<RewardRow>, 'name' | 'type' | 'parameters' | 'stock' | 'attributes' | 'metadata'>,
): Promise<StoredReward> {
  const configVersion = await nextConfigurationVersion(db, project_id)
  return db
    .insertInto('rewards')
    .values({
      ...reward,
      project_id,
      id: newId('reward', Date.parse(now)),
      created_at: now,
      updated_at: null,
      config_version: configVersion,
    })
    .returningAll()
    .executeTakeFirstOrThrow()
}

/** Updates a reward that the caller has locked. */
export async function updateReward(
  { db, project_id, now }: Ctx,
  id: RewardId,
  changes: Pick<Updateable<RewardRow>, 'name' | 'parameters' | 'stock' | 'attributes' | 'metadata'>,
): Promise<StoredReward> {
  const configVersion = await nextConfigurationVersion(db, project_id)
  return db
    .updateTable('rewards')
    .set({ ...changes, updated_at: now, config_version: configVersion })
    .where('project_id', '=', project_id)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow()
}

/** The caller has deleted its assignments already. */
export async function deleteReward({ db, project_id }: Ctx, id: RewardId): Promise<void> {
  await recordDeletion(db, project_id, 'reward', id)
  await db.deleteFrom('rewards').where('project_id', '=', project_id).where('id', '=', id).executeTakeFirstOrThrow()
}
