import { operation } from '../../core/http/operation.ts'
import { listed } from '../../core/query/list.ts'
import { NotificationList, NotificationQuery, NotificationView, UpdateNotification } from './schema.ts'
import { getNotification, listNotifications, type StoredNotification, updateRead } from './store.ts'

const path = '/management/v1/projects/{projectId}/notifications'

export const notifications = [
  operation({
    id: 'listNotifications',
    method: 'GET',
    path,
    summary: 'List notifications',
    description:
      'What the service has told the project by itself, newest first. They are kept for `AUDIT_RETENTION_DAYS`.',
    query: NotificationQuery,
    reply: NotificationList,
    errors: ['invalid_query_params', 'not_found'],
    run: async (ctx, { query }) => {
      const { rows, ...more } = await listNotifications(ctx, query)
      return listed('data', rows.map(toNotification), more)
    },
  }),
  operation({
    id: 'updateNotification',
    method: 'PUT',
    path: `${path}/{notificationId}`,
    summary: 'Mark a notification as read',
    description: 'Or as unread again.',
    body: UpdateNotification,
    reply: NotificationView,
    errors: ['invalid_payload', 'not_found'],
    target: (ctx, { params }) => getNotification(ctx, params.notificationId),
    run: async (ctx, { target, body }) => toNotification(await updateRead(ctx, target.id, body.read)),
  }),
]

function toNotification({ project_id: _, ...row }: StoredNotification): NotificationView {
  return { ...row, kind: row.kind as NotificationView['kind'], object: 'notification' }
}
