import { operation } from '../../http/operation.ts'
import { listed } from '../../query/list.ts'
import { AsyncAction, AsyncActionList, AsyncActionQuery } from './schema.ts'
import { getAsyncAction, listAsyncActions } from './store.ts'

export const asyncActions = [
  operation({
    id: 'listAsyncActions',
    method: 'GET',
    path: '/v1/async-actions',
    summary: 'List async actions',
    description: 'Newest first. For the next page, pass the `id` of the last one as `starting_after_id`.',
    query: AsyncActionQuery,
    reply: AsyncActionList,
    errors: ['invalid_query_params'],
    run: async (ctx, { query }) => {
      const { rows, has_more } = await listAsyncActions(ctx, query)
      return listed('async_actions', rows, { has_more })
    },
  }),
  operation({
    id: 'getAsyncAction',
    method: 'GET',
    path: '/v1/async-actions/{asyncActionId}',
    summary: 'Get an async action',
    description: 'How far it is and, once it has ended, what came of it.',
    reply: AsyncAction,
    errors: ['not_found'],
    run: (ctx, { params }) => getAsyncAction(ctx, params.asyncActionId),
  }),
]
