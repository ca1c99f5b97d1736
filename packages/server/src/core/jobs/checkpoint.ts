import { sql } from 'kysely'
import type { Ctx } from '../context.ts'
import type { Id } from '../lib/ids.ts'
import type { Instant } from '../lib/instant.ts'
import { limits } from '../lib/limits.ts'

/** The progress of a running action, stored in its `state` column in the same transaction as the work it counts. */
export interface Checkpoint {
  /** The state of the action itself. */
  state: object
  /** Whether all steps are done and only the result is missing. */
  finished: boolean
  done_count: number
  failed_count: number
  /** Retries of the job when this checkpoint was saved. */
  retries: number
}

export interface LockedAction {
  created_at: Instant
  progress: number
  /** Null before the first step. */
  checkpoint: Checkpoint | null
}

type ActionId = Id<'async_action'>

/** Reads and locks an unfinished action; null when it is finished. */
export async function lockAction({ db, project_id }: Ctx, id: ActionId): Promise<LockedAction | null> {
  const row = await db
    .selectFrom('async_actions')
    .where('project_id', '=', project_id)
    .where('id', '=', id)
    .where('status', 'in', ['ENQUEUED', 'IN_PROGRESS'])
    .select(['status', 'created_at', 'progress', 'state'])
    .forUpdate()
    .executeTakeFirst()
  if (row === undefined) return null
  const { status, created_at, progress, state } = row
  return { created_at, progress, checkpoint: status === 'ENQUEUED' ? null : (state as Checkpoint) }
}

export async function saveCheckpoint(ctx: Ctx, id: ActionId, checkpoint: Checkpoint, progress: number): Promise<void> {
  await updateAction(ctx, id, { status: 'IN_PROGRESS', progress, state: JSON.stringify(checkpoint) })
}

/** Stores failures for the result, up to the number that it lists; `before` were stored in earlier steps. */
export async function insertFailures(
  { db, project_id }: Ctx,
  id: ActionId,
  before: number,
  failed: object[],
): Promise<void> {
  const listedFailures = failed.slice(0, Math.max(0, limits.async_failures_listed_max - before))
  if (listedFailures.length === 0) return
  await db
    .insertInto('async_failures')
    .values(
      listedFailures.map((failure, index) => ({
        project_id,
        action_id: id,
        position: before + index,
        failure: JSON.stringify(failure),
      })),
    )
    .execute()
}

export async function listFailures({ db, project_id }: Ctx, id: ActionId): Promise<object[]> {
  const rows = await db
    .selectFrom('async_failures')
    .where('project_id', '=', project_id)
    .where('action_id', '=', id)
    .orderBy('position')
    .select('failure')
    .execute()
  return rows.map(({ failure }) => failure)
}

/** Ends a completed action: `operation_status` is SUCCESS without failures, FAILED with at least one. */
export async function finishAction(
  ctx: Ctx,
  id: ActionId,
  { created_at, checkpoint }: LockedAction,
  result: object,
): Promise<void> {
  const hasFailures = (checkpoint?.failed_count ?? 0) > 0
  await updateAction(ctx, id, {
    status: 'DONE',
    operation_status: hasFailures ? 'FAILED' : 'SUCCESS',
    progress: 100,
    ...finalColumns(ctx, created_at, result),
  })
  if (hasFailures) await deleteFailures(ctx, id)
}

/** Ends an action that failed as a whole; its result says how many records were processed before. */
export async function failAction(
  ctx: Ctx,
  id: ActionId,
  { created_at, checkpoint }: LockedAction,
  message: string,
): Promise<void> {
  const { done_count = 0, failed_count = 0 } = checkpoint ?? {}
  const result = { message: storableText(message), failed: await listFailures(ctx, id), done_count, failed_count }
  await updateAction(ctx, id, {
    status: 'FAILED',
    operation_status: 'FAILED',
    ...finalColumns(ctx, created_at, result),
  })
  await deleteFailures(ctx, id)
}

/** A message may quote what was sent; what the database cannot store of it must not keep the action from ending. */
const storableText = (text: string): string => text.toWellFormed().replaceAll('\0', '\ufffd')

/** The columns of a finished action. Its record is kept for ever, so input and state are cleared. */
function finalColumns({ now }: Ctx, createdAt: Instant, result: object) {
  return {
    processing_time: Math.min(Math.max(0, Date.parse(now) - Date.parse(createdAt)), 2_147_483_647),
    input: '{}',
    state: '{}',
    result: JSON.stringify(result),
  }
}

async function updateAction({ db, project_id, now }: Ctx, id: ActionId, change: object): Promise<void> {
  await db
    .updateTable('async_actions')
    .set({ ...change, updated_at: sql`greatest(updated_at, ${now}::timestamptz)` })
    .where('project_id', '=', project_id)
    .where('id', '=', id)
    .execute()
}

async function deleteFailures({ db, project_id }: Ctx, id: ActionId): Promise<void> {
  await db.deleteFrom('async_failures').where('project_id', '=', project_id).where('action_id', '=', id).execute()
}
