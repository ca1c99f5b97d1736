import type { Selectable } from 'kysely'
import type { Ctx } from '../../context.ts'
import type { AsyncActionRow } from '../../db/tables.ts'
import { notFound } from '../../http/errors.ts'
import { limits } from '../../lib/limits.ts'
import type { AsyncAction, AsyncActionBase, AsyncActionQuery, AsyncActionType } from './schema.ts'

export async function getAsyncAction({ db, project_id }: Ctx, id: string): Promise<AsyncAction> {
  const row = await db
    .selectFrom('async_actions')
    .where('project_id', '=', project_id)
    .where('id', '=', id as AsyncActionRow['id'])
    .select([...publicColumns, 'result'])
    .executeTakeFirst()
  if (row === undefined) throw notFound('async_action', id)
  const { result, ...rest } = row
  return { ...toAsyncAction(rest), ...(result === null ? {} : { result }) }
}

/** Newest first; `end_date` is the cursor of the next page. */
export async function listAsyncActions(
  { db, project_id }: Ctx,
  { limit = limits.page_size_default, end_date }: AsyncActionQuery,
): Promise<{ rows: AsyncActionBase[]; has_more: boolean }> {
  const found = await db
    .selectFrom('async_actions')
    .where('project_id', '=', project_id)
    .$if(end_date !== undefined, (query) => query.where('created_at', '<', end_date as string))
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit + 1)
    .select(publicColumns)
    .execute()
  return { rows: found.slice(0, limit).map(toAsyncAction), has_more: found.length > limit }
}

/** Without `input` and `state`, which can be large and are internal to the job. */
const publicColumns = [
  'id',
  'type',
  'status',
  'operation_status',
  'created_at',
  'updated_at',
  'request_id',
  'processing_time',
  'progress',
] as const

function toAsyncAction({
  type,
  processing_time,
  ...row
}: Pick<Selectable<AsyncActionRow>, (typeof publicColumns)[number]>): AsyncActionBase {
  return {
    ...row,
    type: type as AsyncActionType,
    ...(processing_time === null ? {} : { processing_time }),
    object: 'async_action',
  }
}
