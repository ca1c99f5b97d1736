import { type Insertable, sql } from 'kysely'
import type { Ctx } from '../../core/context.ts'
import { nextConfigurationVersion } from '../../core/db/configuration.ts'
import type { RewardAssignmentRow } from '../../core/db/tables.ts'
import { duplicate, notFound } from '../../core/http/errors.ts'
import { newId } from '../../core/lib/ids.ts'
import type { Condition } from '../../core/query/filter/conditions.ts'
import { pageOf } from '../../core/query/list.ts'
import { deleteRow, findRow, listRows, type RowLock, updateRow } from '../../core/rows.ts'
import type { StoredRewardAssignment } from './reward-assignment.ts'
import type { RewardAssignmentPageQuery } from './schema.ts'

type AssignmentId = RewardAssignmentRow['id']

const rewardAssignments = {
  table: 'reward_assignments',
  type: 'reward_assignment',
  configuration_type: 'reward_assignment',
} as const

interface AssignmentOptions {
  reward_id?: string
  /** The id of a campaign or a referral tier. */
  related_object_id?: string
  lock?: RowLock
}

export async function getRewardAssignment(
  ctx: Ctx,
  id: string,
  options: AssignmentOptions = {},
): Promise<StoredRewardAssignment> {
  const row = await findRewardAssignment(ctx, id, options)
  if (row === undefined) throw notFound(rewardAssignments.type, id)
  return row
}

export const findRewardAssignment = (
  ctx: Ctx,
  id: string,
  { lock, ...where }: AssignmentOptions = {},
): Promise<StoredRewardAssignment | undefined> => findRow(ctx, rewardAssignments, { ...where, id }, { lock })

/** The assignment of a reward to a campaign or a referral tier, which have each reward once at most. */
export const findAssignmentTo = (
  ctx: Ctx,
  rewardId: string,
  relatedObjectId: string,
): Promise<StoredRewardAssignment | undefined> =>
  findRow(ctx, rewardAssignments, { reward_id: rewardId, related_object_id: relatedObjectId })

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
export const listAssignmentsTo = (ctx: Ctx, relatedObjectId: string): Promise<StoredRewardAssignment[]> =>
  listRows(ctx, rewardAssignments, { related_object_id: relatedObjectId }, 'desc')

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
export const updateRewardAssignment = (
  ctx: Ctx,
  id: AssignmentId,
  parameters: StoredRewardAssignment['parameters'],
): Promise<StoredRewardAssignment> => updateRow(ctx, rewardAssignments, id, { parameters: JSON.stringify(parameters) })

/** The caller has deleted its validation rules already: each of them records its own deletion. */
export const deleteRewardAssignment = (ctx: Ctx, id: AssignmentId): Promise<void> =>
  deleteRow(ctx, rewardAssignments, id)
