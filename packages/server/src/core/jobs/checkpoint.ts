import { sql } from 'kysely'
import type { Ctx } from '../context.ts'
import type { Id } from '../lib/ids.ts'
import type { Instant } from '../lib/instant.ts'
import { limits } from '../lib/limits.ts'

/** How far a running action came: the content of its `state` column, changed only together with the work it counts. */
export interface Checkpoint {
  /** The action's own. */
  state: object
  /** Whether only the result is still missing. */
  finished: boolean
  done_count: number
  failed_count: number
  /** How often the job had been taken up again when this was written. */
  retries: number
}

export interface ActionAtWork {
  created_at: Instant
  progress: number
  /** Null before it began. */
  checkpoint: Checkpoint | null
}

type ActionId = Id<'async_action'>

/** Reads an action that is not over and keeps it locked; null when it is over. */
export async function lockAction({ db, project_id }: Ctx, id: ActionId): Promise<ActionAtWork | null> {
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

/** Keeps failures for the result, as many as it will list; `before` failures were counted already. */
export async function insertFailures(
  { db, project_id }: Ctx,
  id: ActionId,
  before: number,
  failed: object[],
): Promise<void> {
  const kept = failed.slice(0, Math.max(0, limits.async_failures_listed_max - before))
  if (kept.length === 0) return
  await db
    .insertInto('async_failures')
    .values(
      kept.map((failure, index) => ({
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

/** The action did what it could: SUCCESS without failures, FAILED with at least one. */
export async function finishAction(
  ctx: Ctx,
  id: ActionId,
  { created_at, checkpoint }: ActionAtWork,
  result: object,
): Promise<void> {
  const hasFailures = (checkpoint?.failed_count ?? 0) > 0
  await updateAction(ctx, id, {
    status: 'DONE',
    operation_status: hasFailures ? 'FAILED' : 'SUCCESS',
    progress: 100,
    ...remains(ctx, created_at, result),
  })
  if (hasFailures) await deleteFailures(ctx, id)
}

/** The action as a whole broke; its result says how much of it had been done before. */
export async function breakAction(
  ctx: Ctx,
  id: ActionId,
  { created_at, checkpoint }: ActionAtWork,
  message: string,
): Promise<void> {
  const { done_count = 0, failed_count = 0 } = checkpoint ?? {}
  const result = { message, failed: await listFailures(ctx, id), done_count, failed_count }
  await updateAction(ctx, id, { status: 'FAILED', operation_status: 'FAILED', ...remains(ctx, created_at, result) })
  await deleteFailures(ctx, id)
}

/** What stays of an action that is over. Records are kept for ever: the file that was imported is not. */
function remains({ now }: Ctx, createdAt: Instant, result: object) {
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
