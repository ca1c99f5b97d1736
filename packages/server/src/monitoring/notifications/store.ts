import { type Selectable, sql } from 'kysely'
import type { Ctx } from '../../core/context.ts'
import type { NotificationRow, RaisedNotificationRow } from '../../core/db/tables.ts'
import { notFound } from '../../core/http/errors.ts'
import { newId } from '../../core/lib/ids.ts'
import { cursorOf } from '../../core/query/list.ts'
import { getRow } from '../../core/rows.ts'
import type { Notification } from './kinds.ts'
import type { NotificationQuery } from './schema.ts'

export type StoredNotification = Selectable<NotificationRow>

const notifications = { table: 'notifications', type: 'notification' } as const

/**
 * Whether this transaction may raise the notification: true for the first until `expires_at`. A concurrent transaction waits here
 * until this one ends.
 */
export async function markRaised(
  { db, project_id, now }: Ctx,
  { kind, subject, expires_at }: Omit<RaisedNotificationRow, 'project_id'>,
): Promise<boolean> {
  const marked = await db
    .insertInto('raised_notifications')
    .values({ project_id, kind, subject, expires_at })
    .onConflict((conflict) =>
      conflict
        .columns(['project_id', 'kind', 'subject'])
        .doUpdateSet({ expires_at })
        .where('raised_notifications.expires_at', '<=', now),
    )
    .returning('kind')
    .executeTakeFirst()
  return marked !== undefined
}

export async function insertNotification(
  { db, project_id, now }: Ctx,
  { kind, severity, message, data }: Notification,
): Promise<void> {
  await db
    .insertInto('notifications')
    .values({
      project_id,
      id: newId('notification', Date.parse(now)),
      kind,
      severity,
      message,
      data: JSON.stringify(data),
      created_at: now,
    })
    .execute()
}

export const getNotification = (ctx: Ctx, id: string): Promise<StoredNotification> => getRow(ctx, notifications, id)

/** Newest first: ids sort by creation. */
export function listNotifications({ db, project_id }: Ctx, { read, ...query }: NotificationQuery) {
  const rows = db.selectFrom('notifications').where('project_id', '=', project_id).selectAll()
  return cursorOf(rows, query, {
    columns: { id: 'id' },
    default_order: '-id',
    // Not `read = …`: only this form matches the index of unread ones.
    where: read === undefined ? [] : [read ? sql`read` : sql`not read`],
  })
}

export async function updateRead({ db, project_id }: Ctx, id: string, read: boolean): Promise<StoredNotification> {
  const row = await db
    .updateTable('notifications')
    .set({ read })
    .where('project_id', '=', project_id)
    .where('id', '=', id as StoredNotification['id'])
    .returningAll()
    .executeTakeFirst()
  if (row === undefined) throw notFound('notification', id) // maintenance deleted it in the meantime
  return row
}
