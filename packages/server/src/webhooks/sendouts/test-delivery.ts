import type { Ctx } from '../../core/context.ts'
import { inTransaction } from '../../core/db/transaction.ts'
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
  const sendout = {
    id,
    webhook_id: webhook.id,
    type,
    source_url: webhook.target_url,
    created_at: ctx.now,
  }
  const sample = sampleEvent(ctx, type)
  const { project_id } = ctx
  // One transaction: the event stays locked until the copy exists, so that whoever erases it erases the copy too.
  await inTransaction(ctx.db, async (db) => {
    const stored = await findNewestEvent({ db, project_id }, type, idPrefix(`${catalogue[type].entity}_event`))
    // A copy has an id of its own: under the id of the original, a receiver that deduplicates would ignore it.
    const copy = stored && { ...stored, event: { ...stored.event, id: sample.event.id } }
    const body = bodyOf({ ...sendout, project_id, ...(copy ?? sample), test: true })
    await insertTestSendout(
      { db, project_id },
      {
        ...sendout,
        body,
        // The id of the original, by which the copy is erased with it.
        event_id: stored?.event.id ?? null,
        request_id: stored?.event.group_id ?? ctx.request_id,
      },
    )
  })
}

/** An event with the least data that its type may have. */
export function sampleEvent({ now, request_id }: Pick<Ctx, 'now' | 'request_id'>, type: WebhookType): StoredEvent {
  const { entity, data } = catalogue[type]
  const entityId = newId(entity, Date.parse(now))
  const sample = sampleOf(data as unknown as JsonSchema, {}) as Record<string, { id?: string; object?: string }>
  for (const [name, schema] of Object.entries((data as unknown as JsonSchema).properties ?? {}))
    if (isLoose(schema)) sample[name] = { id: 'string', object: objectNames[name] ?? name }
  const own = sample[entity === 'validation_rule' ? 'rule' : entity]
  if (own !== undefined) own.id = entityId
  return {
    event: {
      id: newId(`${entity}_event`, Date.parse(now)),
      type,
      created_at: now,
      entity_id: entityId,
      group_id: request_id,
      event_source: { channel: 'INTERNAL' },
    },
    data: JSON.stringify(sample),
  }
}

/** Whether a schema is that of a complete object (`Full`), or null: it names no properties, so its sample would be empty. */
function isLoose(schema: JsonSchema): boolean {
  const { type, properties } = schema.anyOf?.[0] ?? schema
  return [type].flat()[0] === 'object' && properties === undefined
}

/** The `object` of complete objects that events call otherwise. */
const objectNames: Readonly<Record<string, string>> = {
  rule: 'validation_rules',
  assignment: 'validation_rules_assignment',
  holder_loyalty_tier: 'loyalty_tier',
}
