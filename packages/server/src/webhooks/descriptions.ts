import type { Descriptions } from '../core/http/openapi-descriptions.ts'

/** Webhooks and their send-outs. */
export const webhookDescriptions: Descriptions = {
  '*': {
    'path.webhookId': 'Id of the webhook.',
    'path.sendoutId': 'Id of the send-out.',
  },
  Webhook: {
    $: 'An address to which events are sent.',
    events: 'The types of events that are sent.',
    active: 'Whether events are sent.',
  },
  CreateWebhook: { $like: 'Webhook', active: 'Whether events are sent. Default true.' },
  UpdateWebhook: { $like: 'Webhook' },
  WebhookList: { data: 'The webhooks of the project.' },
  TestWebhook: { type: 'The type of event of which a sample is sent.' },
  Sendout: {
    $: 'An event on its way to a webhook, with every attempt.',
    webhook_id: 'Id of the webhook.',
    type: 'Type of the event.',
    status: 'How far it is: `PENDING`, `RETRYING` after a failed attempt, then `SUCCEEDED` or `FAILED`.',
    source: 'The webhook as it was when the event happened.',
    'source.id': 'Id of the webhook.',
    'source.target_url': 'Where it is sent.',
    event_id: 'Id of the event; null for a test without one.',
    event_created_at: 'When the event happened; null for a test without one.',
    executed_at: 'When the latest attempt was made; null before the first.',
    next_attempt_at: 'When it is tried again; null if it is not.',
    attempts: 'The attempts, the oldest first.',
    'attempts.at': 'When it was tried.',
    'attempts.status_code': 'HTTP status of the response; null without one.',
    'attempts.duration_ms': 'How long it took, in milliseconds.',
    'attempts.error': 'Why it failed, in words; null if it succeeded.',
  },
  listWebhookSendouts: {
    'query.status': 'Only send-outs with this status.',
    'query.webhook_id': 'Only those of the webhook with this id.',
    'query.type': 'Only those with events of this type.',
    'query.request_id': 'Only those that the request with this id caused.',
    'query.event_id': 'Only those of the event with this id.',
  },
}
