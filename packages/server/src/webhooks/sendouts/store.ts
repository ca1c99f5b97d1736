import { type Selectable, sql } from 'kysely'
import type { Ctx } from '../../core/context.ts'
import type { Db } from '../../core/db/database.ts'
import { plannedForValues } from '../../core/db/prepared-statements.ts'
import type { SendoutRow } from '../../core/db/tables.ts'
import { inPartitionsOf } from '../../core/events/read-events.ts'
import { notFound } from '../../core/http/errors.ts'
import type { Instant } from '../../core/lib/instant.ts'
import { limits } from '../../core/lib/limits.ts'
import { cursorOf } from '../../core/query/list.ts'
import type { BodyEvent } from './body.ts'
import type { SendoutQuery } from './schema.ts'

type StoredSendout = Selectable<SendoutRow>

type ProjectDb = Pick<Ctx, 'db' | 'project_id'>

/** A send-out as the log shows it, with the texts of which its JSON is made. */
export type LoggedSendout = Pick<
  StoredSendout,
  | 'project_id'
  | 'id'
  | 'webhook_id'
  | 'body'
  | 'type'
  | 'source_url'
  | 'target_url'
  | 'status'
  | 'reason'
  | 'is_test'
  | 'request_id'
  | 'event_id'
  | 'created_at'
  | 'executed_at'
  | 'next_attempt_at'
> & {
  /** JSON text. */
  attempts: string
  event_created_at: Instant | null
  entity_id: string
  group_id: string
  event_source: object
  /** JSON text; null if the body is given, or if the event was erased in between. */
  data: string | null
}

/** Which send-outs, and of which events. */
export type SendoutPlace = Pick<StoredSendout, 'id' | 'event_id'>

/** Send-outs, newest first: of large ones as many as a page may hold, at least one. */
export async function loadSendouts(
  { db, project_id }: ProjectDb,
  places: readonly SendoutPlace[],
): Promise<{ rows: LoggedSendout[]; is_cut: boolean }> {
  const ids = places.map(({ id }) => id)
  const { e, p } = inPartitionsOf(places.flatMap(({ event_id }) => event_id ?? []))
  // The attempts are made text once: `offset 0` keeps the planner from doing so for each use.
  const { rows } = await sql<LoggedSendout & { count: number }>`
    select s.project_id, s.id, s.webhook_id, s.body, s.type, s.source_url, s.target_url, s.status, s.reason, s.is_test,
      s.request_id, s.event_id, s.created_at, s.executed_at, s.next_attempt_at, s.attempts_text as attempts,
      s.event_created_at, s.entity_id, s.group_id, s.event_source,
      case when s.body is null then event_text(s.data, s.parts) end as data, s.count
    from (
      select s.*, (row_number() over newest)::int as place, (count(*) over ())::int as count,
        sum(octet_length(s.attempts_text) + coalesce(octet_length(s.body), octet_length(s.data)
          + coalesce(octet_length(s.parts), 0), 0)) over newest as bytes_through
      from (
        select s.*, s.attempts::text as attempts_text, e.created_at as event_created_at, e.entity_id, e.group_id,
          e.event_source, e.data, p.parts
        from webhook_sendouts s
        left join event_rows e on e.project_id = s.project_id and e.id = s.event_id and ${e}
        left join event_parts p on p.project_id = e.project_id and p.id = e.parts_id and ${p}
        where s.project_id = ${project_id} and s.id = any(${ids}::text[])
        offset 0
      ) s
      window newest as (order by s.id desc)
    ) s
    where s.place = 1 or s.bytes_through <= ${sql.lit(limits.sendouts_page_bytes_max)}
    order by s.id desc ${sql.raw(plannedForValues)}`.execute(db)
  return { rows, is_cut: rows[0] !== undefined && rows[0].count > rows.length }
}

/** The send-outs of a page of the log, newest first. */
export async function listPlaces({ db, project_id }: Ctx, query: SendoutQuery) {
  const { status, webhook_id, type, request_id, event_id, ...page } = query
  const all = db.selectFrom('webhook_sendouts').where('project_id', '=', project_id).select(['id', 'event_id'])
  const where = Object.entries({ status, webhook_id, type, request_id, event_id }).flatMap(([column, value]) =>
    value === undefined ? [] : [sql<boolean>`${sql.ref(column)} = ${value}`],
  )
  const { rows, ...more } = await cursorOf(all, page, { columns: { id: 'id' }, default_order: '-id', where })
  return { places: rows, ...more }
}

export async function findPlace({ db, project_id }: ProjectDb, id: string): Promise<SendoutPlace[]> {
  return db
    .selectFrom('webhook_sendouts')
    .select(['id', 'event_id'])
    .where('project_id', '=', project_id)
    .where('id', '=', id as StoredSendout['id'])
    .execute()
}

/** What a request about a send-out needs first: without its body and attempts, which may be long. */
export async function getSendoutKey(ctx: ProjectDb, id: string): Promise<Pick<StoredSendout, 'id' | 'webhook_id'>> {
  const row = await ctx.db
    .selectFrom('webhook_sendouts')
    .select(['id', 'webhook_id'])
    .where('project_id', '=', ctx.project_id)
    .where('id', '=', id as StoredSendout['id'])
    .executeTakeFirst()
  if (row === undefined) throw notFound('webhook_sendout', id)
  return row
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
  { db, project_id }: ProjectDb,
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

/**
 * The newest event of a type among the latest events of its entity, whose ids begin with `prefix`. It is locked until the end of the
 * transaction: whoever erases it waits, and then erases also what was made of it.
 */
export async function findNewestEvent(
  { db, project_id }: ProjectDb,
  type: string,
  prefix: string,
): Promise<StoredEvent | null> {
  const newest = await sql<{ id: string }>`
    select id from (
      select id, type from event_rows
      where project_id = ${project_id} and id >= ${prefix} and id < ${`${prefix}g`}
      order by id desc limit ${sql.lit(searchedMax)}
    ) latest
    where type = ${type} limit 1`.execute(db)
  if (newest.rows[0] === undefined) return null
  const inPartition = inPartitionsOf([newest.rows[0].id])
  const { rows } = await sql<BodyEvent & { data: string }>`
    select e.id, e.type, e.created_at, e.entity_id, e.group_id, e.event_source, event_text(e.data, p.parts) as data
    from event_rows e left join event_parts p on p.project_id = e.project_id and p.id = e.parts_id and ${inPartition.p}
    where e.project_id = ${project_id} and e.id = ${newest.rows[0].id} and ${inPartition.e}
    for key share of e`.execute(db)
  if (rows[0] === undefined) return null // erased in between
  const { data, ...event } = rows[0]
  return { event, data }
}
