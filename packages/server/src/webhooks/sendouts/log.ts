import type { Ctx } from '../../core/context.ts'
import { notFound } from '../../core/http/errors.ts'
import { SerialisedReply } from '../../core/http/operation.ts'
import { forEachInSlices } from '../../core/lib/time-slice.ts'
import { listed } from '../../core/query/list.ts'
import { bodyOf } from './body.ts'
import type { Sendout, SendoutQuery } from './schema.ts'
import { findPlace, type LoggedSendout, listPlaces, loadSendouts } from './store.ts'

/** A page of the log, newest first, limited in bytes. Its bodies and attempts are stored texts, which are not parsed. */
export async function listSendouts(ctx: Ctx, query: SendoutQuery): Promise<SerialisedReply> {
  const { places, ...page } = await listPlaces(ctx, query)
  const { rows, is_cut } = await loadSendouts(ctx, places)
  const last = rows.at(-1)
  const more = is_cut && last !== undefined ? { has_more: true, more_starting_after: last.id } : page
  const sendouts: string[] = []
  await forEachInSlices(rows, (row) => void sendouts.push(...sendoutJson(row)))
  const { data: _, ...list } = listed('data', [], more)
  return new SerialisedReply(`${JSON.stringify(list).slice(0, -1)},"data":[${sendouts.join(',')}]}`)
}

export async function getSendout(ctx: Pick<Ctx, 'db' | 'project_id'>, id: string): Promise<Sendout> {
  const { rows } = await loadSendouts(ctx, await findPlace(ctx, id))
  const [json] = rows.flatMap(sendoutJson)
  if (json === undefined) throw notFound('webhook_sendout', id) // it does not exist, or its event was erased in between
  return JSON.parse(json)
}

/** The JSON text of a send-out; none if its event was erased in between. */
function sendoutJson(row: LoggedSendout): string[] {
  const body = bodyTextOf(row)
  if (body === null) return []
  const { id, webhook_id, type, status, reason, source_url, request_id, event_id, created_at } = row
  const head: Omit<Sendout, 'attempts' | 'data'> = {
    id,
    object: 'webhook_sendout',
    webhook_id,
    type,
    status,
    reason,
    test: row.is_test,
    source: { id: webhook_id, object: 'webhook', target_url: source_url },
    target_url: row.target_url ?? source_url,
    request_id,
    event_id,
    event_created_at: row.event_created_at,
    created_at,
    executed_at: row.executed_at,
    next_attempt_at: row.next_attempt_at,
  }
  return [`${JSON.stringify(head).slice(0, -1)},"attempts":${row.attempts},"data":${body}}`]
}

function bodyTextOf(row: LoggedSendout): string | null {
  const { body, data, event_id, event_created_at, type, entity_id, group_id, event_source } = row
  if (body !== null) return body
  if (data === null || event_id === null || event_created_at === null) return null
  const event = { id: event_id, type, created_at: event_created_at, entity_id, group_id, event_source }
  return bodyOf({ ...row, data, event })
}
