import { operation } from '../../core/http/operation.ts'
import { listEvents } from './list.ts'
import { StoredEventList, StoredEventQuery } from './schema.ts'

export const events = [
  operation({
    id: 'listEvents',
    method: 'GET',
    path: '/management/v1/projects/{projectId}/events',
    summary: 'List events',
    description:
      'Oldest first unless asked otherwise. A consumer that was away follows `cursor` from where it stopped and gets every event ' +
      'exactly once.',
    query: StoredEventQuery,
    reply: StoredEventList,
    errors: ['invalid_query_params', 'not_found'],
    run: (ctx, { query }) => listEvents(ctx, query),
  }),
]
