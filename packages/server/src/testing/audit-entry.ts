import type { AuditEntry } from '../core/http/audit-log.ts'
import { newId } from '../core/lib/ids.ts'

/** A request as the audit log keeps it until it is written; `at` is Unix milliseconds. */
export const newAuditEntry = (projectId: string, at = Date.now(), changes: Partial<AuditEntry> = {}): AuditEntry => ({
  project_id: projectId,
  claimed: null,
  is_refused: false,
  request_id: newId('request', at),
  request_duration: 1,
  status_code: 200,
  channel: 'API',
  method: 'GET',
  endpoint: 'GET_v1_categories',
  url: '/v1/categories',
  user_email: null,
  app_id: 'app',
  client_app_id: null,
  client_request_id: null,
  is_form: false,
  request_body: null,
  response_body: null,
  ...changes,
})
