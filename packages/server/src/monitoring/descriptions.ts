import type { Descriptions } from '../core/http/openapi-descriptions.ts'

/** Audit log, notifications, usage and the list of events. */
export const monitoringDescriptions: Descriptions = {
  '*': { 'path.notificationId': 'Id of the notification.' },
  AuditLogEntry: {
    $: 'A request and its reply.',
    created_at: 'When the request arrived.',
    status: '`SUCCESS` if the HTTP status is below 400.',
    channel: 'What the caller named itself in `X-Voucherify-Channel`; otherwise `API`, `CLIENT_API` or `USER`.',
    method: 'HTTP method.',
    user_email: 'E-mail address of the person who was signed in; otherwise null.',
    app_id: 'Application id of the server-side key; otherwise null.',
    client_app_id: 'Application id of the client-side key; otherwise null.',
    async_action_id: 'Id of the async action that the request started; otherwise null.',
  },
  listAuditLog: {
    'query.status': 'Only requests that succeeded, or only those that failed.',
    'query.method': 'Only requests with this HTTP method.',
    'query.endpoint': 'Only requests to this endpoint, exactly as in the entry.',
    'query.request_id': 'Only the request with this id.',
    'query.created_at': 'Only requests that arrived in this range; without it those of the last 24 hours.',
  },
  Notification: {
    $: 'Something that operators should know.',
    kind: 'What it is about.',
    severity: 'How serious it is.',
    message: 'What happened, in one sentence.',
    read: 'Whether somebody has marked it as read.',
  },
  UpdateNotification: { read: 'Whether it counts as read.' },
  Usage: {
    api_calls: 'Calls that count against the limit of calls; the window that is tightest, and all windows.',
    bulk_api_calls: 'The same for bulk operations, which have a limit of their own.',
    api_calls_cycle: 'The same for the calendar month.',
    'api_calls.resets_at': 'When the next window begins; null without a limit.',
    'bulk_api_calls.resets_at': 'When the next window begins; null without a limit.',
    'api_calls_cycle.resets_at': 'When the next month begins; null without a limit.',
  },
  StoredEvent: { $like: 'Activity', $: 'An event of the project.' },
  StoredEventList: { data: 'The events of this page.' },
  listEvents: {
    'query.entity_id': 'Only events of the object with this id.',
    'query.voucher_id': 'Only events about the voucher with this id.',
  },
}
