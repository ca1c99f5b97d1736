import { operation } from '../core/http/operation.ts'
import { listed } from '../core/query/list.ts'
import { CreateWebhook, TestWebhook, UpdateWebhook, Webhook, WebhookList } from './schema.ts'
import { Sendout } from './sendouts/schema.ts'
import { testWebhook } from './sendouts/test-delivery.ts'
import { deleteWebhook, getWebhook, listWebhooks, toWebhook } from './store.ts'
import { changeWebhook, checkTarget, createWebhook } from './write.ts'

export const webhooks = [
  operation({
    id: 'listWebhooks',
    method: 'GET',
    path: '/management/v1/projects/{projectId}/webhooks',
    summary: 'List webhooks',
    description: 'All of them, oldest first.',
    reply: WebhookList,
    errors: ['not_found'],
    run: async (ctx) => {
      const data = (await listWebhooks(ctx)).map(toWebhook)
      return listed('data', data, { total: data.length })
    },
  }),
  operation({
    id: 'createWebhook',
    method: 'POST',
    path: '/management/v1/projects/{projectId}/webhooks',
    summary: 'Create a webhook',
    description: 'It receives the events of these types that happen from now on.',
    body: CreateWebhook,
    reply: Webhook,
    errors: ['invalid_payload', 'not_found'],
    precheck: (ctx, { body }) => checkTarget(ctx, body),
    run: (ctx, { body }) => createWebhook(ctx, body),
  }),
  operation({
    id: 'getWebhook',
    method: 'GET',
    path: '/management/v1/projects/{projectId}/webhooks/{webhookId}',
    summary: 'Get a webhook',
    description: 'By id.',
    reply: Webhook,
    errors: ['not_found'],
    run: async (ctx, { params }) => toWebhook(await getWebhook(ctx, params.webhookId)),
  }),
  operation({
    id: 'updateWebhook',
    method: 'PUT',
    path: '/management/v1/projects/{projectId}/webhooks/{webhookId}',
    summary: 'Update a webhook',
    description:
      'Only the fields that are sent change; `events` is replaced whole. `"active": true` switches on a webhook that delivery had ' +
      'switched off.',
    body: UpdateWebhook,
    reply: Webhook,
    errors: ['invalid_payload', 'not_found'],
    target: (ctx, { params }) => getWebhook(ctx, params.webhookId),
    precheck: (ctx, { body }) => checkTarget(ctx, body),
    run: (ctx, { target, body }) => changeWebhook(ctx, target.id, body),
  }),
  operation({
    id: 'deleteWebhook',
    method: 'DELETE',
    path: '/management/v1/projects/{projectId}/webhooks/{webhookId}',
    summary: 'Delete a webhook',
    description: 'What waits for it is not sent any more. The log of its send-outs stays.',
    reply: null,
    errors: ['not_found'],
    target: (ctx, { params }) => getWebhook(ctx, params.webhookId),
    run: (ctx, { target }) => deleteWebhook(ctx, target.id),
  }),
  operation({
    id: 'testWebhook',
    method: 'POST',
    path: '/management/v1/projects/{projectId}/webhooks/{webhookId}/test',
    summary: 'Send a sample to a webhook',
    description:
      'Sends an event of this type at once, whether the webhook is active or not: a copy of the newest one of the project, or one ' +
      'that is made up. Answers the send-out after its only attempt. Too many such requests that wait at once are refused with 429.',
    body: TestWebhook,
    reply: Sendout,
    errors: ['invalid_payload', 'not_found'],
    writes: false, // no transaction stays open while the target answers
    target: (ctx, { params }) => getWebhook(ctx, params.webhookId),
    run: (ctx, { target, body }) => testWebhook(ctx, target, body),
  }),
]
