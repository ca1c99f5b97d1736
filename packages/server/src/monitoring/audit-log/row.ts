import type { AuditLogRow } from '../../core/db/tables.ts'
import type { AuditEntry } from '../../core/http/audit-log.ts'
import { fieldsOf } from '../../core/http/form.ts'
import { momentOf } from '../../core/lib/ids.ts'
import { entryIdOf } from './entry-id.ts'
import { maskSecrets } from './mask.ts'
import type { NewAuditLogRow } from './store.ts'

/** The row of an entry, without secrets. */
export function toRow(entry: AuditEntry, projectId: string): NewAuditLogRow {
  const id = entryIdOf(entry.request_id)
  const { request_body, response_body } = entry
  return {
    head: {
      project_id: projectId,
      id,
      at: momentOf(id),
      request_duration: entry.request_duration,
      status_code: entry.status_code,
      channel: maskSecrets(entry.channel),
      method: entry.method,
      endpoint: entry.endpoint,
      url: maskSecrets(entry.url),
      user_email: entry.user_email,
      app_id: entry.app_id,
      client_app_id: entry.client_app_id,
      client_request_id: entry.client_request_id === null ? null : maskSecrets(entry.client_request_id),
      async_action_id: response_body === null ? null : asyncActionIn(response_body),
    },
    request_body: request_body === null ? null : maskSecrets(entry.is_form ? formJson(request_body) : request_body),
    response_body: response_body === null ? null : maskSecrets(response_body),
  }
}

/** Whether the request succeeded. */
export const statusOf = ({ status_code }: Pick<AuditLogRow, 'status_code'>): 'SUCCESS' | 'FAILURE' =>
  status_code < 400 ? 'SUCCESS' : 'FAILURE'

/** A form as a JSON object, so that it is shown as one. */
const formJson = (text: string): string => JSON.stringify(fieldsOf(text))

/** Replies that name an action they started are short. */
const startedLengthMax = 1_000

function asyncActionIn(text: string): string | null {
  if (text.length > startedLengthMax) return null
  return text.includes('async_action_id') ? (/"async_action_id":"(aa_[0-9a-f]{18})"/.exec(text)?.[1] ?? null) : null
}
