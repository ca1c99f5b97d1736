import { Instant } from '@guerdon/engine/schema'
import { type Static, Type } from 'typebox'
import { misspelledTypes, webhookTypes } from '../core/events/catalogue.ts'
import { limits } from '../core/lib/limits.ts'
import { listOf } from '../core/query/list.ts'

const TargetUrl = Type.String({
  minLength: 1,
  maxLength: limits.target_url_length_max,
  description: 'An absolute `http` or `https` URL.',
})

export const WebhookEventType = Type.Unsafe<string>({ type: 'string', enum: webhookTypes })

/** Existing SDKs misspell four types; they are stored as they should be spelt. */
const sentTypes = [...webhookTypes, ...misspelledTypes.keys()]
const SentEventType = Type.Unsafe<string>({ type: 'string', enum: sentTypes })

const SentEvents = Type.Array(SentEventType, { minItems: 1, maxItems: sentTypes.length, uniqueItems: true })

export const Webhook = Type.Object({
  id: Type.String({ description: '`wh_` and 24 characters.' }),
  object: Type.Literal('webhook'),
  created_at: Instant,
  target_url: TargetUrl,
  events: Type.Array(WebhookEventType),
  active: Type.Boolean(),
})
export type Webhook = Static<typeof Webhook>

export const WebhookList = listOf('data', Webhook, { total: true })

export const CreateWebhook = Type.Object(
  { target_url: TargetUrl, events: SentEvents, active: Type.Optional(Type.Boolean({ default: true })) },
  { examples: [{ target_url: 'https://shop.example.com/webhooks', events: ['redemption.succeeded'] }] },
)
export type CreateWebhook = Static<typeof CreateWebhook>

export const UpdateWebhook = Type.Object({
  target_url: Type.Optional(TargetUrl),
  events: Type.Optional(SentEvents),
  active: Type.Optional(Type.Boolean()),
})
export type UpdateWebhook = Static<typeof UpdateWebhook>

export const TestWebhook = Type.Object({ type: SentEventType }, { examples: [{ type: 'redemption.succeeded' }] })
export type TestWebhook = Static<typeof TestWebhook>
