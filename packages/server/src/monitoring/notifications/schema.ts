import { Instant, OneOf } from '@guerdon/engine/schema'
import { type Static, Type } from 'typebox'
import { CursorQuery, listOf } from '../../core/query/list.ts'
import { notificationKinds } from './kinds.ts'

export const NotificationView = Type.Object({
  id: Type.String(),
  created_at: Instant,
  kind: OneOf(notificationKinds),
  severity: OneOf(['INFO', 'WARNING', 'ERROR']),
  message: Type.String(),
  data: Type.Record(Type.String(), Type.Unknown(), {
    description: 'What it is about: `webhook_id` of a webhook; `calls`, `limit` and window of a limit.',
  }),
  read: Type.Boolean(),
  object: Type.Literal('notification'),
})
export type NotificationView = Static<typeof NotificationView>

export const NotificationList = listOf('data', NotificationView, { cursor: true })

export const UpdateNotification = Type.Object({ read: Type.Boolean() })

const { limit, starting_after_id } = CursorQuery({ order: ['-id'] })

export const NotificationQuery = Type.Object({
  limit,
  starting_after_id,
  read: Type.Optional(Type.Boolean({ description: 'Only those that were read, or were not.' })),
})
export type NotificationQuery = Static<typeof NotificationQuery>
