import type { Ctx } from '../../core/context.ts'
import { canonicalEventType, catalogue, type WebhookType } from '../../core/events/catalogue.ts'
import { sampleOf } from '../../core/http/openapi-sample.ts'
import type { JsonSchema } from '../../core/http/openapi-schema.ts'
import { idPrefix, newId } from '../../core/lib/ids.ts'
import type { TestWebhook } from '../schema.ts'
import type { StoredWebhook } from '../store.ts'
import { awaitAttempt } from './await-attempt.ts'
import { bodyOf } from './body.ts'
import type { Sendout } from './schema.ts'
import { findNewestEvent, insertTestSendout, type StoredEvent } from './store.ts'

/** Sends a sample to a webhook at once and returns the send-out after its only attempt. */
export function testWebhook(ctx: Ctx, webhook: StoredWebhook, sent: TestWebhook): Promise<Sendout> {
  const id = newId('sendout', Date.parse(ctx.now))
  return awaitAttempt(ctx, id, () => writeTest(ctx, id, webhook, canonicalEventType(sent.type) as WebhookType))
}

async function writeTest(ctx: Ctx, id: `whs_${string}`, webhook: StoredWebhook, type: WebhookType): Promise<void> {
  const stored = await findNewestEvent(ctx, type, idPrefix(`${catalogue[type].entity}_event`))
  const sendout = {
    id,
    webhook_id: webhook.id,
    type,
    source_url: webhook.target_url,
    created_at: ctx.now,
  }
  const body = bodyOf({ ...sendout, project_id: ctx.project_id, ...(stored ?? sampleEvent(ctx, type)) })
  // With the id of the event, so that whoever erases the event erases this copy of it.
  const eventId = stored?.event.id ?? null
  await insertTestSendout(ctx, {
    ...sendout,
    body,
    event_id: eventId,
    request_id: stored?.event.group_id ?? ctx.request_id,
  })
}

/** An event with the least data that its type may have. */
export function sampleEvent({ now, request_id }: Pick<Ctx, 'now' | 'request_id'>, type: WebhookType): StoredEvent {
  const { entity, data } = catalogue[type]
  return {
    event: {
      id: newId(`${entity}_event`, Date.parse(now)),
      type,
      created_at: now,
      entity_id: newId(entity, Date.parse(now)),
      group_id: request_id,
      event_source: { channel: 'INTERNAL' },
    },
    data: JSON.stringify(sampleOf(data as unknown as JsonSchema, {})),
  }
}
