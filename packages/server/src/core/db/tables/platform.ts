import type { ColumnType, Generated } from 'kysely'
import type { Id } from '../../lib/ids.ts'
import type { Instant } from '../../lib/instant.ts'
import type { Json, NullableJson } from './columns.ts'

/** Tables of the platform: stored replies, call counts, events, async actions, files, the trash bin. */
export interface PlatformTables {
  idempotency_keys: IdempotencyKeyRow
  call_windows: CallWindowRow
  events: EventRow
  event_rows: StoredEventRow
  event_parts: EventPartsRow
  event_positions: EventPositionsRow
  async_actions: AsyncActionRow
  async_failures: { project_id: string; action_id: string; position: number; failure: Json }
  tallies: { project_id: string; name: string; id: string; delta: number }
  files: FileRow
  file_chunks: { project_id: string; file_id: string; start: number; bytes: Buffer }
  exports: ExportRow
  bin_entries: BinEntryRow
  mails: MailRow
  notifications: NotificationRow
  raised_notifications: RaisedNotificationRow
}

export interface IdempotencyKeyRow {
  project_id: string
  key: string
  fingerprint: Buffer
  /** Null while the first request is running; other transactions never see that state. */
  status: number | null
  body: string | null
  expires_at: Instant
}

export interface CallWindowRow {
  project_id: string
  kind: string
  seconds: number
  starts_at: Instant
  calls: number
  calls_max: number
}

/** An event with its complete data: a view. */
export interface EventRow {
  project_id: string
  id: string
  type: string
  category: 'ACTION' | 'EFFECT'
  entity_id: string
  created_at: Instant
  group_id: string
  event_source: Json
  /** Campaign and voucher of the event data, if any. */
  campaign_id: string | null
  voucher_id: string | null
  data: Json
}

/** An event as it is stored (db/functions/event_data.sql); its data is JSON text that no query reads. */
export interface StoredEventRow extends Omit<EventRow, 'data'> {
  data: string
  parts_id: string | null
  /** The transaction that inserted it, as a number that grows; 0: inserted before positions existed. */
  position: Generated<number>
}

/** One row: how positions are made of transaction ids (core/db/event-positions.ts). */
export interface EventPositionsRow {
  id: Generated<true>
  shift: number
  /** The time-ordered part of the latest event id without a position; null: every event has one. */
  unpositioned_until: string | null
  /** Events whose time-ordered part is below were dropped with their partitions; null: none. */
  gone_until: string | null
}

/** Data that several events share, stored once. */
export interface EventPartsRow {
  project_id: string
  id: string
  event_ids: string[]
  /** A JSON array. */
  parts: string
}

export interface AsyncActionRow {
  project_id: string
  id: Id<'async_action'>
  type: string
  status: 'ENQUEUED' | 'IN_PROGRESS' | 'DONE' | 'FAILED'
  operation_status: 'UNKNOWN' | 'SUCCESS' | 'FAILED'
  created_at: Instant
  updated_at: Instant
  request_id: string
  event_source: Json
  processing_time: number | null
  progress: number
  input: Json
  state: Json
  result: NullableJson<object>
}

export interface FileRow {
  project_id: string
  id: Id<'file'>
  /** Null while only jobs can read the file. */
  token_hash: Buffer | null
  size: Generated<number>
  created_at: Instant
  expires_at: Instant | null
}

export interface ExportRow {
  project_id: string
  id: Id<'export'>
  exported_object: string
  parameters: Json
  status: 'SCHEDULED' | 'IN_PROGRESS' | 'DONE' | 'ERROR'
  /** Checkpoint of its job. */
  state: ColumnType<object, string | undefined, string>
  file_id: Id<'file'>
  /** Of no use since downloads are signed; nodes of an earlier release write it. */
  token: Generated<string>
  created_at: Instant
}

export interface BinEntryRow {
  project_id: string
  id: Id<'bin_entry'>
  resource_type: 'campaign' | 'voucher' | 'product' | 'sku'
  resource_id: string
  resource_name: string | null
  resource_parent_id: string | null
  created_at: Instant
}

/** A mail that is not sent yet (core/mail/). */
export interface MailRow {
  id: Id<'mail'>
  recipients: string[]
  subject: string
  text: string
  failed_attempts: Generated<number>
  created_at: Generated<Instant>
}

export interface NotificationRow {
  project_id: string
  id: Id<'notification'>
  kind: string
  severity: 'INFO' | 'WARNING' | 'ERROR'
  message: string
  data: Json<Record<string, unknown>>
  read: Generated<boolean>
  created_at: Instant
}

/** A notification that was raised, and must not be raised again until the row expires. */
export interface RaisedNotificationRow {
  project_id: string
  kind: string
  /** What it is about: a webhook, a period. */
  subject: string
  expires_at: Instant
}
