import type { Instant } from '../../core/lib/instant.ts'

/** What the body of a send-out is made of. All of it is fixed when the send-out is created. */
export interface BodyParts {
  project_id: string
  id: string
  webhook_id: string
  type: string
  source_url: string
  created_at: Instant
  event: BodyEvent
  /** The data of the event as JSON text (core/db/functions/event_text.sql). */
  data: string
  /** Only in the body of a test. */
  test?: true
}

export interface BodyEvent {
  id: string
  type: string
  created_at: Instant
  entity_id: string
  group_id: string
  event_source: object
}

/**
 * The body of a send-out: compact JSON with the properties in the documented order (docs/reference/webhooks.md#payload). The same
 * parts give the same bytes on every node and at every attempt; the data is inserted as it is stored, without parsing it.
 */
export function bodyOf(parts: BodyParts): string {
  const { project_id, id, webhook_id, type, source_url, created_at, event, data, test } = parts
  const head = JSON.stringify({ id, project_id, created_at, type })
  const tail = JSON.stringify({
    source: { id: webhook_id, object: 'webhook', target_url: source_url },
    event: {
      id: event.id,
      type: event.type,
      created_at: event.created_at,
      entity_id: event.entity_id,
      group_id: event.group_id,
      event_source: event.event_source,
    },
    test,
  })
  return `${head.slice(0, -1)},"data":${data},${tail.slice(1)}`
}
