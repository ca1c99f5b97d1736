import type { Id } from '../../lib/ids.ts'
import type { Instant } from '../../lib/instant.ts'

/** What operators watch. */
export interface MonitoringTables {
  audit_log: AuditLogRow
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
  /** JSON text, or other text if it was cut or is no JSON. */
  request_body: string | null
  response_body: string | null
}
