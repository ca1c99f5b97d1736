import type { Generated } from 'kysely'
import type { Id } from '../../lib/ids.ts'
import type { Instant } from '../../lib/instant.ts'
import type { Json } from './columns.ts'

/** Webhooks and their send-outs. */
export interface WebhookTables {
  webhooks: WebhookRow
  webhook_sendouts: SendoutRow
}

export interface WebhookRow {
  project_id: string
  id: Id<'webhook'>
  target_url: string
  events: string[]
  active: boolean
  /** When delivery switched it off, after the last retry of a send-out. */
  failed_at: Instant | null
  /** How often its owner has switched it on again. */
  activation: Generated<number>
  /** Delivery had switched it off: what waits since before this activation is given up. Null when nothing is left of it. */
  give_up_before: number | null
  /** When its owner switched it on: what waits since before is due at that moment. Null when all of it is. */
  restarted_at: Instant | null
  /** The node that delivers to it, until when, by the clock of the database. */
  lease_node: string | null
  lease_until: Instant | null
  created_at: Instant
  updated_at: Instant | null
}

export type SendoutStatus = 'PENDING' | 'RETRYING' | 'SUCCEEDED' | 'FAILED'

/** One attempt to deliver a send-out, as the log shows it. */
export interface SendoutAttempt {
  at: Instant
  status_code: number | null
  duration_ms: number
  error: string | null
  response_body: string | null
}

/** One event on its way to one webhook. The trigger of db/functions/write_sendouts.sql inserts it. */
export interface SendoutRow {
  project_id: string
  id: Id<'sendout'>
  webhook_id: string
  /** Null if the event of a test was made up. */
  event_id: string | null
  /** Only of a test; otherwise the body is made of the event, which never changes. */
  body: string | null
  type: string
  /** The address of the webhook when the send-out was created, as its body says. */
  source_url: string
  /** The address of the last attempt, if the webhook has got another one since. */
  target_url: string | null
  status: SendoutStatus
  reason: string | null
  is_test: Generated<boolean>
  request_id: string
  created_at: Instant
  first_attempt_at: Instant | null
  executed_at: Instant | null
  /** By the schedule of retries; null when no attempt follows. */
  next_attempt_at: Instant | null
  /** When a node sends it next: `next_attempt_at`, or -infinity while somebody waits for a manual attempt. */
  due_at: Instant | null
  is_manual: Generated<boolean>
  /** The activation of the webhook in which its schedule began. */
  activation: Generated<number>
  attempts: Json<SendoutAttempt[]>
}
