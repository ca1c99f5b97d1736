import { type Insertable, sql } from 'kysely'
import type { Ctx } from '../../core/context.ts'
import { nextConfigurationVersion, recordDeletion } from '../../core/db/configuration.ts'
import type { RewardAssignmentRow } from '../../core/db/tables.ts'
import { duplicate, notFound } from '../../core/http/errors.ts'
import { newId } from '../../core/lib/ids.ts'
import type { Condition } from '../../core/query/filter/conditions.ts'
import { pageOf } from '../../core/query/list.ts'
import type { StoredRewardAssignment } from './reward-assignment.ts'
import type { RewardAssignmentPageQuery } from './schema.ts'

type AssignmentId = RewardAssignmentRow['id']

/** Filters and row lock: `here` keeps other transactions from deleting the assignment, `alone` from changing it, too. */
interface AssignmentOptions {
  reward_id?: string
  /** The id of a campaign or a referral tier. */
  related_object_id?: string
  lock?: 'here' | 'alone'
}

export async function getRewardAssignment(
  ctx: Ctx,
  id: string,
  options: AssignmentOptions = {},
): Promise<StoredRewardAssignment> {
  const row = await findRewardAssignment(ctx, id, options)
  if (row === undefined) throw notFound('reward_assignment', id)
  return row
}

export async function findRewardAssignment(
  { db, project_id }: Ctx,
  id: string,
  { reward_id, related_object_id, lock }: AssignmentOptions = {},
): Promise<StoredRewardAssignment | undefined> {
  if (id.includes('\0')) return undefined
  return db
    .selectFrom('reward_assignments')
    .where('project_id', '=', project_id)
    .where('id', '=', id as AssignmentId)
    .$if(reward_id !== undefined, (query) => query.where('reward_id', '=', reward_id as `rew_${string}`))
    .$if(related_object_id !== undefined, (query) => query.where('related_object_id', '=', related_object_id as string))
    .selectAll()
    .$if(lock === 'here', (query) => query.forKeyShare())
    .$if(lock === 'alone', (query) => query.forUpdate())
    .executeTakeFirst()
}

/** The assignment of a reward to a campaign or a referral tier, which have each reward once at most. */
export async function findAssignmentTo(
  { db, project_id }: Ctx,
  rewardId: string,
  relatedObjectId: string,
): Promise<StoredRewardAssignment | undefined> {
  return db
    .selectFrom('reward_assignments')
    .where('project_id', '=', project_id)
    .where('reward_id', '=', rewardId as RewardAssignmentRow['reward_id'])
    .where('related_object_id', '=', relatedObjectId)
    .selectAll()
    .executeTakeFirst()
}

/** The assignments of a reward, of a campaign or of a referral tier; with `id`, only that one. */
export async function listRewardAssignments(
  { db, project_id }: Ctx,
  owner: { reward_id: string } | { related_object_id: string },
  page: RewardAssignmentPageQuery,
  id?: string,
): Promise<{ assignments: StoredRewardAssignment[]; total: number }> {
  const where: Condition[] = id === undefined ? [] : [sql`id = ${id}`]
  const all = db.selectFrom('reward_assignments').where('project_id', '=', project_id).selectAll()
  const { rows, total } = await pageOf(
    'reward_id' in owner
      ? all.where('reward_id', '=', owner.reward_id as RewardAssignmentRow['reward_id'])
      : all.where('related_object_id', '=', owner.related_object_id),
    page,
    { columns: { created_at: 'created_at' }, default_order: '-created_at', where },
  )
  return { assignments: rows, total }
}

/** All assignments of a campaign or a referral tier, newest first: `limits.program_rewards_max` at most. */
export async function listAssignmentsTo(
  { db, project_id }: Ctx,
  relatedObjectId: string,
): Promise<StoredRewardAssignment[]> {
  return db
    .selectFrom('reward_assignments')
    .where('project_id', '=', project_id)
    .where('related_object_id', '=', relatedObjectId)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .selectAll()
    .execute()
}

/** Assignments by id, in any order; unknown ids are left out. */
export async function listRewardAssignmentsById(
  { db, project_id }: Ctx,
  ids: readonly string[],
): Promise<StoredRewardAssignment[]> {
  return db
    .selectFrom('reward_assignments')
    .where('project_id', '=', project_id)
    .where(sql<boolean>`id = any(${ids}::text[])`)
    .selectAll()
    .execute()
}

/** The first 20 ids of a reward's assignments, and their total number. */
export async function assignmentsOfReward(
  { db, project_id }: Ctx,
  rewardId: string,
): Promise<{ ids: string[]; total: number }> {
  const { rows } = await sql<{ id: string; total: number }>`
    select id, count(*) over () as total from reward_assignments
    where project_id = ${project_id} and reward_id = ${rewardId} order by id limit 20`.execute(db)
  return { ids: rows.map(({ id }) => id), total: rows[0]?.total ?? 0 }
}

export type NewAssignmentRow = Pick<
  Insertable<RewardAssignmentRow>,
  'reward_id' | 'related_object_type' | 'related_object_id'
> & {
  parameters: StoredRewardAssignment['parameters']
  /** The position in the request, which determines the order in lists. */
  place?: number
}

/** Throws 409 if the reward is already assigned. */
export async function insertRewardAssignment(
  ctx: Ctx,
  { parameters, place = 0, ...assignment }: NewAssignmentRow,
): Promise<StoredRewardAssignment> {
  const { db, project_id, now } = ctx
  const configVersion = await nextConfigurationVersion(db, project_id)
  const row = await db
    .insertInto('reward_assignments')
    .values({
      ...assignment,
      project_id,
      id: newId('reward_assignment', Date.parse(now) + place),
      parameters: JSON.stringify(parameters),
      created_at: now,
      updated_at: null,
      config_version: configVersion,
    })
    .onConflict((conflict) => conflict.columns(['project_id', 'reward_id', 'related_object_id']).doNothing())
    .returningAll()
    .executeTakeFirst()
  if (row !== undefined) return row
  const existing = await findAssignmentTo(ctx, assignment.reward_id, assignment.related_object_id)
  throw duplicate('reward_assignment', 'id', existing?.id ?? assignment.reward_id)
}

/** Updates the price of an assignment that the caller has locked. */
export async function updateRewardAssignment(
  { db, project_id, now }: Ctx,
  id: AssignmentId,
  parameters: StoredRewardAssignment['parameters'],
): Promise<StoredRewardAssignment> {
  const configVersion = await nextConfigurationVersion(db, project_id)
  return db
    .updateTable('reward_assignments')
    .set({ parameters: JSON.stringify(parameters), updated_at: now, config_version: configVersion })
    .where('project_id', '=', project_id)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow()
}

/** The caller has deleted its validation rules already: each of them records its own deletion. */
export async function deleteRewardAssignment({ db, project_id }: Ctx, id: AssignmentId): Promise<void> {
  await recordDeletion(db, project_id, 'reward_assignment', id)
  await db
    .deleteFrom('reward_assignments')
    .where('project_id', '=', project_id)
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
}
