import { operation } from '../../core/http/operation.ts'
import { listSendouts } from './log.ts'
import { retrySendout } from './retry.ts'
import { Sendout, SendoutList, SendoutQuery } from './schema.ts'
import { getSendoutKey } from './store.ts'

export const sendouts = [
  operation({
    id: 'listWebhookSendouts',
    method: 'GET',
    path: '/management/v1/projects/{projectId}/webhook-sendouts',
    summary: 'List webhook send-outs',
    description:
      'Newest first. A page of large send-outs ends early. For the next page, pass `more_starting_after` as `starting_after_id`.',
    query: SendoutQuery,
    reply: SendoutList,
    errors: ['invalid_query_params', 'not_found'],
    run: (ctx, { query }) => listSendouts(ctx, query),
  }),
  operation({
    id: 'retryWebhookSendout',
    method: 'POST',
    path: '/management/v1/projects/{projectId}/webhook-sendouts/{sendoutId}/retry',
    summary: 'Retry a webhook send-out',
    description:
      'Makes one attempt at once, without touching the schedule of retries, and answers the send-out after it. Does not switch on ' +
      'its webhook. Too many such requests that wait at once are refused with 429.',
    reply: Sendout,
    errors: ['not_found'],
    writes: false, // no transaction stays open while the target answers
    target: (ctx, { params }) => getSendoutKey(ctx, params.sendoutId),
    run: (ctx, { target }) => retrySendout(ctx, target),
  }),
]
