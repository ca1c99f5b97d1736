import { downloadOperation } from '../../http/operation.ts'
import { findReport } from './find.ts'

export const taskResults = [
  downloadOperation({
    id: 'getTaskResult',
    path: '/v1/task-results/{token}',
    summary: 'Download a report',
    description:
      'What became of each object of a bulk update: CSV with the columns `source_id`, `found`, `updated` and `message`. The address stands in the `reports` of the async action, needs no credentials and is good for 30 days.',
    media_types: ['text/plain'],
    errors: ['not_found'],
    find: (ctx, { params }) => findReport(ctx, params.token),
  }),
]
