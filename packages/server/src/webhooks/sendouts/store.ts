import { type Selectable, sql } from 'kysely'
import type { Ctx } from '../../core/context.ts'
import type { Db } from '../../core/db/database.ts'
import type { SendoutRow } from '../../core/db/tables.ts'
import { notFound } from '../../core/http/errors.ts'
import type { Instant } from '../../core/lib/instant.ts'
import { cursorOf } from '../../core/query/list.ts'
import { type BodyEvent, bodyOf } from './body.ts'
import type { Sendout, SendoutQuery } from './schema.ts'

/** Without `due_at`: -infinity is no instant. */
const columns = [
  'project_id',
  'id',
  'webhook_id',
  'event_id',
  'body',
  'type',
  'source_url',
  'target_url',
  'status',
  'reason',
  'is_test',
  'is_manual',
  'request_id',
  'created_at',
  'executed_at',
  'next_attempt_at',
  'attempts',
] as const satisfies Array<keyof SendoutRow>

type StoredSendout = Pick<Selectable<SendoutRow>, (typeof columns)[number]>

type ProjectDb = Pick<Ctx, 'db' | 'project_id'>

export async function getSendout(ctx: ProjectDb, id: string): Promise<Sendout> {
  const row = await sendoutOf(ctx, id).select(columns).executeTakeFirst()
  const [shown] = row === undefined ? [] : await showSendouts(ctx, [row])
  if (shown === undefined) throw notFound('webhook_sendout', id) // it does not exist, or its event was erased in between
  return shown
}

/** What a request about a send-out needs first: without its body and attempts, which may be long. */
export async function getSendoutKey(ctx: ProjectDb, id: string): Promise<Pick<StoredSendout, 'id' | 'webhook_id'>> {
  const row = await sendoutOf(ctx, id).select(['id', 'webhook_id']).executeTakeFirst()
  if (row === undefined) throw notFound('webhook_sendout', id)
  return row
}

const sendoutOf = ({ db, project_id }: ProjectDb, id: string) =>
  db
    .selectFrom('webhook_sendouts')
    .where('project_id', '=', project_id)
    .where('id', '=', id as StoredSendout['id'])

/** A page of the log, newest first. */
export async function listSendouts(ctx: Ctx, query: SendoutQuery) {
  const { status, webhook_id, type, request_id, ...page } = query
  const all = ctx.db.selectFrom('webhook_sendouts').where('project_id', '=', ctx.project_id).select(columns)
  const where = Object.entries({ status, webhook_id, type, request_id }).flatMap(([column, value]) =>
    value === undefined ? [] : [sql<boolean>`${sql.ref(column)} = ${value}`],
  )
  const { rows, ...more } = await cursorOf(all, page, { columns: { id: 'id' }, default_order: '-id', where })
  return { sendouts: await showSendouts(ctx, rows), ...more }
}

/**
 * Asks the node that delivers to the webhook for one attempt at once; changes nothing if one is requested already. False if the webhook
 * was deleted.
 */
export async function requestAttempt({ db, project_id }: ProjectDb, id: string): Promise<boolean> {
  const { rows } = await sql`
    with requested as (
      update webhook_sendouts s set is_manual = true, due_at = '-infinity'
      from webhooks w
      where s.project_id = ${project_id} and s.id = ${id} and not s.is_manual
        and w.project_id = s.project_id and w.id = s.webhook_id
    )
    select 1 from webhook_sendouts s join webhooks w on w.project_id = s.project_id and w.id = s.webhook_id
    where s.project_id = ${project_id} and s.id = ${id}`.execute(db)
  return rows.length === 1
}

export interface SendoutKey {
  project_id: string
  id: string
}

/** Those of the send-outs whose requested attempt has not been made. */
export async function listRequested(db: Db, sendouts: readonly SendoutKey[]): Promise<SendoutKey[]> {
  const { rows } = await sql<SendoutKey>`
    select s.project_id, s.id from webhook_sendouts s
    join unnest(${sendouts.map(({ project_id }) => project_id)}::text[], ${sendouts.map(({ id }) => id)}::text[])
      as asked (project_id, id) on asked.project_id = s.project_id and asked.id = s.id
    where s.is_manual`.execute(db)
  return rows
}

/** Inserts the send-out of a test, to be attempted at once and only then. */
export async function insertTestSendout(
  { db, project_id }: Ctx,
  row: Pick<
    StoredSendout,
    'id' | 'webhook_id' | 'event_id' | 'body' | 'type' | 'source_url' | 'request_id' | 'created_at'
  >,
): Promise<void> {
  await db
    .insertInto('webhook_sendouts')
    .values({
      ...row,
      project_id,
      status: 'PENDING',
      is_test: true,
      is_manual: true,
      due_at: sql`'-infinity'`,
      attempts: '[]',
    })
    .execute()
}

export interface StoredEvent {
  event: BodyEvent
  /** JSON text. */
  data: string
}

/** How many of the newest events are searched for one of a type: there is no index by type. */
const searchedMax = 10_000

/** The newest event of a type among the latest events of its entity, whose ids begin with `prefix`. */
export async function findNewestEvent(
  { db, project_id }: Ctx,
  type: string,
  prefix: string,
): Promise<StoredEvent | null> {
  const { rows } = await sql<{ id: string }>`
    select id from (
      select id, type from event_rows
      where project_id = ${project_id} and id >= ${prefix} and id < ${`${prefix}g`}
      order by id desc limit ${sql.lit(searchedMax)}
    ) latest
    where type = ${type} limit 1`.execute(db)
  if (rows[0] === undefined) return null
  return (await loadEvents(db, project_id, [rows[0].id])).get(rows[0].id) ?? null
}

/** Events by id, with the text of their data as it is sent. */
async function loadEvents(db: Db, projectId: string, ids: readonly string[]): Promise<Map<string, StoredEvent>> {
  const { rows } = await sql<BodyEvent & { data: string }>`
    select e.id, e.type, e.created_at, e.entity_id, e.group_id, e.event_source, event_text(e.data, p.parts) as data
    from event_rows e left join event_parts p on p.project_id = e.project_id and p.id = e.parts_id
    where e.project_id = ${projectId} and e.id = any(${ids}::text[])`.execute(db)
  return new Map(rows.map(({ data, ...event }) => [event.id, { event, data }]))
}

/** Send-outs as the log shows them; without those whose event was erased in between. */
async function showSendouts({ db, project_id }: ProjectDb, rows: readonly StoredSendout[]): Promise<Sendout[]> {
  const eventIds = rows.flatMap(({ event_id, body }) => (event_id === null || body !== null ? [] : [event_id]))
  const events = eventIds.length === 0 ? new Map() : await loadEvents(db, project_id, eventIds)
  return rows.flatMap((row) => {
    const stored = events.get(row.event_id)
    const body = row.body ?? (stored && bodyOf({ ...row, ...stored }))
    return body === undefined ? [] : [toSendout(row, JSON.parse(body))]
  })
}

function toSendout(row: StoredSendout, body: { event: { id: string; created_at: Instant } }): Sendout {
  const { id, webhook_id, type, status, reason, source_url, request_id, event_id, created_at } = row
  return {
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
    event_created_at: event_id === null ? null : body.event.created_at,
    created_at,
    executed_at: row.executed_at,
    next_attempt_at: row.next_attempt_at,
    attempts: row.attempts,
    data: body,
  }
}
