import { type Selectable, sql } from 'kysely'
import type { Ctx } from '../../context.ts'
import type { AsyncActionRow } from '../../db/tables.ts'
import { notFound } from '../../http/errors.ts'
import { cursorOf } from '../../query/list.ts'
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

/** Newest first. */
export async function listAsyncActions(
  { db, project_id }: Ctx,
  { end_date, ...query }: AsyncActionQuery,
): Promise<{ rows: AsyncActionBase[]; has_more: boolean }> {
  const actions = db.selectFrom('async_actions').where('project_id', '=', project_id).select(publicColumns)
  const { rows, has_more } = await cursorOf(actions, query, {
    columns: { created_at: 'created_at' },
    default_order: '-created_at',
    where: end_date === undefined ? [] : [sql`created_at < ${end_date}::timestamptz`],
  })
  return { rows: rows.map(toAsyncAction), has_more }
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
