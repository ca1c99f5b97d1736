import { operation } from '../../core/http/operation.ts'
import { listAuditLog } from './list.ts'
import { AuditLogList, AuditLogQuery } from './schema.ts'

export const auditLog = [
  operation({
    id: 'listAuditLog',
    method: 'GET',
    path: '/management/v1/projects/{projectId}/audit-log',
    summary: 'List the audit log',
    description:
      'The requests to `/v1` and `/client/v1` of the project, newest first; without `created_at` those of the last 24 hours. A search that takes longer than 10 seconds is refused: ask for a shorter time, or by fewer filters. A node makes two searches at once; too many that wait are refused with 429.',
    query: AuditLogQuery,
    reply: AuditLogList,
    errors: ['invalid_query_params', 'not_found'],
    run: (ctx, { query }) => listAuditLog(ctx, query),
  }),
]
