import { Instant, Nullable, OneOf } from '@guerdon/engine/schema'
import { type Static, Type } from 'typebox'
import { CursorQuery, DateQuery, listOf } from '../../core/query/list.ts'

const LoggedBody = Type.Unsafe<unknown>({
  description:
    'JSON as it was sent, with secrets replaced by `***`; text if it was cut after 64 KiB, is nested deeper than 120 levels or is no JSON.',
})

export const AuditLogEntry = Type.Object({
  id: Type.String({ description: '`log_` and the digits of the request id.' }),
  created_at: Instant,
  status: OneOf(['SUCCESS', 'FAILURE']),
  status_code: Type.Integer({ description: '499 if the caller closed the connection before the response.' }),
  request_id: Type.String(),
  client_request_id: Nullable(Type.String({ description: 'What the caller sent as `X-Request-Id`.' })),
  channel: Type.String(),
  method: Type.String(),
  endpoint: Type.String({ description: 'Method and route without parameters: `POST_v1_vouchers_import_csv`.' }),
  url: Type.String({ description: 'Path and query.' }),
  user_email: Nullable(Type.String()),
  app_id: Nullable(Type.String()),
  client_app_id: Nullable(Type.String()),
  request_duration: Type.Integer({ minimum: 0, description: 'Milliseconds.' }),
  request_body: LoggedBody,
  response_body: LoggedBody,
  async_action_id: Nullable(Type.String()),
  object: Type.Literal('audit_log_entry'),
})
export type AuditLogEntry = Static<typeof AuditLogEntry>

const { limit, starting_after_id } = CursorQuery({ order: ['-id'] })

export const AuditLogQuery = Type.Object({
  limit,
  starting_after_id,
  status: Type.Optional(OneOf(['SUCCESS', 'FAILURE'])),
  method: Type.Optional(OneOf(['GET', 'HEAD', 'POST', 'PUT', 'DELETE'])),
  endpoint: Type.Optional(Type.String()),
  app_id: Type.Optional(Type.String({ description: 'The id of an API key, of the server or the client side.' })),
  request_id: Type.Optional(Type.String()),
  created_at: DateQuery.created_at,
})
export type AuditLogQuery = Static<typeof AuditLogQuery>

export const AuditLogList = listOf('data', AuditLogEntry, { cursor: true })
