import type { Id } from '../../lib/ids.ts'
import type { Instant } from '../../lib/instant.ts'

/** What operators watch. */
export interface MonitoringTables {
  audit_log: AuditLogRow
  audit_bodies: AuditBodiesRow
}

export interface AuditLogRow {
  project_id: string
  id: Id<'audit_entry'>
  created_at: Instant
  /** Milliseconds. */
  request_duration: number
  status_code: number
  channel: string
  method: string
  endpoint: string
  url: string
  user_email: string | null
  app_id: string | null
  client_app_id: string | null
  client_request_id: string | null
  async_action_id: string | null
  /** JSON text, or other text if it was cut or is no JSON. Null in rows with `bodies_id`, which say where both are. */
  request_body: string | null
  response_body: string | null
  bodies_id: Id<'audit_entry'> | null
  /** Where the request body begins in the inflated bytes. The response body follows it; null is the length of none. */
  bodies_from: number | null
  request_bytes: number | null
  response_bytes: number | null
}

/** The bodies of several entries of one project and day. */
export interface AuditBodiesRow {
  project_id: string
  /** That of the first entry. */
  id: Id<'audit_entry'>
  /** UTF-8 text, deflated. */
  data: Buffer
}
