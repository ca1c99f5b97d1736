import { Instant, Nullable, OneOf } from '@guerdon/engine/schema'
import { type Static, Type } from 'typebox'
import { CursorQuery, listOf } from '../../core/query/list.ts'

const Status = OneOf(['PENDING', 'RETRYING', 'SUCCEEDED', 'FAILED'])

const Attempt = Type.Object({
  at: Instant,
  status_code: Nullable(Type.Integer()),
  duration_ms: Type.Integer({ minimum: 0 }),
  error: Nullable(Type.String()),
  response_body: Nullable(Type.String({ description: 'At most the first 10 KiB.' })),
})

export const Sendout = Type.Object({
  id: Type.String({ description: '`whs_` and 18 hexadecimal digits.' }),
  object: Type.Literal('webhook_sendout'),
  webhook_id: Type.String(),
  type: Type.String(),
  status: Status,
  reason: Nullable(Type.String({ description: 'Why it was given up without a last attempt.' })),
  test: Type.Boolean({ description: 'Whether it is the sample of a test.' }),
  source: Type.Object({ id: Type.String(), object: Type.Literal('webhook'), target_url: Type.String() }),
  target_url: Type.String({ description: 'The address of the last attempt.' }),
  request_id: Type.String({ description: 'The `group_id` of the event.' }),
  event_id: Nullable(Type.String()),
  event_created_at: Nullable(Instant),
  created_at: Instant,
  executed_at: Nullable(Instant),
  next_attempt_at: Nullable(Instant),
  attempts: Type.Array(Attempt),
  data: Type.Unsafe<object>({ type: 'object', description: 'The body that is sent.', additionalProperties: true }),
})
export type Sendout = Static<typeof Sendout>

export const SendoutList = listOf('data', Sendout, { cursor: true })

const { limit, starting_after_id } = CursorQuery({ order: ['-created_at'] })

export const SendoutQuery = Type.Object({
  limit,
  starting_after_id,
  status: Type.Optional(Status),
  webhook_id: Type.Optional(Type.String()),
  type: Type.Optional(Type.String()),
  request_id: Type.Optional(Type.String()),
  event_id: Type.Optional(Type.String()),
})
export type SendoutQuery = Static<typeof SendoutQuery>
