import assert from 'node:assert/strict'
import { type Selectable, sql } from 'kysely'
import type { Caller, Ctx } from '../context.ts'
import type { EventRow } from '../db/tables.ts'
import type { Jobs } from '../jobs/jobs.ts'
import { newId } from '../lib/ids.ts'
import { catalogue, type EmittedEventType, type EntityId, type EventData, type NewEvent } from './catalogue.ts'
import type { EventHead } from './parts.ts'
import type { EventSource, SimpleEvent } from './shapes.ts'

export type { NewEvent } from './catalogue.ts'

/**
 * Emits one event in the transaction of the change that it reports. Returns its short form, which other events may contain.
 *
 * `await emit(ctx, 'voucher.enabled', voucher.id, { voucher, campaign: null })`
 */
export async function emit<T extends EmittedEventType>(
  ctx: Ctx,
  type: T,
  entityId: EntityId<T>,
  data: EventData<T>,
): Promise<SimpleEvent> {
  const [event] = await emitMany(ctx, [{ type, entity_id: entityId, data } as unknown as NewEvent])
  return event as SimpleEvent
}

/** Emits many events with one statement, in the given order. */
export async function emitMany(ctx: Ctx, events: readonly NewEvent[]): Promise<SimpleEvent[]> {
  if (events.length === 0) return []
  const rows = eventRows(ctx, events)
  // All rows are one JSON parameter: a statement is limited to 65,535 parameters, which is about 7,000 rows.
  await sql`
    insert into event_rows (project_id, id, type, category, entity_id, created_at, group_id, event_source, campaign_id,
      voucher_id, data)
    select project_id, id, type, category, entity_id, created_at, group_id, event_source, campaign_id, voucher_id, data
    from json_populate_recordset(null::event_rows, ${JSON.stringify(rows)}::json)
  `.execute(ctx.db)
  ctx.afterCommit(() => noteEvents(ctx.jobs))
  return rows.map(({ id, type, category, entity_id, created_at, group_id }) => {
    return { id, type, category, entity_id, created_at, group_id }
  })
}

/** Committed events wait for the webhooks, and what they tell of to be added up. */
export function noteEvents(jobs: Pick<Jobs, 'note'>): void {
  jobs.note('webhooks')
  jobs.note('statistics')
}

/** Assigns an id to an event before it is written. */
export const withEventId = (event: NewEvent): NewEvent & { id: string } => ({
  ...event,
  id: event.id ?? newId(`${catalogue[event.type].entity}_event`),
})

/** The rows of events, for a statement that writes them together with the changes they report. */
export function eventRows(ctx: Ctx, events: readonly NewEvent[]): Array<Selectable<EventRow>> {
  return events.map((event) => ({ ...eventRow(ctx, event), ...relatedIdsOf(event.data), data: event.data }))
}

/** The row of an event without its data. */
export function eventRow(
  ctx: Ctx,
  { type, entity_id, id }: { type: EmittedEventType; entity_id: string; id?: string },
): EventHead {
  const { entity, category } = catalogue[type]
  return {
    project_id: ctx.project_id,
    // From the current time, not `ctx.now`: ids then have the order of the calls, whatever other requests do in between.
    id: id ?? newId(`${entity}_event`),
    type,
    category,
    entity_id,
    created_at: ctx.event_time ?? ctx.now,
    group_id: ctx.request_id,
    event_source: eventSource(ctx.caller),
  }
}

/** The campaign and the voucher of the event data. */
function relatedIdsOf(data: object): { campaign_id: string | null; voucher_id: string | null } {
  const { campaign, voucher } = data as { campaign?: { id?: string } | null; voucher?: { id?: string } | null }
  return { campaign_id: campaign?.id ?? null, voucher_id: voucher?.id ?? null }
}

/** The source of an event, as events and async actions store it (docs/reference/events.md#source). */
export function eventSource({ channel, api_key, user }: Caller): EventSource {
  assert(channel !== 'MANAGEMENT', 'the management API emits no events')
  if (channel === 'INTERNAL') return { channel }
  if (channel === 'USER') {
    assert(user !== undefined, 'a call by a session has a user')
    return { channel, user: { id: user.id }, user_email: user.email }
  }
  assert(api_key !== null, `a call over ${channel} has a key`)
  return { channel, api_key: { name: api_key.name, app_id: api_key.app_id } }
}
